package browsertest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// small is a store with one short conversation, for tests that change it.
func small(t *testing.T) store.Store {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	simulate(t, s, "job", 12_000, session()[:90])
	return s
}

func version(t *testing.T, s store.Store, name string) int {
	t.Helper()
	h, err := s.Head(t.Context(), store.Key{Thread: name})
	if err != nil {
		t.Fatal(err)
	}
	return h.PlanVersion
}

const drawn = "document.querySelectorAll('.row[data-side=log]').length > 5 && document.querySelectorAll('.row[data-side=prompt]').length > 2"

// Every panel shows what it is for.
func TestPanels(t *testing.T) {
	p := open(t, inspector(t, made(), inspect.Options{}), desktop, "")
	p.shows("ledger-import/agent-a81f")
	p.until("figures are there", "document.querySelector('tbody').innerText.includes('claude-sonnet-4-5')")
	p.click("ledger-import")
	p.until("the timeline is drawn", "document.querySelectorAll('.charts canvas').length === 2")
	p.shows("Open this prompt beside the log")
	p.click("Open this prompt beside the log")
	p.until("both lists are drawn", drawn)
	p.click("Plans")
	p.shows("Was it worth it?")
	p.shows("What the summaries say")
	p.click("The sum, term by term")
	p.shows("Break-even")
	p.goes("#/t/ledger-import/search?q=refund")
	p.shows("best first")
	p.goes("#/t/ledger-import/m/60")
	p.shows("What would bring it back")
	p.shows("Who refers to it")
	p.goes("#/events")
	p.shows("no proxy runs beside this page")
}

// Pointing at a message lights up what belongs to it on the other side.
func TestHoverLightsTheOtherSide(t *testing.T) {
	p := open(t, inspector(t, made(), inspect.Options{}), desktop, "#/t/ledger-import/prompt")
	p.until("both lists are drawn", drawn)
	hover := func(side string) {
		p.until("a row of the "+side, fmt.Sprintf(`(() => {
			const el = [...document.querySelectorAll('.row[data-side=%s][data-state=whole]')].at(-1);
			el?.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
			const lit = [...document.querySelectorAll('.row.lit')];
			return lit.length === 2 && new Set(lit.map((e) => e.dataset.row)).size === 1 && new Set(lit.map((e) => e.dataset.side)).size === 2;
		})()`, side))
	}
	hover("log")
	hover("prompt")
	// A summary lights up all that it stands for.
	p.until("the summary is in view", `(document.querySelector('[aria-label=prompt].list').scrollTop = 0, document.querySelector('.row[data-side=prompt][data-state=summarized]'))`)
	p.until("its messages are in view", `(document.querySelector('[aria-label=log].list').scrollTop = 600, document.querySelector('.row[data-side=log][data-n="12"]'))`)
	p.until("they light up", `(document.querySelector('.row[data-side=prompt][data-state=summarized]').dispatchEvent(new MouseEvent('mouseover', { bubbles: true })),
		document.querySelectorAll('.row.lit[data-side=log]').length > 5)`)
}

// What a compaction took out stands above the prompt, with the reason.
func TestDiffToTheStepBefore(t *testing.T) {
	p := open(t, inspector(t, made(), inspect.Options{}), desktop, "#/t/ledger-import/plans")
	p.shows("What changed since plan")
	p.until("the step is named", `[...document.querySelectorAll('.plan header a')].some((a) => a.innerText.startsWith('step'))`)
	value[bool](p, `([...document.querySelectorAll('.plan header a')].find((a) => a.innerText.startsWith('step')).click(), true)`)
	p.until("what left is listed", `document.querySelector('details.gone')`)
	if text := p.text("details.gone summary"); !strings.Contains(text, "left the prompt here") {
		t.Errorf("it says %q", text)
	}
}

