package proxy_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// Built-in tools of the Responses API count as what they are, a screenshot as a picture
// and a program by its code and its result, and a conversation of nothing else is
// compacted. A program is never edited: it has a fingerprint.
//
// SPEC: V1, V3, B6 · WO2
func TestBuiltInItems(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("pixels of a screen", 8000)))
	for name, item := range map[string]func(n int, text string) string{
		"screen": func(n int, text string) string {
			return fmt.Sprintf(`{"type":"computer_call","id":"cu_%[1]d","call_id":"call_%[1]d","actions":[{"type":"type","text":%[2]s}],"pending_safety_checks":[],"status":"completed"},`+
				`{"type":"computer_call_output","call_id":"call_%[1]d","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,%[3]s"}}`, n, text, picture)
		},
		"program": func(n int, text string) string {
			return fmt.Sprintf(`{"type":"program","id":"prog_%[1]d","call_id":"call_%[1]d","code":%[2]s,"fingerprint":"fp"},`+
				`{"type":"function_call","id":"fc_%[1]d","call_id":"call_%[1]d_1","name":"read_file","arguments":"{}","caller":{"type":"program","caller_id":"call_%[1]d"}},`+
				`{"type":"function_call_output","call_id":"call_%[1]d_1","output":"ok","caller":{"type":"program","caller_id":"call_%[1]d"}},`+
				`{"type":"function_call","id":"fc_%[1]d_2","call_id":"call_%[1]d_2","name":"read_file","arguments":"{}","caller":{"type":"program","caller_id":"call_%[1]d"}},`+
				`{"type":"function_call_output","call_id":"call_%[1]d_2","output":"ok","caller":{"type":"program","caller_id":"call_%[1]d"}},`+
				`{"type":"program_output","id":"po_%[1]d","call_id":"call_%[1]d","result":%[2]s,"status":"completed"}`, n, text)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := apiNamed(t, "responses")
			up := newProvider(t)
			o := options(up.url)
			o.Budget = budget
			f := serve(t, o)
			g := newAgent(t, a, f.url, false)
			g.lines = 30
			messages, most := []string{a.first}, 0
			for n := range 25 {
				messages = append(messages, item(n, quoted(g.output(fmt.Sprint(n)))))
				post(t, f.url+a.path, a.body(messages, false))
				sent := up.last()
				most = max(most, strings.Count(sent, `"type":"computer_call"`)+strings.Count(sent, `"type":"program"`+`,"id"`))
				if now := item(n, quoted(g.output(fmt.Sprint(n)))); !strings.Contains(sent, now) {
					t.Errorf("request %d lost its newest items: %.200s … %s", n, now, sent[max(0, len(sent)-900):])
				}
			}
			if most > 20 || most < 2 {
				t.Errorf("a prompt has %d of 25 calls", most)
			}
			if strings.Contains(f.log.String(), "compaction failed") {
				t.Errorf("log: %.2000s", f.log.String())
			}
		})
	}
}

// A screenshot that the budget forces out has no form as text: the request goes as it came,
// and the log says that it is over the budget, by how much, and that it was not compacted.
//
// SPEC: V9
func TestScreenshotOverTheBudgetIsSaid(t *testing.T) {
	picture := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("pixels of a screen", 8000)))
	a := apiNamed(t, "responses")
	up := newProvider(t)
	o := options(up.url)
	o.Budget = 900
	f := serve(t, o)
	wrote := a.body([]string{a.first, `{"type":"computer_call","id":"cu","call_id":"call","action":{"type":"screenshot"},"pending_safety_checks":[],"status":"completed"},` +
		`{"type":"computer_call_output","call_id":"call","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,` + picture + `"}}`}, false)
	post(t, f.url+a.path, wrote)
	if up.last() != wrote {
		t.Errorf("sent %.2000s", up.last())
	}
	log := f.log.String()
	for _, want := range []string{"compaction failed; the request goes as it came", "over the budget of 900", "outcome=failed"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q: %s", want, log)
		}
	}
	if n := strings.Count(log, "level=WARN"); n != 1 {
		t.Errorf("warned %d times: %s", n, log)
	}
	if _, m := get(t, f.url+"/metrics"); strings.Contains(m, `stage="recall"`) {
		t.Error("counted as a failure of the recall tools, too")
	}
}
