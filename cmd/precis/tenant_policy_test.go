package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/tool"
)

// clerk is a model that writes summaries. It remembers what it was asked.
type clerk struct {
	mu    sync.Mutex
	asked []string
	fails bool
}

func (c *clerk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, string(body))
	if c.fails {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	_, _ = io.WriteString(w, `{"type":"message","role":"assistant","content":[{"type":"text","text":"The parts were summed one by one."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":9}}`)
}

// tenantFiles is a configuration with two tenants, each with a policy in a file of its
// own, and everybody's.
var tenantFiles = map[string]string{
	"precis.toml": `
policy = "everybody.toml"
budget = "16k"
[tool.run_query]
externalize-at = 1234
[tenant.first]
credential = "%s"
policy = "first.toml"
[tenant.second]
credential = "%s"
policy = "second.toml"
`,
	"everybody.toml": "extends = \"session\"\n[summary]\nprompt = \"Words for all, as {persona}. {messages}\"\npersona = \"clerk of everybody\"\n[rehydration]\ncooldown_turns = 7\n[tools.fetch]\nsensitivity = \"internal\"\n",
	"first.toml": `
extends = "session"
recall_tool = "retrieve_artifact"
cold_after_seconds = 77
cache_point_offset_rounds = 6
[summary]
prompt = "Own words for first, as {persona}. {messages}"
persona = "clerk of first"
temperature = 0.25
max_output_tokens = 321
fallback = false
[rehydration]
cooldown_turns = 5
[tools.query]
ttl = "24h"
`,
	"second.toml": "extends = \"session\"\n[summary]\nprompt = \"Own words for second, as {persona}. {messages}\"\npersona = \"clerk of second\"\n",
}