// Dragging over the timeline zooms, and the address holds what is shown.
func TestTimelineZoomIsAnAddress(t *testing.T) {
	p := open(t, inspector(t, made(), inspect.Options{}), desktop, "#/t/ledger-import?first=20&last=60")
	p.until("the timeline is drawn", "document.querySelectorAll('.charts canvas').length === 2")
	p.click("Zoom in")
	p.until("the address holds less", "(() => { const q = new URLSearchParams(location.hash.split('?')[1]); return q.get('last') - q.get('first') < 30 })()")
	p.click("Whole thread")
	p.until("the address holds all", "!location.hash.includes('first')")
}

// Actions say what they cost, do it, and an undo takes it back.
func TestActions(t *testing.T) {
	s := small(t)
	p := open(t, inspector(t, s, inspect.Options{By: "ann"}), desktop, "#/t/job/plans")
	p.shows("in force")
	does := func(button, says string, more ...func()) {
		t.Helper()
		was := version(t, s, "job")
		p.click(button)
		p.until("the cost of "+button, "document.querySelector('dialog[open] .cost')")
		if got := version(t, s, "job"); got != was {
			t.Fatalf("asking about %s made plan %d", button, got)
		}
		p.shows(says)
		for _, f := range more {
			f()
		}
		p.click("Do it")
		p.until("the dialog is closed", "!document.querySelector('dialog[open]')")
		if got := version(t, s, "job"); got != was+1 {
			t.Fatalf("%s: plan %d after %d", button, got, was)
		}
		p.shows(fmt.Sprintf("plan %d in force", was+1))
	}
	does("Undo…", "Undoing the last change", func() { p.shows(fmt.Sprintf("plan %d can be restored", version(t, s, "job"))) })
	does("Restore everything…", "Restoring plan 0")
	does("Compact now…", "Compacting now", func() { p.picture("action-light") })
	p.click(records(t, s) + " in all")
	does("Bring back…", "Bringing back record")
	p.goes("#/t/job/m/40")
	p.shows("Message #40")
	does("Pin…", "The pin of #40", func() { p.shows("an undo takes it back") })
	p.shows("pinned")
	does("Unpin…", "The unpin of #40")
	does("Release…", "The release of #40") // what came back is held
	does("Hold…", "The hold of #40")
	p.goes("#/t/job/plans")
	does("Compact now…", "Compacting now")
	p.goes("#/t/job/m/20")
	p.shows("What would bring it back")
	does("Bring it back…", "Bringing back #20")
	p.click("Compact above here…")
	p.until("it says what it would do", "document.querySelector('dialog[open] .cost')")
	p.click("Leave it")
}

