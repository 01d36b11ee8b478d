package proxy_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
)

// Where it is configured, and only there, the model has a tool to declare what to keep. The
// client sees none of it, and the next summaries quote it.
//
// SPEC: B28
func TestNotesOfTheModelStand(t *testing.T) {
	for _, a := range few(apis) {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			o := options(up.url)
			o.Budget, o.Prompt.Recall, o.Prompt.Notes = 2*budget, proxy.RecallAlways, true
			f := serve(t, o)
			g := newAgent(t, a, f.url, false)
			g.lines = 120
			g.step()
			if !strings.Contains(up.last(), "precis_note") {
				t.Fatal("the tool is not declared")
			}
			const note = "The rack heron_9 must stay empty, since its fan is broken."
			round := 0
			up.speak(a, func(string) *line {
				switch round++; round { // early, before a prompt has more than the half
				case 1:
					return &line{calls: [][3]string{{"n1", "precis_note", `{"text":` + quoted(note) + `,"done":true}`}}}
				case 2:
					return &line{text: "Noted, and on."}
				}
				return nil
			})
			g.step()
			for range 3 {
				g.messages = append(g.messages, userSays(a, "Go on."))
				for range 9 {
					g.step()
				}
				if f.plans(t) > 0 && !strings.Contains(up.last(), "Notes of the agent, in its own words") {
					t.Errorf("no summary quotes the note:\n%.3000s", up.last())
				}
			}
			if f.plans(t) < 2 {
				t.Errorf("%d plans were made", f.plans(t))
			}
			if strings.Contains(g.sent, "heron_9") || strings.Contains(g.sent, "precis_note") {
				t.Error("the client knows of the note")
			}
		})
	}
}
