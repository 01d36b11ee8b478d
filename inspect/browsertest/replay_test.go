package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/replay"
	"github.com/seed-3db51b0e/precis/replay/report"
)

// replayed is the page of a comparison of baselines on generated sessions.
func replayed(t *testing.T) string {
	t.Helper()
	var policies []replay.Policy
	var names []string
	for _, name := range []string{"dropmid40", "window", "strawman", "none", "oracle"} {
		p, _ := replay.Baseline(name)
		p.Controlled = len(policies) == 0
		policies, names = append(policies, p), append(names, name)
	}
	dir := t.TempDir()
	runs := func(yield func(replay.Run, error) bool) {
		for seed := range uint64(3) {
			s := testsessions.Session(seed+1, testsessions.Options{Dialect: testsessions.OpenAI, Messages: 150})
			if !yield(replay.Run{ID: fmt.Sprintf("a-run-with-a-long-name-%d", seed), Source: "sessions-that-were-made", Messages: s.Messages}, nil) {
				return
			}
		}
	}
	j := replay.Judge{
		Count: func(m message.Message) (n int) {
			for i := range m.Parts {
				n += 4 + len(m.Parts[i].Body())/4
			}
			return n
		},
		Ask:  replay.Ask{Judges: []string{replay.AskReuse, replay.AskRedo, replay.AskRules, replay.AskControls}, Every: 10},
		Keep: report.Prompts(dir),
	}
	c, err := replay.Compare(t.Context(), runs, replay.Options{Judge: j, Policies: policies, Budgets: []int{8000}})
	if err != nil {
		t.Fatal(err)
	}
	res := report.Result{
		Corpus: []string{"/home/somebody/recordings/sessions-that-were-made.jsonl.gz"}, Runs: 3, Model: "gpt-4.1",
		Every: 10, Verdict: c.Conclusions(), Rows: c.Rows, Pitfalls: c.Pitfalls(j),
	}
	if _, err := report.Write(dir, res, c, names); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, filepath.Join(dir, "page.html")) })
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// The page of a comparison holds on a phone and on a desk: nothing is wider than the
// screen but what scrolls by itself, and a lost value leads to the prompt that lacked it.
//
// SPEC: B21
func TestReplayPage(t *testing.T) {
	base := replayed(t)
	for _, at := range []screen{{width: 360, height: 740, scale: 2}, desktop} {
		p := open(t, base, at, "")
		p.until("it is read", "document.querySelectorAll('.panels svg').length > 8")
		p.narrow(at)
		p.picture(fmt.Sprintf("replay-%d", at.width))
		value[int](p, "document.querySelectorAll('details.misses').forEach((d) => { d.open = true }); 0")
		p.narrow(at)
		value[int](p, "document.querySelector('details.misses a').click(); 0")
		p.until("the prompt is read", "document.querySelectorAll('pre').length > 3 && document.querySelector('h1').innerText.startsWith('What ')")
		p.narrow(at)
	}
}

// narrow wants a page that is no wider than the screen.
func (p *page) narrow(at screen) {
	p.Helper()
	if wide := value[int](p, "document.documentElement.scrollWidth"); wide > int(at.width) {
		p.Errorf("the page is %d pixels wide of %d: %s", wide, at.width, value[string](p, fmt.Sprintf("[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > %d && !e.closest('.wide')).slice(0, 3).map((e) => e.outerHTML.slice(0, 120)).join(' | ')", at.width+1)))
	}
}
