package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/doctor"
)

// checks runs doctor and returns its findings by check.
func checks(t *testing.T, args ...string) (code int, all map[string]doctor.Finding) {
	t.Helper()
	var out bytes.Buffer
	code = run(t.Context(), append([]string{"doctor", "--json"}, args...), nil, &out, io.Discard)
	var said struct {
		OK     bool             `json:"ok"`
		Checks []doctor.Finding `json:"checks"`
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	if said.OK != (code == exitOK) {
		t.Errorf("ok is %t, exit code %d", said.OK, code)
	}
	all = map[string]doctor.Finding{}
	for _, f := range said.Checks {
		all[f.Check] = f
	}
	return code, all
}

// Doctor looks at all that the proxy needs, and says of each thing that is wrong
// what to do. Any answer of a provider is one.
//
// SPEC: B6
func TestDoctorProxy(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() })
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "precis.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}

	good := write("listen = \"127.0.0.1:0\"\ndb = \"p.db\"\n[upstream]\nopenai = \"" + plain.URL + "\"\nanthropic = \"" + plain.URL + "\"\ngemini = \"" + plain.URL + "\"\n[model.mine]\nwindow = 9000\n")
	code, all := checks(t, "--config", good)
	if code != exitOK || !strings.Contains(all["config"].Found, "1 model, 0 tools") || !all["port"].OK || !strings.Contains(all["anthropic"].Found, "answers") {
		t.Errorf("exit code %d: %+v", code, all)
	}
	if !strings.Contains(all["data folder"].Found, filepath.Dir(good)) {
		t.Errorf("%+v", all["data folder"])
	}

	bad := write("listen = \"" + busy.Addr().String() + "\"\n[upstream]\nopenai = \"" + secure.URL + "\"\nanthropic = \"http://" + gone.Addr().String() + "\"\n")
	code, all = checks(t, "--config", bad)
	for check, fix := range map[string]string{"port": "--listen", "openai": "SSL_CERT_FILE", "anthropic": "correct the URL"} {
		if f := all[check]; code != exitFailed || f.OK || !strings.Contains(f.Fix, fix) {
			t.Errorf("exit code %d: %s: %+v", code, check, f)
		}
	}
	code, all = checks(t, "--config", write("[upstream]\nopenai = \""+strings.Replace(plain.URL, "http:", "https:", 1)+"\"\nanthropic = \"http://no-such-host.invalid\"\n"))
	for check, fix := range map[string]string{"openai": "speaks no TLS", "anthropic": "correct the host"} {
		if f := all[check]; code != exitFailed || f.OK || !strings.Contains(f.Fix, fix) {
			t.Errorf("%s: %+v", check, f)
		}
	}
	if code, all = checks(t, "--config", write("modus = \"observe\"\n")); code != exitFailed || !strings.Contains(all["config"].Found, ":1: unknown field modus") {
		t.Errorf("exit code %d: %+v", code, all["config"])
	}
	if code, all = checks(t, "--config", write("[model.x]\nlike = \"nothing\"\n")); code != exitFailed || !strings.Contains(all["config"].Found, "unknown model") {
		t.Errorf("exit code %d: %+v", code, all["config"])
	}
}

// A proxy that runs already where the next would is told as such; it is no fault. Another
// program there is one.
//
// SPEC: B6
func TestDoctorFindsTheProxy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(up.Close)
	s := start(t, "--db", path, "--upstream-openai", up.URL, "--upstream-anthropic", up.URL, "--upstream-gemini", up.URL)
	config := filepath.Join(t.TempDir(), "precis.toml")
	text := "listen = \"" + strings.TrimPrefix(s.url, "http://") + "\"\ndb = \"p.db\"\n[upstream]\nopenai = \"" + up.URL + "\"\nanthropic = \"" + up.URL + "\"\ngemini = \"" + up.URL + "\"\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, all := checks(t, "--config", config); code != exitOK || !strings.Contains(all["port"].Found, "a precis proxy runs at") {
		t.Errorf("exit code %d: %+v", code, all["port"])
	}
	s.end(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ready\n")) }))
	t.Cleanup(other.Close)
	if err := os.WriteFile(config, []byte(strings.Replace(text, strings.TrimPrefix(s.url, "http://"), strings.TrimPrefix(other.URL, "http://"), 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, all := checks(t, "--config", config); code != exitFailed || all["port"].OK || all["port"].Fix == "" {
		t.Errorf("exit code %d: %+v", code, all["port"])
	}
}

// A database that is damaged is found, and so is one that cannot be written.
func TestDoctorDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b%20c?.db")
	up := newProvider(t)
	s := start(t, "--db", path, "--upstream-anthropic", up.url)
	send(t, s.url+"/v1/messages", asks(9))
	s.end(t)
	if code, all := checks(t, "--db", path); code != exitOK || all["pages"].Found != "as they should be" || !all["writable"].OK || !all["disk"].OK {
		t.Errorf("exit code %d: %+v", code, all)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(data) / 4; i < len(data)*3/4; i++ {
		data[i] ^= 0x5a
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	code, all := checks(t, "--db", path)
	if code != exitFailed || all["pages"].OK && all["threads"].OK && all["database"].OK {
		t.Errorf("exit code %d: %+v", code, all)
	}
}
