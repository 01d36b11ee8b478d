package hook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/event"
)

// serve starts an endpoint and counts its calls.
func serve(t *testing.T, f http.HandlerFunc) (address string, calls *atomic.Int32) {
	calls = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		f(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/hook?key=secret", calls
}

func made(t *testing.T, address string, header http.Header, timeout time.Duration) event.Hooks {
	t.Helper()
	h, err := HTTP(address, header, timeout)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func status(code int) func(error) bool {
	return func(err error) bool {
		s, ok := errors.AsType[*StatusError](err)
		return ok && s.Code == code
	}
}

// TestHTTPAsk: real answers, good and bad, and how often was asked for them.
// SPEC: G5, V9
func TestHTTPAsk(t *testing.T) {
	answer := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	isError := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	var flaky atomic.Int32
	for name, tt := range map[string]struct {
		f     http.HandlerFunc
		want  event.Verdict
		check func(error) bool // nil: no error
		calls int32
	}{
		"nothing":      {answer(http.StatusNoContent, ""), event.Verdict{}, nil, 1},
		"created":      {answer(http.StatusCreated, " \n"), event.Verdict{}, nil, 1},
		"instructions": {answer(http.StatusOK, `{"instructions":"keep a"}`), event.Verdict{Instructions: "keep a"}, nil, 1},
		"veto":         {answer(http.StatusOK, `{"veto":true,"reason":"freeze"}`), event.Verdict{Veto: true, Reason: "freeze"}, nil, 1},
		"garbage":      {answer(http.StatusOK, "<html>hello</html>"), event.Verdict{}, isError(ErrVerdict), 1},
		"refused":      {answer(http.StatusForbidden, `{"veto":true}`), event.Verdict{}, status(http.StatusForbidden), 1},
		"broken":       {answer(http.StatusInternalServerError, "oops"), event.Verdict{}, status(http.StatusInternalServerError), 1},
		"stays away":   {answer(http.StatusServiceUnavailable, ""), event.Verdict{}, status(http.StatusServiceUnavailable), 2},
		"huge":         {answer(http.StatusOK, `{"reason":"`+strings.Repeat("x", maxOutput)+`"}`), event.Verdict{}, isError(ErrTooLong), 1},
		"huge refusal": {answer(http.StatusBadRequest, strings.Repeat("x", 1<<20)), event.Verdict{}, status(http.StatusBadRequest), 1},
		"comes back": {func(w http.ResponseWriter, _ *http.Request) {
			if flaky.Add(1) == 1 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			_, _ = io.WriteString(w, `{"instructions":"x"}`)
		}, event.Verdict{Instructions: "x"}, nil, 2},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, event.Verdict{}, isError(io.EOF), 2},
		"hangs up within": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"veto":true}`)
		}, event.Verdict{}, isError(io.ErrUnexpectedEOF), 2},
	} {
		t.Run(name, func(t *testing.T) {
			address, calls := serve(t, tt.f)
			v, err := made(t, address, nil, time.Minute).Ask(t.Context(), compaction)
			if v != tt.want {
				t.Errorf("verdict %+v, want %+v", v, tt.want)
			}
			if tt.check == nil && err != nil || tt.check != nil && !tt.check(err) {
				t.Errorf("error %v", err)
			}
			if calls.Load() != tt.calls {
				t.Errorf("%d calls, want %d", calls.Load(), tt.calls)
			}
			if len(words(err)) > 1000 || strings.Contains(words(err), "secret") {
				t.Errorf("error says too much: %v", err)
			}
		})
	}
}

// TestHTTPTell: the endpoint gets both payloads, with the header. SPEC: T9, G5
func TestHTTPTell(t *testing.T) {
	var got []event.Payload
	address, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var p event.Payload
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Error(err)
		}
		got = append(got, p)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer x" {
			t.Errorf("%s %v", r.Method, r.Header)
		}
		_, _ = io.WriteString(w, strings.Repeat("no verdict ", maxOutput))
	})
	header := http.Header{"Authorization": {"Bearer x"}}
	h := made(t, address, header, time.Minute)
	header.Set("Authorization", "changed later")
	if err := h.Tell(t.Context(), compaction); err != nil {
		t.Fatal(err)
	}
	post, start := compaction, compaction
	post.Name = event.PostCompact
	start.Name, start.Source = event.SessionStart, "compact"
	if diff := cmp.Diff([]event.Payload{post, start}, got); diff != "" {
		t.Errorf("payloads (-want +got):\n%s", diff)
	}
}

// TestHTTPRedirect: the payload goes to no other place, and no redirect turns
// it into a GET.
func TestHTTPRedirect(t *testing.T) {
	other, elsewhere := serve(t, func(http.ResponseWriter, *http.Request) {})
	for name, tt := range map[string]struct {
		code int
		to   string
		ok   bool
	}{
		"same place":        {http.StatusTemporaryRedirect, "/moved", true},
		"same place, moved": {http.StatusPermanentRedirect, "/moved", true},
		"another host":      {http.StatusTemporaryRedirect, other, false},
		"another scheme":    {http.StatusTemporaryRedirect, "https", false},
		"as a GET":          {http.StatusFound, "/moved", false},
		"round and round":   {http.StatusTemporaryRedirect, "/hook", false},
	} {
		t.Run(name, func(t *testing.T) {
			var redirected atomic.Int32
			address, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/moved" {
					redirected.Add(1)
					_, _ = io.Copy(w, strings.NewReader(`{"instructions":"x"}`))
					return
				}
				to := tt.to
				if to == "https" {
					to = "https://" + r.Host + "/moved"
				}
				http.Redirect(w, r, to, tt.code)
			})
			v, err := made(t, address, http.Header{"Authorization": {"Bearer x"}}, time.Minute).Ask(t.Context(), compaction)
			if tt.ok && (v.Instructions != "x" || err != nil || redirected.Load() != 1) {
				t.Errorf("Ask = %+v, %v", v, err)
			}
			if !tt.ok && (v != event.Verdict{} || !errors.Is(err, ErrRedirect) || redirected.Load() != 0) {
				t.Errorf("Ask = %+v, %v, want %v", v, err, ErrRedirect)
			}
		})
	}
	if elsewhere.Load() != 0 {
		t.Error("the payload went to another host")
	}
}

// TestHTTPTimeout: endpoints that do not answer, or never end, cost the timeout
// and one call. SPEC: V9
func TestHTTPTimeout(t *testing.T) {
	for name, f := range map[string]http.HandlerFunc{
		"no answer": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then is a hang-up noticed
			<-r.Context().Done()
		},
		"no end": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"veto":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			address, calls := serve(t, f)
			v, err := made(t, address, nil, 100*time.Millisecond).Ask(t.Context(), compaction)
			if v != (event.Verdict{}) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Ask = %+v, %v, want the deadline", v, err)
			}
			if calls.Load() > 1 {
				t.Errorf("%d calls, want at most 1", calls.Load())
			}
		})
	}
}

// TestHTTPNobodyThere: nothing listens.
func TestHTTPNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String() + "/?key=secret"
	l.Close()
	_, err = made(t, address, nil, time.Minute).Ask(t.Context(), compaction)
	if _, ok := errors.AsType[*net.OpError](err); !ok || strings.Contains(err.Error(), "secret") {
		t.Errorf("Ask = %v, want a refused connection without the address's query", err)
	}
}

func TestHTTPAddress(t *testing.T) {
	for _, bad := range []string{"", "hook", "/hook", "ftp://x/secret", "http://", "http://x:port/secret", "http://[::1/secret"} {
		h, err := HTTP(bad, nil, 0)
		if err == nil || h.Before != nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("HTTP(%q) = %v", bad, err)
		}
	}
}
