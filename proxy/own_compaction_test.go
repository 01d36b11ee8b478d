package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
)

// A client compacts its conversation itself: it has the model write a summary and begins
// again with it. The new conversation reaches all of the old one, under names of its
// own, also after that is compacted once more; somebody who does not hold the summary
// reaches nothing, and neither does another user who does.
//
// SPEC: B23, V10, B8
func TestOwnCompactionIsLinked(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := options(up.url)
		o.Budget, o.Tenancy.UserHeaders = budget, []string{"X-User"}
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream, "X-User", "anna")
		for range 4 {
			g.step()
		}
		begin := func(n int, user string, from *agent) *agent {
			text := fmt.Sprintf("Part %d. %s", n, strings.Repeat(fmt.Sprintf("The nightly build was looked into in part %d; its files were read one by one. ", n), 4))
			up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
				r := fakeprovider.Reply{ID: fmt.Sprintf("s%d", n), Model: a.model, Text: "<summary>" + text + "</summary>", Input: 10, Output: 10}
				if stream {
					up.send(w, "text/event-stream", r.Stream(a.name))
				} else {
					up.send(w, "application/json", r.Whole(a.name))
				}
				return true
			}
			from.messages = append(from.messages, userSays(a, "Summarize all of this."))
			from.step()
			up.answer = nil
			h := newAgent(t, a, f.url, stream, "X-User", user)
			h.messages = []string{strings.Replace(a.first, "Find out why", "This session goes on from an earlier one.\\n\\n"+text+"\\n\\nFind out why", 1)}
			return h
		}
		// The model looks for a line of the first conversation.
		asks := func(h *agent, name string) (shown string) {
			t.Helper()
			up.speak(a, func(body string) *line {
				if i := strings.Index(body, `"r2"`); i >= 0 {
					shown = body[strings.Index(body, `"r1"`):]
					return &line{text: "Found."}
				}
				return &line{calls: [][3]string{look("r1", `{"query":"step_call_0002_7"}`), {"r2", "precis_read", `{"id":"` + name + `#3"}`}}}
			})
			h.step()
			up.answer = nil
			return shown
		}
		h := begin(1, "anna", g)
		if got := asks(h, "earlier1:"); !strings.Contains(got, "earlier1:#") || !strings.Contains(got, "call_0002:8: func step_call_0002_7") || !strings.Contains(got, "earlier1:#3,") {
			t.Errorf("the look-up showed %s", got)
		}
		i := begin(2, "anna", h)
		if got := asks(i, "earlier2:"); !strings.Contains(got, "earlier2:#3,") || !strings.Contains(got, "step_call_0002_7(total") {
			t.Errorf("two compactions on, the look-up showed %s", got)
		}
		other := begin(3, "bert", i)
		other.step()
		if strings.Contains(up.last(), "precis_grep") {
			t.Error("another user's conversation goes on from this one")
		}
		stranger := newAgent(t, a, f.url, stream, "X-User", "anna")
		stranger.messages[0] = strings.Replace(a.first, "Find out why", "Say why", 1)
		stranger.step()
		if strings.Contains(up.last(), "precis_grep") {
			t.Error("a conversation without the summary goes on from this one")
		}
	})
}
