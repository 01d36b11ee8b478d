package browsertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/internal/testplans"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// dropped is a store whose first plan drops one message and whose second drops another, which ran
// a command with markup and a sign that turns text around.
func dropped(t *testing.T) store.Store {
	t.Helper()
	ms := []message.Message{
		message.TextOf(message.User, "Go."), message.TextOf(message.Assistant, "see src/first.go"), message.TextOf(message.User, "on"),
		message.TextOf(message.Assistant, "see src/second.go"), message.TextOf(message.User, "on"),
	}
	ms[3].Parts = append(ms[3].Parts, message.Part{Kind: message.Call, CallID: "1", Name: "bash", Args: `{"command":"echo <img src=x onerror='window.hurt=1'> \u202e"}`})
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() }) // it holds nothing outside of memory
	testplans.Dropping(t, s, store.Key{Thread: "job"}, ms, 1, 3)
	return s
}

// lostAsked says whether the page asked what left.
func (p *page) lostAsked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.asked, func(a string) bool { return strings.Contains(a, "/lost") })
}

// A plan names what left the prompt with it, as text, and what had left before; it is counted only for
// whoever opens it.
//
// SPEC: B12
func TestPlanNamesWhatLeft(t *testing.T) {
	p := open(t, inspector(t, dropped(t), inspect.Options{}), desktop, "#/t/job/plans/2")
	p.shows("What changed since plan 1")
	if p.lostAsked() {
		t.Error("it is counted before it is opened")
	}
	p.click("Paths, commands, numbers and ids that left the prompt with this version")
	p.shows("stood in the prompt under plan 1")
	p.shows("src/second.go #4")
	p.shows("echo <img src=x onerror='window.hurt=1'> ⟨U+202E⟩ #4")
	if text := p.text(".lost"); strings.Contains(text, "first.go") || value[bool](p, "!!window.hurt || !!document.querySelector('main img')") {
		t.Errorf("it says %s", text)
	}
	p.click("All that left so far: of everything in the log")
	p.shows("src/first.go #2")
	p.goes("#/t/job/plans/1")
	p.shows("What changed since plan 0")
	p.click("Paths, commands, numbers and ids that left the prompt with this version")
	p.shows("among those that the log has")
	if text := p.text(".lost"); !strings.Contains(text, "src/first.go #2") || strings.Contains(text, "second.go") || strings.Contains(text, "so far") {
		t.Errorf("it says %s", text)
	}
}
