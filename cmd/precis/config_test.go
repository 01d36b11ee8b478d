package main

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/proxy/config"
)

// exampleConfig is the file that docs/proxy.md shows.
func exampleConfig(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/proxy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(page), "```toml\n")
	text, _, end := strings.Cut(after, "```")
	if !ok || !end {
		t.Fatal("docs/proxy.md shows no file")
	}
	return text
}

// The file that the page shows is read, and is complete: every field has a value,
// and every flag of serve a field.
func TestConfigExample(t *testing.T) {
	text := strings.ReplaceAll(exampleConfig(t), "# models =", "models =")
	path := filepath.Join(t.TempDir(), "precis.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if missing := unset(reflect.ValueOf(*c), ""); len(missing) > 0 {
		t.Errorf("the page does not show %s", strings.Join(missing, ", "))
	}
	var s server
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.flags(f)
	stated := map[string]bool{"config": true}
	for _, x := range c.Settings() {
		stated[x.Flag] = true
	}
	f.VisitAll(func(x *pflag.Flag) {
		if !stated[x.Name] {
			t.Errorf("no field sets --%s", x.Name)
		}
	})
	var o proxy.Options
	if err := c.Apply(&o); err != nil {
		t.Error(err)
	}
	if m, ok := o.Models.Lookup("qwen-local"); !ok || m.Window != 131072 || m.Cache.TTL == 0 || m.Guess {
		t.Errorf("%+v", m)
	}
	if !reflect.DeepEqual(o.Tenancy.Named["0123456789abcdef01234567"], proxy.Tenant{Name: "research", Budget: 32_000, Quota: proxy.Quota{Threads: 5000, Bytes: 900_000_000}}) || o.Engine.Tools["run_query"].ExternalizeAt != 2000 {
		t.Errorf("%+v, %+v", o.Tenancy.Named, o.Engine.Tools)
	}
}

// unset are the fields of a file that have no value.
func unset(v reflect.Value, at string) (names []string) {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Pointer:
		return []string{at}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Tag.Get("toml"); name != "" {
				names = append(names, unset(v.Field(i), at+"."+name)...)
			}
		}
	case reflect.Map:
		if v.Len() == 0 {
			return []string{at}
		}
		for _, k := range v.MapKeys() {
			names = append(names, unset(v.MapIndex(k), at+"."+k.String())...)
		}
	}
	return names
}

