package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// An answer that breaks off while it passes through is told in the proxy's own log, not on
// the standard error of the program, which is the agent's behind wrap.
//
// SPEC: B6
func TestPassedAnswerBreaksOff(t *testing.T) {
	up := newProvider(t)
	up.lax = true
	up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("a few bytes"))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	f := serve(t, options(up.url))
	resp, err := client(t).Get(f.url + "/v1/models") //nolint:noctx // the test ends soon
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the client takes the answer for whole")
	}
	_ = resp.Body.Close()
	if text := f.log.String(); !strings.Contains(text, "an answer that passes broke off") || !strings.Contains(text, "EOF") || strings.Contains(text, "httputil") {
		t.Errorf("the log says %q", text)
	}
}
