package browsertest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// A thread that nobody named is told from others by what its user said first, in the list and above
// its views.
//
// SPEC: B13
func TestThreadsAreKnownByTheirBeginning(t *testing.T) {
	p := open(t, inspector(t, small(t), inspect.Options{}), desktop, "")
	begins := strings.Fields(session()[0].Parts[0].Text)[:3]
	p.until("the list has the beginning", "document.querySelector('tbody .begins')")
	if text := p.text("tbody .begins"); !strings.HasPrefix(text, strings.Join(begins, " ")) {
		t.Errorf("it begins %q, want %q", text, begins)
	}
	p.click("job")
	p.until("so has the thread", "document.querySelector('.name .begins')")
}

// A list without threads says whose it is, and does not say that the database is empty: another
// tenant's threads may be in it.
//
// SPEC: B13
func TestEmptyListSaysWhose(t *testing.T) {
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	es := thread.Extend("", []message.Message{message.TextOf(message.User, "hi")})
	if _, err := s.Append(t.Context(), store.Key{Tenant: "ann", Thread: "hers"}, store.Batch{Entries: es, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ tenant, says string }{
		{"", "Where a proxy tells users apart, precis inspect --tenant NAME shows those of one."},
		{"bob", "This database holds no thread of the tenant bob."},
		{"ann", "1 thread"},
	} {
		p := open(t, inspector(t, s, inspect.Options{Tenant: x.tenant}), desktop, "")
		p.shows(x.says)
		if text := p.text("header.top"); strings.Contains(text, "tenant") != (x.tenant != "") || !strings.Contains(text, x.tenant) {
			t.Errorf("tenant %q: the head says %q", x.tenant, text)
		}
	}
}

// What would bring a message back says so where the next request would be over the budget then.
//
// SPEC: B13
func TestReturnOverTheBudgetIsSaid(t *testing.T) {
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	ms := append([]message.Message{message.TextOf(message.User, "Read it."), message.TextOf(message.Assistant, strings.Repeat("a long reading of berth 12. ", 1200))}, session()[:90]...)
	simulate(t, s, "job", 12_000, ms)
	p := open(t, inspector(t, s, inspect.Options{}), desktop, "#/t/job/m/2")
	p.shows("What would bring it back")
	p.shows("the next request is compacted again before it goes out")
	if text := p.text("nav[aria-label=neighbours]"); strings.Join(strings.Fields(text), " ") != "‹ #1 #3 ›" {
		t.Errorf("beside #2: %q", text)
	}
	p.goes("#/t/job/m/1")
	p.until("before the first is none", "document.querySelector('nav[aria-label=neighbours]')?.innerText.trim() === '#2 ›'")
	p.goes("#/t/job/m/92")
	p.until("after the last is none", "document.querySelector('nav[aria-label=neighbours]')?.innerText.trim() === '‹ #91'")
}

// A thread that is not there is said to be so, with a way back to those that are.
//
// SPEC: B13
func TestMissingThreadLeadsBack(t *testing.T) {
	p := open(t, inspector(t, small(t), inspect.Options{}), desktop, "")
	p.shows("1 thread")
	p.mayFail()
	p.goes("#/t/gone")
	p.shows("There is no thread gone here.")
	p.click("All threads")
	p.shows("1 thread")
}

// A page whose server does not answer says so, and reads again without being loaded anew.
//
// SPEC: B13
func TestServerThatIsAwayAndBack(t *testing.T) {
	var away atomic.Bool
	page := inspect.Handler(small(t), inspect.Options{Token: "token-of-the-test"})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			panic(http.ErrAbortHandler)
		}
		page.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	p := open(t, srv.URL, desktop, "#/t/job/plans")
	p.shows("in force")
	p.mayFail()
	away.Store(true)
	p.goes("#/t/job/prompt")
	p.shows("The server cannot be reached.")
	away.Store(false)
	p.click("Try again")
	p.until("both lists are drawn", drawn)
	p.until("no fault is left", "!document.querySelector('.fault')")
}

// From what left a prompt it is one step to the values that left with it; the address holds the list.
//
// SPEC: B12
func TestPromptLeadsToWhatLeft(t *testing.T) {
	p := open(t, inspector(t, made(), inspect.Options{}), desktop, "#/t/ledger-import/plans")
	p.until("the step is named", `[...document.querySelectorAll('.plan header a')].some((a) => a.innerText.startsWith('step'))`)
	value[bool](p, `([...document.querySelectorAll('.plan header a')].find((a) => a.innerText.startsWith('step')).click(), true)`)
	p.until("what left is listed", `document.querySelector('details.gone')`)
	p.until("it is opened", `(document.querySelector('details.gone').open = true, document.querySelector('details.gone a'))`)
	p.click("The paths, commands, numbers and ids that left with them")
	p.shows("the most mentioned, and where first")
	if kinds := p.text(".lost tbody"); !strings.Contains(kinds, "paths") && !strings.Contains(kinds, "numbers") {
		t.Errorf("the kinds are %q", kinds)
	}
}

// A search calls what became of a message as the lists do, in the same colour.
//
// SPEC: B13
func TestSearchCallsStatesAsTheListsDo(t *testing.T) {
	p := open(t, inspector(t, made(), inspect.Options{}), desktop, "#/t/ledger-import/search?q=refund&covered=1")
	p.until("a hit is summarized", "document.querySelector('.hits .chip.s-summarized')?.innerText === 'summarized'")
}

// The same message is shown when an experiment is left.
//
// SPEC: B13
func TestLeavingAnExperimentKeepsTheMessage(t *testing.T) {
	p := open(t, inspector(t, small(t), inspect.Options{}), desktop, "#/t/job/whatif?policy=truncate&budget=12000")
	p.click("as it would be")
	p.until("the experiment's prompt is drawn", drawn)
	p.until("a message of it", "(location.hash = location.hash.replace(/prompt.step=\\d+/, 'm/40?x=1'), location.hash.includes('/m/40'))")
	p.shows("Message #40")
	p.shows("This is an experiment")
	p.click("Show what was really sent")
	p.until("it is what was sent", "!location.hash.includes('sim=')")
	p.shows("Message #40")
}

// The timeline is asked for once: a scroll bar that comes with it changes no width.
//
// SPEC: B13
func TestTimelineIsAskedForOnce(t *testing.T) {
	p := open(t, inspector(t, made(), inspect.Options{}), screen{width: 1280, height: 500}, "#/t/ledger-import")
	p.until("the timeline is drawn", "document.querySelectorAll('.charts canvas').length === 2")
	p.until("a moment passes", "new Promise((r) => setTimeout(() => r(true), 300))")
	if n := value[int](p, "performance.getEntriesByType('resource').filter((e) => e.name.includes('/timeline?')).length"); n != 1 {
		t.Errorf("it is asked for %d times", n)
	}
}