// tenantsServed is a proxy of those files, for keys.
func tenantsServed(t *testing.T, model, upstream string, keys ...string) (url string, o proxy.Options) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range tenantFiles {
		if name == "precis.toml" {
			var who []any
			for _, k := range keys {
				who = append(who, proxy.Credential(http.Header{"X-Api-Key": {k}}))
			}
			text = fmt.Sprintf(text, who...)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	std := newStreams(strings.NewReader(""), io.Discard, io.Discard)
	s := &server{app: &app{threads: &threads{database: &database{streams: std}}, modelTable: &modelTable{std: std}}}
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.flags(f)
	if err := f.Parse([]string{"--config", filepath.Join(dir, "precis.toml"), "--summary-url", model + "/v1/messages", "--summary-model", "clerk", "--upstream-anthropic", upstream}); err != nil {
		t.Fatal(err)
	}
	if err := s.configure(f); err != nil {
		t.Fatal(err)
	}
	o, err := s.options()
	if err == nil {
		err = s.extras.apply(&o.Engine)
	}
	if err == nil {
		err = s.ofTenants(o.Tenancy.Named, s.file)
	}
	if err != nil {
		t.Fatal(err)
	}
	o.Engine.Store = memory.New()
	p, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(p)
	t.Cleanup(func() {
		front.Close()
		p.Close()
		_ = s.extras.close()
	})
	return front.URL, o
}

func sendAs(t *testing.T, up *provider, key, url, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	<-up.here
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
}

// compacted reports whether the last request left without its first result.
func compacted(up *provider) bool {
	return len(up.bodies) > 0 && !strings.Contains(up.bodies[len(up.bodies)-1], "row 1 of part0:")
}

// A tenant's policy file holds all that --policy takes: the words, the temperature and the
// fallback of the model that writes summaries, what comes back by itself, how results of
// tools are treated, the tool that reads back; nothing is left of everybody's.
//
// SPEC: B24, V10
func TestTenantsHaveAllOfAPolicy(t *testing.T) {
	writer := new(clerk)
	model := httptest.NewServer(writer)
	defer model.Close()
	up := newProvider(t)
	url, o := tenantsServed(t, model.URL, up.url, "sk-first", "sk-second")
	for _, who := range []struct{ key, words, tool string }{
		{"sk-first", "Own words for first, as clerk of first.", "retrieve_artifact"},
		{"sk-second", "Own words for second, as clerk of second.", "precis_read"},
		{"sk-other", "Words for all, as clerk of everybody.", "precis_read"},
	} {
		writer.asked = nil
		up.bodies = nil
		for n := 2; n < 80 && !compacted(up); n++ {
			sendAs(t, up, who.key, url, strings.Replace(asks(n), `"max_tokens":99,`, `"max_tokens":99,"tools":[{"name":"query","input_schema":{"type":"object"}}],`, 1))
		}
		if len(writer.asked) == 0 || !compacted(up) {
			t.Fatalf("%s: no summary was asked for", who.key)
		}
		for _, body := range writer.asked {
			if !strings.Contains(body, who.words) || strings.Count(body, "clerk of") != 1 {
				t.Errorf("%s is told %s", who.key, body)
			}
			var told struct {
				Temperature *float64 `json:"temperature"`
				MaxTokens   int      `json:"max_tokens"`
			}
			if err := json.Unmarshal([]byte(body), &told); err != nil {
				t.Fatal(err)
			}
			if first := who.key == "sk-first"; first != (told.Temperature != nil && *told.Temperature == .25) || first != (told.MaxTokens == 321) {
				t.Errorf("%s: %+v", who.key, told)
			}
		}
		if last := up.bodies[len(up.bodies)-1]; !strings.Contains(last, `"name":"`+who.tool+`"`) || strings.Contains(last, "retrieve_artifact") != (who.tool == "retrieve_artifact") {
			t.Errorf("%s: the model has other tools: %.400s", who.key, last)
		}
	}
	engine := func(name string) precis.Options {
		e := o.Engine
		for _, x := range o.Tenancy.Named {
			if x.Name == name {
				e.Policy = *x.Policy
				x.Engine(&e)
			}
		}
		return e
	}
	first, second, everybody := engine("first"), engine("second"), engine("")
	if !first.NoFallback || second.NoFallback || everybody.NoFallback {
		t.Errorf("no fallback: %t, %t, %t", first.NoFallback, second.NoFallback, everybody.NoFallback)
	}
	if first.Rehydrate.Cooldown != 5 || second.Rehydrate.Cooldown != 0 || everybody.Rehydrate.Cooldown != 7 {
		t.Errorf("comes back: %+v, %+v, %+v", first.Rehydrate, second.Rehydrate, everybody.Rehydrate)
	}
	if first.Policy.ColdAfter != 77 || first.Policy.CacheOffset != 6 {
		t.Errorf("%+v", first.Policy)
	}
	names := func(tools map[string]tool.Policy) (all []string) {
		for name := range tools {
			all = append(all, name)
		}
		slices.Sort(all)
		return all
	}
	if got := fmt.Sprint(names(first.Tools), names(second.Tools), names(everybody.Tools)); got != "[query run_query] [run_query] [fetch run_query]" {
		t.Errorf("tools %s", got)
	}
}

// Where the model that writes summaries fails, a tenant whose policy wants no fallback is
// left as it is within its budget, and another one gets the summary that needs no model.
//
// SPEC: B24
func TestTenantWithoutFallback(t *testing.T) {
	writer := &clerk{fails: true}
	model := httptest.NewServer(writer)
	defer model.Close()
	up := newProvider(t)
	url, _ := tenantsServed(t, model.URL, up.url, "sk-first", "sk-second")
	for key, want := range map[string]bool{"sk-first": false, "sk-second": true} {
		writer.asked = nil
		for n := 2; n < 80 && len(writer.asked) == 0; n++ {
			sendAs(t, up, key, url, asks(n))
		}
		if len(writer.asked) == 0 {
			t.Fatalf("%s: no summary was asked for", key)
		}
		if compacted(up) != want {
			t.Errorf("%s: compacted is not %t: %.300s", key, want, up.bodies[len(up.bodies)-1])
		}
	}
}
