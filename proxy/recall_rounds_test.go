package proxy_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-3db51b0e/precis/event"
)

// In the last round that may look up the model is told so, and answers; a call beyond that
// ends the answer with a word, a line in the log and an event.
//
// SPEC: B8, V9
func TestLastLookUp(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := options(up.url)
		o.Budget = budget
		var failed atomic.Int32
		o.Engine.Events = &event.Bus{}
		o.Engine.Events.Subscribe(func(e event.Event) {
			if e.Kind == event.Failed && e.Outcome == "look_ups_used_up" {
				failed.Add(1)
			}
		}, event.Options{})
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		rounds, obeys := 0, true
		up.speak(a, func(body string) *line {
			rounds++
			if obeys && strings.Contains(body, "No look-up is left") {
				return &line{text: "It is part 3."}
			}
			return &line{calls: [][3]string{look(fmt.Sprintf("r%t%d", obeys, rounds), `{"query":"step"}`)}}
		})
		g.step()
		if got := texts(g.answer()); rounds != 5 || !strings.Contains(got, "It is part 3.") || strings.Contains(f.log.String(), "not answered") {
			t.Errorf("%d rounds, the client got %s", rounds, g.answer().Raw)
		}
		g.messages = append(g.messages, userSays(a, "And?"))
		rounds, obeys = 0, false
		g.step()
		if err := o.Engine.Events.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := texts(g.answer()); !strings.Contains(got, "used up") || !strings.Contains(f.log.String(), `reason="used up"`) || failed.Load() != 1 {
			t.Errorf("%d events, the client got %s", failed.Load(), g.answer().Raw)
		}
	})
}

// Further pages of one message do not count as look-ups.
//
// SPEC: B8
func TestPagesOfOneMessage(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		up := newProvider(t)
		o := options(up.url)
		o.Budget = budget
		f := serve(t, o)
		g := newAgent(t, a, f.url, stream)
		g.lines = 16
		planned(t, up, g)
		rounds := 0
		up.speak(a, func(body string) *line {
			if rounds++; rounds > 8 {
				return &line{text: "Read."}
			}
			if strings.Contains(body, "No look-up is left") {
				t.Errorf("round %d: told", rounds)
			}
			return &line{calls: [][3]string{{fmt.Sprintf("r%d", rounds), "precis_read", fmt.Sprintf(`{"id":"#3","from_line":%d}`, rounds)}}}
		})
		g.step()
		if got := texts(g.answer()); rounds != 9 || !strings.Contains(got, "Read.") {
			t.Errorf("%d rounds, the client got %s", rounds, g.answer().Raw)
		}
	})
}