// What is wrong in a file is named, with the line where the parser knows it.
func TestConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		"mode = \"observe\"\nbugdet = \"3k\"":              "precis.toml:2: unknown field bugdet",
		"[upstream]\nopenai = \"http://h\"\nazure = \"x\"": "precis.toml:3: unknown field upstream.azure",
		"\nbudget = true":      "precis.toml: budget: \"true\": not a token count",
		"\nbudget = [1]":       "precis.toml:2: budget: want a number, or a text like \"64k\", got a list",
		"\ngrace = 30":         "precis.toml:2: grace: want a text in quotes, got a whole number",
		"\njson = \"yes\"":     "precis.toml:2: json: want true or false, got a text",
		"\nallow-host = \"x\"": "precis.toml:2: allow-host: want a list, got a text",
		"\nmax-threads = 1.5":  "precis.toml:2: max-threads: want a whole number, got a number",
		"\ntenant = 3":         "precis.toml:2: tenant: want a table, got a whole number",
		"budget = 64":          "precis.toml: budget: \"64\": 64 tokens",
		"[tenant.x]\ncredential = \"0123456789abcdef01234567\"\nbudget = 64": "precis.toml: tenant.x.budget: 64 tokens",
		"budget = ":                              "precis.toml:1: ",
		"mode = \"loud\"":                        "precis.toml: mode: unknown mode \"loud\"",
		"policy = \"nope\"":                      "precis.toml: policy: ",
		"budget = \"many\"":                      "precis.toml: budget: \"many\"",
		"grace = \"soon\"":                       "precis.toml: grace: \"soon\" is no such time",
		"[upstream]\nopenai = \"ftp://h\"":       "precis.toml: upstream.openai: ",
		"[tool.x]\ndurability = \"iron\"":        "tool.x.durability: \"iron\"",
		"[tool.x]\nttl = \"-1h\"":                "tool.x.ttl: \"-1h\"",
		"[tool.x]\nreplay-cost = \"free\"":       "precis.toml:2: unknown field tool.x.replay-cost",
		"[model.x]\nwindow = -5":                 "model.x: window is -5",
		"[model.x]\nlike = \"nothing\"":          "model.x.like: unknown model",
		"[model.x]\ncache = { ttl = \"long\" }":  "model.x.cache.ttl: \"long\"",
		"[tenant.x]\ncredential = \"sk-live-1\"": "tenant.x.credential: ",
		"[tenant.x]\ncredential = \"0123456789abcdef01234567\"\nmax-threads = -4": "precis.toml: tenant.x.max-threads: must not be negative, got -4",
		"[tenant.\"\"]\ncredential = \"0123456789abcdef01234567\"":                "precis.toml: tenant: a tenant needs a name",
		"[tenant.x]\ncredential = \"0123456789abcdef01234567\"\nbudget = \"no\"":  "tenant.x.budget: ",
		"users = \"one\"\n[tenant.x]\ncredential = \"0123456789abcdef01234567\"":  "precis.toml: users: ",

		"models = \"nowhere.json\"":                  "nowhere.json",
		"summary-url = \"https://h/v1/messages\"":    "needs a URL and a name",
		"summary-native = true":                      "--summary-native needs a model",
		"summary-url = \"h\"\nsummary-model = \"m\"": "summarize with m",
		"otlp = \"http://[::1\"":                     "precis.toml: otlp: ",
		"key = \"\"":                                 "precis.toml: key: it is empty",
		"db = \" \"":                                 "precis.toml: db: it is empty",
		"budget = \"\"":                              "precis.toml: budget: it is empty",
		"[upstream]\nopenai = \"\"":                  "precis.toml: upstream.openai: it is empty",
		"allow-host = [\"a\", \"\"]":                 "precis.toml: allow-host: it is empty",
		"[tool.x]\nttl = \"\"":                       "precis.toml: tool.x.ttl: it is empty",
		"[tenant.\"a b\"]\nmax-stored = \"\"":        "precis.toml: tenant.a b.max-stored: it is empty",
	} {
		path := filepath.Join(t.TempDir(), "precis.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		code := run(t.Context(), []string{"serve", "--check", "--config", path}, nil, io.Discard, &stderr)
		if code == exitOK || !strings.Contains(stderr.String(), want) || strings.Contains(stderr.String(), "sk-live") {
			t.Errorf("%s: exit code %d: %s", text, code, stderr.String())
		}
	}
}

// The command line goes before the file, and the file before what is built in.
func TestConfigOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precis.toml")
	if err := os.WriteFile(path, []byte("mode = \"loud\"\nlisten = \"127.0.0.1:0\"\ndb = \"here.db\"\n[model.\"my-model\"]\nwindow = 9000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	up := newProvider(t)
	s := start(t, "--config", path, "--mode", "compact", "--upstream-openai", up.url)
	send(t, s.url+"/v1/chat/completions", `{"model":"my-model","messages":[{"role":"user","content":"hi"}]}`)
	s.end(t)
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "here.db")); err != nil {
		t.Error(err)
	}
	if text := s.stderr.String(); !strings.Contains(text, "budget=5") { // a share of 9,000
		t.Errorf("log %s", text)
	}
}

