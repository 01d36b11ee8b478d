package proxy_test

import (
	"strings"
	"testing"
)

// A budget of which the client's own system prompt and tools take most is warned of
// with numbers, once.
//
// SPEC: V9
func TestTightBudgetIsSaid(t *testing.T) {
	a := apis[0]
	a.head = strings.Replace(a.head, "Read a file.", strings.Repeat("It reads a file of the project, whatever it holds. ", 500), 1)
	up := newProvider(t)
	o := options(up.url)
	o.Budget = budget
	f := serve(t, o)
	g := newAgent(t, a, f.url, false)
	g.step()
	g.step()
	log := f.log.String()
	if n := strings.Count(log, "take most of the budget"); n != 1 || !strings.Contains(log, "overhead=") || !strings.Contains(log, "budget=12000") {
		t.Errorf("warned %d times:\n%s", n, log)
	}
	plain := serve(t, options(up.url))
	h := newAgent(t, apis[0], plain.url, false)
	h.step()
	if strings.Contains(plain.log.String(), "take most of the budget") {
		t.Error("warned of a budget with room")
	}
}
