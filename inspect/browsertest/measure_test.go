package browsertest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// mostBundle is what the page may weigh, compressed.
const mostBundle = 150 << 10

// bundle is the size of the built page, compressed.
func bundle(t *testing.T) (bytesOf int) {
	t.Helper()
	for _, pattern := range []string{"../dist/*.html", "../dist/assets/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
			_, _ = z.Write(data)
			_ = z.Close()
			bytesOf += b.Len()
		}
	}
	return bytesOf
}

func TestBundleSize(t *testing.T) {
	if n := bundle(t); n > mostBundle {
		t.Errorf("the page weighs %d bytes compressed, at most %d", n, mostBundle)
	}
}

// long is a conversation of n messages, in rounds of a short call and its result.
func long(n int) []message.Message {
	ms := make([]message.Message, 0, n)
	for i := 0; len(ms) < n; i++ {
		if i%20 == 0 {
			ms = append(ms, message.TextOf(message.User, fmt.Sprintf("On with ticket %d: the fee of a refund is wrong for seats of row %d.", i/20, i%37)))
		}
		id := fmt.Sprint("call-", i)
		file := fmt.Sprintf("internal/refund/fee_%d.go", i%211)
		ms = append(ms,
			message.Message{Role: message.Assistant, Parts: []message.Part{
				{Kind: message.Text, Text: "I look at " + file + " next."},
				{Kind: message.Call, CallID: id, Name: "read_file", Args: fmt.Sprintf(`{"path":%q}`, file)},
			}},
			message.Message{Role: message.User, Parts: []message.Part{{
				Kind: message.Result, CallID: id, Name: "read_file",
				Parts: []message.Part{{Kind: message.Text, Text: fmt.Sprintf("package refund\n\n// Fee%d returns the fee in cents of seat %d.\nfunc Fee%d(cents int) int { return cents*%d/100 }\n", i, i*7, i, i%9)}},
			}}})
	}
	return ms[:n]
}

// TestMeasure prints what make bench shows: with PRECIS_MEASURE=1.
func TestMeasure(t *testing.T) {
	if os.Getenv("PRECIS_MEASURE") == "" {
		t.Skip("PRECIS_MEASURE=1 measures")
	}
	fmt.Printf("inspector: the page weighs %d KB compressed\n", bundle(t)>>10)
	for _, n := range []int{1_000, 100_000} { // messages
		s := memory.New() // the page may still read when the loop goes on
		began := time.Now()
		cheap, err := policy.Named("truncate")
		if err != nil {
			t.Fatal(err)
		}
		m, _ := model.Lookup("claude-sonnet-4-5")
		e, err := precis.New(precis.Options{Store: s, Policy: cheap})
		if err != nil {
			t.Fatal(err)
		}
		in := precis.Input{Thread: "long", Model: m, Budget: max(n*3, 20_000), Continue: true, Client: precis.Client{Source: "claude-code", Idle: 1}}
		for all := long(n); len(all) > 0; all = all[len(in.Messages):] {
			in.Messages = all[:min(len(all), max(n/200, 1))] // a request in between would take a pass over the log each
			if _, err := e.Prepare(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		e.Close()
		fmt.Printf("inspector: %d messages: logged and compacted in %v\n", n, time.Since(began).Round(time.Second))
		base := inspector(t, s, inspect.Options{})
		p := open(t, base, desktop, "#/t/long")
		drawn := "performance.getEntriesByName('precis:timeline').length > 0"
		p.until("the timeline is drawn", drawn)
		first := value[float64](p, "performance.getEntriesByName('precis:timeline')[0].startTime")
		var again []float64
		for range 5 {
			p.run(chromedp.Reload())
			p.until("the timeline is drawn", drawn)
			again = append(again, value[float64](p, "performance.getEntriesByName('precis:timeline')[0].startTime"))
		}
		slices.Sort(again)
		fmt.Printf("inspector: %d messages: timeline drawn after %.0f ms (median of 5), %.0f ms when the thread is not in memory yet\n", n, again[2], first)
		p.goes("#/t/long/prompt")
		p.until("both lists are drawn", "document.querySelectorAll('.row[data-side=log]').length > 5 && document.querySelectorAll('.row[data-side=prompt]').length > 2")
		p.until("the end is in view, and read", "document.querySelector('.prompt .bar .lead') && !document.querySelector('.row:not([data-side])')")
		hover := value[float64](p, `(() => {
			const rows = [...document.querySelectorAll('.row[data-side]')], times = [];
			for (let i = 0; i < 200; i++) {
				const t = performance.now();
				rows[i % rows.length].dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
				document.body.offsetHeight;
				times.push(performance.now() - t);
			}
			return times.sort((a, b) => a - b)[190];
		})()`)
		heap := value[float64](p, "performance.memory.usedJSHeapSize")
		fmt.Printf("inspector: %d messages: hover to highlight %.1f ms (19 of 20 are faster), the page takes %.0f MB\n", n, hover, heap/1e6)
	}
}
