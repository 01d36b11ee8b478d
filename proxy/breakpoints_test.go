package proxy_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
)

// OpenAI's caches find the beginning of a prompt at breakpoints only, from GPT-5.6 on: at the end of an
// earlier request, and where it was given one. The last excerpts of a summary have one each, so that
// the next compaction, which adds an excerpt, finds the one before. No other message has one, and no
// request whose host may not know them.
//
// SPEC: V6, V11, B21 · WO7
func TestExcerptsAtBreakpoints(t *testing.T) {
	const cache, mark = `"prompt_cache_options":{"mode":"implicit"},`, `"prompt_cache_breakpoint":{"mode":"explicit"}`
	for _, name := range []string{"openai", "responses"} {
		for _, member := range []string{cache, ""} {
			t.Run(name+member, func(t *testing.T) {
				a := apiNamed(t, name)
				a.model, a.head = "gpt-6.1-sol", member+a.head
				up := newProvider(t)
				o := options(up.url)
				o.Budget = budget
				f := serve(t, o)
				g := newAgent(t, a, f.url, true)
				written := map[string]bool{}
				compacted, found, state := 0, 0, ""
				for n := range 100 {
					g.step()
					body := up.requests()[n].body
					ends := breakpoints(t, a.codec, body, mark)
					if len(ends) > 3 || member == "" && len(ends) > 0 {
						t.Fatalf("%d breakpoints in %s", len(ends), body)
					}
					if _, now, ok := strings.Cut(body, "[Summary v"); ok && now[:300] != state {
						state = now[:300]
						compacted++
						if slices.ContainsFunc(ends, func(e string) bool { return written[e] }) {
							found++
						}
					}
					for _, e := range ends {
						written[e] = true
					}
				}
				if compacted < 6 || (found >= compacted/2) != (member != "") {
					t.Errorf("of %d compactions %d begin as the one before", compacted, found)
				}
			})
		}
	}
}

// breakpoints are digests of what stands before each breakpoint of a request.
func breakpoints(t *testing.T, c codec.Codec, body, mark string) (ends []string) {
	t.Helper()
	req, err := c.Decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, m := range req.Messages {
		fmt.Fprint(h, m.Role)
		for _, p := range m.Parts {
			fmt.Fprint(h, p.Kind, p.Text, p.Name, p.Args, p.Parts)
		}
		if strings.Contains(string(m.Raw), mark) {
			if !strings.Contains(string(m.Raw), "Lines of the log") {
				t.Fatalf("a breakpoint in %s", m.Raw)
			}
			ends = append(ends, fmt.Sprintf("%x", h.Sum(nil)))
		}
	}
	return ends
}
