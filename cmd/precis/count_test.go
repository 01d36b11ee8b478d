package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A conversation takes as many tokens for count as for compact, whoever names the model
// or nobody, and the rows of count add up to its total.
//
// SPEC: B12, V4
func TestCountAndCompactAgree(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"chinese.jsonl":   `{"role":"user","content":"请把港口的货物清单整理成表格，并说明每一项的重量。"}` + "\n" + `{"role":"assistant","content":"好的，我先读清单。"}` + "\n" + `{"role":"user","content":"继续。"}` + "\n",
		"chat.json":       `{"messages":[{"role":"system","content":"You add."},{"role":"user","content":"Add 4711 and 9."}]}`,
		"anthropic.json":  `{"system":"You add.","max_tokens":9,"messages":[{"role":"user","content":"Add 4711 and 9."}]}`,
		"named.json":      `{"model":"claude-opus-4-5","max_tokens":9,"messages":[{"role":"user","content":"Add 4711 and 9."}]}`,
		"gemini.json":     `{"contents":[{"role":"user","parts":[{"text":"Look."}]}]}`,
		"unlisted.json":   `{"model":"nobody-knows-it","messages":[{"role":"user","content":"Add 4711 and 9."}]}`,
		"codex.jsonl":     `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"0199aaaa-0000-7000-8000-000000000001","cwd":"/w"}}` + "\n" + `{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Add 4711 and 9."}]}}` + "\n",
		"responses.json":  `{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Add."}]}]}`,
		"withtools.json":  `{"system":"Be brief.","max_tokens":9,"tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"Look."}]}`,
		"assistant.jsonl": `{"role":"user","content":"a"}` + "\n" + `{"role":"assistant","content":"b"}` + "\n" + `{"role":"user","content":"c"}` + "\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		precis := func(args ...string) (out, told string) {
			var o, e bytes.Buffer
			if code := run(t.Context(), append(args, "--db", filepath.Join(dir, "p.db")), strings.NewReader(""), &o, &e); code != exitOK {
				t.Fatalf("%s: precis %s: exit code %d: %s", name, strings.Join(args, " "), code, &e)
			}
			return o.String(), e.String()
		}
		var counted struct{ Tokens int }
		var compacted struct{ Tokens tokenTotals }
		in, _ := precis("count", file, "--json")
		out, _ := precis("compact", file, "--budget", "100k", "--json")
		if err := json.Unmarshal([]byte(in), &counted); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(out), &compacted); err != nil {
			t.Fatal(err)
		}
		if counted.Tokens != compacted.Tokens.Original {
			t.Errorf("%s: count says %d, compact %d", name, counted.Tokens, compacted.Tokens.Original)
		}
		page, told := precis("count", file)
		sum := 0
		for _, row := range regexp.MustCompile(`(?m)  +([\d,]+)  +[\d.]+ ?%$`).FindAllStringSubmatch(page, -1) {
			n, err := strconv.Atoi(strings.ReplaceAll(row[1], ",", ""))
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		if sum != counted.Tokens {
			t.Errorf("%s: the rows are %d together, the total is %d:\n%s", name, sum, counted.Tokens, page)
		}
		want := map[string]string{"named.json": "", "unlisted.json": "nobody-knows-it is not known"}
		if hint, ok := want[name]; !ok && !strings.Contains(told, "names no model") || ok && (hint == "") != (told == "") || !strings.Contains(told, hint) {
			t.Errorf("%s: told %q", name, told)
		}
	}
}
