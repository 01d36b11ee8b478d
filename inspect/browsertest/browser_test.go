package browsertest

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

var browser context.Context

func TestMain(m *testing.M) {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		if os.Getenv("CI") != "" {
			fmt.Fprintln(os.Stderr, "the browser tests need Chromium, and there is none: run .ci/chromium")
			os.Exit(1)
		}
		fmt.Fprintln(os.Stderr, "SKIPPED: the browser tests need Chromium, and there is none: .ci/chromium installs it")
		os.Exit(0)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("hide-scrollbars", false))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	var end context.CancelFunc
	browser, end = chromedp.NewContext(ctx)
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, "start the browser:", err)
		os.Exit(1)
	}
	code := m.Run()
	end()
	stop()
	os.Exit(code)
}

// page is one tab, and what went wrong in it.
type page struct {
	*testing.T
	ctx context.Context
	url string

	mu           sync.Mutex
	faults       []string
	failsLoading bool     // the test asks for what is not there
	asked        []string // addresses
}

// screen is the size of a window.
type screen struct {
	width, height int64
	dark          bool
	scale         float64
}

var desktop = screen{width: 1280, height: 860}

// inspector serves a store and returns the address that opens it.
func inspector(t *testing.T, s store.Store, o inspect.Options) string {
	t.Helper()
	o.Token = "token-of-the-test"
	srv := httptest.NewServer(inspect.Handler(s, o))
	t.Cleanup(srv.Close)
	return srv.URL
}

// open opens a tab of its own on a served inspector.
func open(t *testing.T, base string, at screen, hash string) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &page{T: t, ctx: ctx, url: base}
	p.run()
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err },
		func() error { _, err := chromedp.Call(ctx, runtime.Enable, cdp.Empty{}); return err },
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}
	scheme := "light"
	if at.dark {
		scheme = "dark"
	}
	scale := at.scale
	if scale == 0 {
		scale = 1
	}
	p.run(chromedp.EmulateViewport(at.width, at.height, chromedp.EmulateScale(scale)), func(ctx context.Context, _ *chromedp.Target) (none chromedp.Void, err error) {
		_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return none, err
	}, chromedp.Navigate(base+"/?token=token-of-the-test"+hash))
	t.Cleanup(p.check)
	return p
}

func (p *page) listen(e any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
		p.faults = append(p.faults, "exception: "+text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			var words []string
			for _, a := range e.Args {
				words = append(words, string(a.Value)+a.Description)
			}
			p.faults = append(p.faults, "console: "+strings.Join(words, " "))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !strings.Contains(e.Entry.Text, "status of 409") && (!p.failsLoading || !strings.Contains(e.Entry.Text, "Failed to load resource")) {
			p.faults = append(p.faults, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		p.asked = append(p.asked, e.Request.URL)
	}
}

// mayFail says that the test asks for what is not there.
func (p *page) mayFail() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failsLoading = true
}

// check fails where a page wrote an error or asked another host for anything.
func (p *page) check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		p.Errorf("the page reports %s", f)
	}
	home, err := url.Parse(p.url)
	if err != nil {
		p.Fatal(err)
	}
	for _, a := range p.asked {
		if u, err := url.Parse(a); err != nil || u.Host != home.Host && u.Scheme != "data" {
			p.Errorf("the page asked for %s", a)
		}
	}
}

func (p *page) run(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.Fatalf("in the browser: %v", err)
	}
}

// value is what a script gives.
func value[T any](p *page, script string) T {
	p.Helper()
	v, err := run[T](p, script)
	if err != nil {
		p.Fatalf("in the browser: %.300s: %v", script, err)
	}
	return v
}

func run[T any](p *page, script string) (T, error) {
	ctx, stop := context.WithTimeout(p.ctx, 60*time.Second)
	defer stop()
	return chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// until asks a script that must be true within some seconds. A page that is left meanwhile gives no
// answer, and the one after it is asked.
func (p *page) until(what, script string) {
	p.Helper()
	end := time.Now().Add(30 * time.Second)
	for {
		is, err := run[bool](p, "(async () => !!(await ("+script+")))()")
		if err != nil && !strings.Contains(err.Error(), "navigated or closed") {
			p.Fatalf("in the browser: %.300s: %v", script, err)
		}
		if is {
			return
		}
		if time.Now().After(end) {
			p.Fatalf("%s: it never became so. The page says:\n%.1500s", what, p.text("body"))
		}
		time.Sleep(30 * time.Millisecond)
	}
}

func (p *page) text(selector string) string {
	p.Helper()
	return value[string](p, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector))
}

// shows waits until the page says something.
func (p *page) shows(text string) {
	p.Helper()
	p.until("the page shows "+text, fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// goes follows an address of the page.
func (p *page) goes(hash string) {
	p.Helper()
	p.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("location.hash = %q", hash)))
}

// click presses what a person would: a button or a link with a text.
func (p *page) click(text string) {
	p.Helper()
	script := fmt.Sprintf(`[...document.querySelectorAll("dialog[open] button, dialog[open] a")].concat(document.querySelector("dialog[open]") ? [] : [...document.querySelectorAll("button, a, summary")])
		.find((e) => (e.innerText.trim() === %q || e.getAttribute("aria-label") === %q) && !e.disabled)`, text, text)
	p.until("there is "+text+" to press", script)
	p.run(chromedp.Evaluate[chromedp.Void]("(" + script + ").click()"))
}

func (p *page) types(selector, text string) {
	p.Helper()
	p.run(chromedp.Focus(chromedp.CSS(selector)), chromedp.SendKeys(chromedp.CSS(selector), text))
}

func (p *page) keys(keys string) {
	p.Helper()
	p.run(chromedp.KeyEvent(keys))
}

// picture writes a screenshot where PRECIS_PICTURES says.
func (p *page) picture(name string) {
	p.Helper()
	dir := os.Getenv("PRECIS_PICTURES")
	if dir == "" {
		return
	}
	time.Sleep(150 * time.Millisecond)
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		p.Fatal(err)
	}
}

var session = sync.OnceValue(func() []message.Message {
	return testsessions.Session(11, testsessions.Options{Messages: 300}).Messages
})

// simulate logs a conversation as the engine would have compacted it on the way.
func simulate(t testing.TB, s store.Store, name string, budget int, ms []message.Message) {
	t.Helper()
	m, _ := model.Lookup("claude-sonnet-4-5")
	in := precis.Input{Thread: name, Messages: ms, Model: m, Budget: budget, Client: precis.Client{Source: "claude-code"}}
	if err := inspect.Simulate(context.Background(), precis.Options{Store: s}, in); err != nil {
		t.Fatal(err)
	}
}

// made is a store with a few conversations; tests that change it make their own.
var made = sync.OnceValue(func() store.Store {
	s := memory.New()
	t := failing{}
	simulate(t, s, "ledger-import", 24_000, session())
	simulate(t, s, "ledger-import/agent-a81f", 24_000, session()[:40])
	simulate(t, s, "release-notes", 48_000, session()[:90])
	return s
})

// failing stands in for a test where a store is made for several.
type failing struct{ testing.TB }

func (failing) Helper()           {}
func (failing) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
