package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// A file that leads to the address opens the page, as precis inspect starts the browser.
func TestOpenedByAFile(t *testing.T) {
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	batch := store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, "hi")}), Now: time.Now()}
	if _, err := s.Append(t.Context(), store.Key{Thread: "the only one"}, batch); err != nil {
		t.Fatal(err)
	}
	base := inspector(t, s, inspect.Options{})
	file := filepath.Join(t.TempDir(), "open.html")
	html := fmt.Sprintf(`<!doctype html><meta http-equiv="refresh" content="0; url=%s/?token=token-of-the-test">`, base)
	if err := os.WriteFile(file, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &page{T: t, ctx: ctx, url: base}
	p.run()
	p.run(chromedp.Navigate("file://" + file))
	p.until("the page lists the thread", `document.body?.innerText.includes("the only one")`)
}