func records(t *testing.T, s store.Store) string {
	t.Helper()
	cur, err := s.Plan(t.Context(), store.Key{Thread: "job"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(cur.Records); n != 1 {
		return fmt.Sprintf("%d records", n)
	}
	return "1 record"
}

// A name, an export, an erasure with typed words.
func TestRenameExportErase(t *testing.T) {
	s := small(t)
	p := open(t, inspector(t, s, inspect.Options{By: "ann"}), desktop, "#/t/job")
	p.click("Rename")
	p.until("the name can be typed", "document.querySelector('dialog[open] input')")
	p.types("dialog[open] input", "The <i>refund</i> job")
	p.click("Rename")
	p.until("the new name is the heading", "document.querySelector('h1').innerText === 'The <i>refund</i> job'")
	lines := value[int](p, `(async () => (await (await fetch(document.querySelector('a[download]').href)).text()).trim().split('\n').length)()`)
	if lines != 90 {
		t.Errorf("%d lines are exported, want 90", lines)
	}
	p.goes("#/t/job/m/12")
	p.click("Erase…")
	p.shows("It cannot be undone")
	p.until("nothing can be pressed", "document.querySelector('dialog[open] .danger').disabled")
	p.types("dialog[open] label:nth-of-type(1) input", "a password")
	p.types("dialog[open] label:nth-of-type(2) input", "erase #11")
	p.until("the wrong words do nothing", "document.querySelector('dialog[open] .danger').disabled")
	p.keys(kb.Backspace + "2")
	p.click("Erase for good")
	p.shows("#12 is erased")
	p.shows("a password")
}

// A page that was left open is told of a new plan, and does not act on the old one.
func TestStalePageAndTwoTabs(t *testing.T) {
	s := small(t)
	base := inspector(t, s, inspect.Options{})
	a, b := open(t, base, desktop, "#/t/job/plans"), open(t, base, desktop, "#/t/job/plans")
	a.shows("in force")
	b.shows("in force")
	b.click("Undo…")
	b.until("the cost is there", "document.querySelector('dialog[open] .cost')")
	was := version(t, s, "job")
	a.click("Undo…")
	a.until("the cost is there", "document.querySelector('dialog[open] .cost')")
	a.click("Do it")
	a.shows(fmt.Sprintf("plan %d in force", was+1))
	b.click("Do it")
	b.shows("Nothing was changed")
	if got := version(t, s, "job"); got != was+1 {
		t.Errorf("plan %d is in force, want %d", got, was+1)
	}
	b.click("Show the new plan")
	b.shows(fmt.Sprintf("plan %d in force", was+1))
	e, err := precis.New(precis.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Restore(t.Context(), "job", 0); err != nil {
		t.Fatal(err)
	}
	a.shows(fmt.Sprintf("This thread has changed: plan %d is in force now", was+2))
	a.click("Show it")
	a.shows(fmt.Sprintf("plan %d in force", was+2))
}

// A page that only reads offers no change.
func TestReadOnlyPage(t *testing.T) {
	p := open(t, inspector(t, made(), inspect.Options{ReadOnly: true}), desktop, "#/t/ledger-import/plans")
	p.shows("read only")
	p.click("Undo…")
	p.shows("This page only reads")
	p.until("it cannot be pressed", "document.querySelector('dialog[open] .primary').disabled")
}

// Another policy runs in memory; its prompt and the judges are a click away.
func TestWhatIf(t *testing.T) {
	s := small(t)
	was := version(t, s, "job")
	p := open(t, inspector(t, s, inspect.Options{}), desktop, "#/t/job/whatif?policy=truncate&budget=12000")
	p.until("two timelines are drawn", "document.querySelectorAll('.charts canvas').length === 2")
	p.shows("tokens sent, all requests")
	p.click("Judge both")
	p.shows("needs met word for word")
	p.click("as it would be")
	p.until("the experiment's prompt is drawn", drawn)
	p.shows("This is an experiment")
	if got := version(t, s, "job"); got != was {
		t.Errorf("the experiment made plan %d", got)
	}
}

// What happens is told while it happens.
func TestEventsAreLive(t *testing.T) {
	s, bus := small(t), &event.Bus{}
	p := open(t, inspector(t, s, inspect.Options{Events: bus}), desktop, "#/events")
	p.shows("Listening.")
	p.until("the connection stands", "performance.getEntriesByName(new URL('api/v1/events', location.href).href).length >= 0")
	for range 50 { // the page may not listen yet
		bus.Emit(event.Event{Kind: event.Completed, Thread: "job", TokensBefore: 20_000, TokensAfter: 9_000, Version: 3})
		if value[bool](p, "document.body.innerText.includes('20,000 → 9,000 tokens')") {
			break
		}
		p.until("a moment passes", "new Promise((r) => setTimeout(() => r(true), 50))")
	}
	p.shows("20,000 → 9,000 tokens")
	e, err := precis.New(precis.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Restore(t.Context(), "job", 0); err != nil {
		t.Fatal(err)
	}
	p.shows("thread changed")
}

// hostile is what a conversation may hold to hurt a page.
func hostile() []message.Message {
	line := strings.Repeat("x", 10<<20)
	texts := []string{
		"<script>window.hurt = 1</script><img src=x onerror='window.hurt=2'><svg onload='window.hurt=3'>",
		"\x1b[2J\x1b[31mred\x1b]0;title\x07 \u202egnp.exe\u202c and \u2066isolated",
		"</div></main><iframe src='https://evil.example/'></iframe><a href='javascript:window.hurt=4'>press</a>",
		`{"__proto__":{"polluted":1},"constructor":"x"}`,
		line,
		"\u0000\u0001\u0008 and a lone \xed\xa0\x80 surrogate",
	}
	var ms []message.Message
	for i, text := range texts {
		ms = append(ms, message.TextOf([]message.Role{message.User, message.Assistant}[i%2], text))
	}
	call := message.Part{Kind: message.Call, CallID: "c", Name: "read\u202egnp", Args: "{}"}
	result := message.Part{Kind: message.Result, CallID: "c", Parts: []message.Part{{Kind: message.Text, Text: "done"}}}
	return append(ms, message.TextOf(message.User, "go on"), message.Message{Role: message.Assistant, Parts: []message.Part{call}}, message.Message{Role: message.Tool, Parts: []message.Part{result}})
}

// Text of a conversation is shown and never acts.
func TestHostileContent(t *testing.T) {
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	name := "<img src=x onerror=alert(1)>/..%2f"
	simulate(t, s, name, 150_000, hostile())
	p := open(t, inspector(t, s, inspect.Options{}), desktop, "")
	p.shows("<img src=x onerror=alert(1)>")
	p.click(name)
	p.until("the timeline is drawn", "document.querySelector('.charts canvas')")
	at := value[string](p, "location.hash.split('?')[0]")
	p.goes(at + "/prompt")
	p.until("the log is drawn", "document.querySelectorAll('.row[data-side=log]').length > 3")
	const tools = "[...document.querySelectorAll('.tool')].map((e) => e.innerText).join()"
	p.until("the rows name the tool as it is", tools+".includes('read⟨U+202E⟩gnp') && !/\\u202e/.test("+tools+")")
	p.goes(at + "/m/8")
	p.until("so does a message", tools+".includes('read⟨U+202E⟩gnp') && !/\\u202e/.test("+tools+")")
	p.goes(at + "/m/1")
	p.shows("<script>window.hurt = 1</script>")
	p.goes(at + "/m/2")
	p.shows("␛red")
	p.shows("⟨U+202E⟩gnp.exe⟨U+202C⟩")
	p.goes(at + "/m/5")
	p.until("the first piece of the long line is shown", "document.querySelector('.said pre')?.innerText.length === 65536")
	p.click("Show more")
	p.until("so is the next", "document.querySelectorAll('.said pre').length === 2")
	if value[bool](p, "document.documentElement.scrollWidth > innerWidth") {
		t.Error("the long line makes the page wider than the window")
	}
	p.goes(at + "/search?q=" + "iframe")
	p.shows("best first")
	if value[bool](p, "window.hurt !== undefined || ({}).polluted !== undefined || document.querySelector('iframe, main script, main img') !== null") {
		t.Error("text of the conversation acted")
	}
}

// All of it can be done without a mouse.
func TestKeyboardOnly(t *testing.T) {
	p := open(t, inspector(t, made(), inspect.Options{}), desktop, "#/t/ledger-import")
	p.until("the timeline is drawn", "document.querySelectorAll('.charts canvas').length === 2")
	p.keys(kb.ArrowLeft)
	p.until("the step before is chosen", "location.hash.includes('step=142')")
	p.keys(kb.ArrowLeft + kb.ArrowLeft)
	p.until("two more", "location.hash.includes('step=140')")
	p.keys(kb.Enter)
	p.until("its prompt is open", "location.hash.includes('/prompt?step=140')")
	p.until("both lists are drawn", drawn)
	p.until("the step is summed up", "document.querySelector('.prompt .bar .lead')?.innerText.includes('in the prompt')")
	p.until("the log has the focus", "(document.querySelector('[aria-label=log].list').focus(), document.activeElement.getAttribute('aria-label') === 'log')")
	p.keys(kb.End + kb.ArrowUp + kb.ArrowUp)
	p.until("a message is chosen, and read", "document.querySelector('.row.active .no')")
	p.keys(kb.Enter)
	p.shows("What became of it")
	p.keys("/")
	p.until("search has the focus", "document.activeElement.type === 'search'")
	p.keys("refund" + kb.Enter)
	p.shows("best first")
	p.until("away from the field", "(document.activeElement.blur(), true)")
	p.keys("?")
	p.shows("the views of a thread")
	p.keys(kb.Escape)
	p.until("help is closed", "!document.querySelector('dialog[open]')")
	p.keys("3")
	p.shows("Was it worth it?")
	for i := range 25 { // every stop on the way can be seen
		p.keys(kb.Tab)
		if !value[bool](p, "(() => { const e = document.activeElement, r = e.getBoundingClientRect(); return e !== document.body && r.width > 0 && r.height > 0 })()") {
			t.Errorf("stop %d is nowhere: %s", i+1, value[string](p, "document.activeElement.outerHTML.slice(0, 200)"))
		}
	}
}

// On a telephone nothing is cut off.
func TestPhoneWidth(t *testing.T) {
	p := open(t, inspector(t, made(), inspect.Options{}), screen{width: 360, height: 740, scale: 2}, "")
	for _, at := range []string{"#/", "#/t/ledger-import", "#/t/ledger-import/prompt", "#/t/ledger-import/plans", "#/t/ledger-import/m/60", "#/t/ledger-import/whatif", "#/t/ledger-import/search?q=refund", "#/events"} {
		p.goes(at)
		p.until("it is read", "document.querySelector('main').innerText.length > 50 && !document.querySelector('.wait')")
		if wide := value[int](p, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%s is %d pixels wide: %s", at, wide, value[string](p, "[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > 361 && !e.closest('.scroll, .tabs, .list')).slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join(' | ')"))
		}
		if value[bool](p, "(() => { const t = document.querySelector('.tabs'); return !!t && t.scrollWidth > t.clientWidth })()") {
			t.Errorf("%s: not all views can be chosen without scrolling their names", at)
		}
		if at == "#/t/ledger-import" {
			p.until("the timeline is drawn", "document.querySelectorAll('.charts canvas').length === 2")
			p.picture("phone-light")
		}
	}
}

// Every panel passes axe's rules, dark and light.
func TestAccessibility(t *testing.T) {
	axe, err := os.ReadFile("../web/node_modules/axe-core/axe.min.js")
	if os.IsNotExist(err) && os.Getenv("CI") == "" {
		t.Skip("axe-core is not there: make web installs it")
	}
	if err != nil {
		t.Fatal(err)
	}
	base := inspector(t, made(), inspect.Options{})
	for _, dark := range []bool{false, true} {
		at := desktop
		at.dark = dark
		p := open(t, base, at, "")
		value[int](p, string(axe)+"; 0")
		for _, hash := range []string{"#/", "#/t/ledger-import", "#/t/ledger-import/prompt?step=135", "#/t/ledger-import/plans", "#/t/ledger-import/m/60", "#/t/ledger-import/whatif?policy=truncate&budget=32000", "#/t/ledger-import/search?q=refund", "#/events"} {
			p.goes(hash)
			p.until("it is read", "document.querySelector('main').innerText.length > 50 && !document.querySelector('.wait')")
			found, err := run[[]violation](p, `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }).then((r) => r.violations.map((v) => ({ id: v.id, help: v.help, at: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")) })))`)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range found {
				t.Errorf("%s (dark %v): %s: %s\n  %s", hash, dark, v.ID, v.Help, strings.Join(v.At, "\n  "))
			}
		}
	}
}

type violation struct {
	ID   string   `json:"id"`
	Help string   `json:"help"`
	At   []string `json:"at"`
}