// A key that the file knows has its own budget and its own name in the log; the
// file holds only what precis tenant prints of it.
//
// SPEC: V10
func TestConfigTenant(t *testing.T) {
	var who bytes.Buffer
	if code := run(t.Context(), []string{"tenant"}, strings.NewReader("Authorization: Bearer sk-very-secret\n"), &who, io.Discard); code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	hash := strings.TrimSpace(who.String())
	if want := proxy.Credential(http.Header{"Authorization": {"Bearer sk-very-secret"}}); hash != want {
		t.Errorf("printed %q, want %q", hash, want)
	}
	path := filepath.Join(t.TempDir(), "precis.toml")
	if err := os.WriteFile(path, []byte("db = \"p.db\"\n[tenant.mine]\ncredential = \""+hash+"\"\nbudget = \"7k\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	up := newProvider(t)
	s := start(t, "--config", path, "--upstream-anthropic", up.url)
	send(t, s.url+"/v1/messages", asks(1))
	s.end(t)
	if text := s.stderr.String(); !strings.Contains(text, "budget=7000") {
		t.Errorf("log %s", text)
	}
	for _, in := range []string{"", "nothing", "Accept: text/html"} {
		if code := run(context.Background(), []string{"tenant"}, strings.NewReader(in), io.Discard, io.Discard); code != exitUsage {
			t.Errorf("%q: exit code %d", in, code)
		}
	}
}

// Numbers of tokens and bytes may stand without quotes.
func TestConfigTakesNumbers(t *testing.T) {
	c, err := config.Parse("precis.toml", []byte(`budget = 8_000
max-bytes = 20000000
max-held = 512_000_000
max-stored = "500m"
[tenant.x]
credential = "0123456789abcdef01234567"
budget = 64000
max-stored = 900_000
`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range c.Settings() {
		got[s.Flag] = s.Value
	}
	if want := map[string]string{"budget": "8000", "max-bytes": "20000000", "max-held": "512000000", "max-stored": "500m"}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	var o proxy.Options
	if err := c.Apply(&o); err != nil {
		t.Fatal(err)
	}
	if x := o.Tenancy.Named["0123456789abcdef01234567"]; x.Budget != 64_000 || x.Quota.Bytes != 900_000 {
		t.Errorf("%+v", x)
	}
}

// No file makes the program panic, whatever it says.
func FuzzConfig(f *testing.F) {
	page, err := os.ReadFile("../../docs/proxy.md")
	if err != nil {
		f.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```toml\n")
	text, _, _ = strings.Cut(text, "```")
	f.Add([]byte(text))
	f.Add([]byte("budget = 3\n[tool.x]\nttl = \"-1h\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := config.Parse("precis.toml", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read config precis.toml") {
				t.Errorf("the error names no file: %v", err)
			}
			return
		}
		var s server
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		s.flags(flags)
		var o proxy.Options
		if setFlags(c, "precis.toml", flags) != nil || c.Apply(&o) != nil {
			return
		}
		for name := range c.ModelTables {
			if m, _ := o.Models.Lookup(name); m.Window <= 0 {
				t.Errorf("model %q: %+v", name, m)
			}
		}
	})
}

// A conversation that went through the proxy is exported whole, system prompt,
// tools and all.
//
// SPEC: V1, B6
func TestExportOfProxied(t *testing.T) {
	up := newProvider(t)
	db := filepath.Join(t.TempDir(), "p.db")
	s := start(t, "--db", db, "--budget", "4k", "--upstream-anthropic", up.url)
	body := func(n int) string {
		return strings.Replace(asks(n), `"max_tokens":99,`, `"max_tokens":99, "system":"You add.","tools":[{"name":"query","input_schema":{"type":"object"}}],`, 1)
	}
	for n := 1; n < 20; n += 3 {
		send(t, s.url+"/v1/messages", body(n))
	}
	s.end(t)
	var out bytes.Buffer
	if code := run(t.Context(), []string{"thread", "export", "--raw", "--proxied", "--db", db}, nil, &out, io.Discard); code != exitOK || out.String() != body(19) {
		t.Errorf("exit code %d: exported\n%.300s\nsent\n%.300s", code, out.String(), body(19))
	}
	if last := up.bodies[len(up.bodies)-1]; len(last) > len(body(19))/2 {
		t.Error("nothing was compacted")
	}
}
