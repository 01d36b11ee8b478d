//go:build unix

package sqlite_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

var words = strings.Fields(`func return error package import string range if err nil the of to a in is that
test file line config server request response token context message thread plan store entry window value build run`)

// prose is n words drawn by r.
func prose(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%s ", words[r.IntN(len(words))])
		if r.IntN(12) == 0 {
			fmt.Fprintf(&b, "%d\n", r.IntN(100_000))
		}
	}
	return b.String()
}

// rounds chains n messages of an agent at work: calls and results in turn.
func rounds(r *rand.Rand, parent thread.ID, n int) []thread.Entry {
	ms := make([]message.Message, n)
	for i := range ms {
		id := fmt.Sprintf("toolu_%08x", r.Uint32())
		if i%2 == 0 {
			args := fmt.Sprintf(`{"command":%q}`, prose(r, 15))
			raw := fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"bash","input":%s}`, id, args)
			ms[i] = message.Message{
				Role: message.Assistant, Dialect: "anthropic",
				Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "bash", Args: args, Raw: json.RawMessage(raw)}},
				Raw:   json.RawMessage(`{"role":"assistant","content":[` + raw + `]}`),
			}
			continue
		}
		text := prose(r, 200+r.IntN(400))
		quoted, _ := json.Marshal(text)
		raw := fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":%s}`, id, quoted)
		ms[i] = message.Message{
			Role: message.User, Dialect: "anthropic",
			Parts: []message.Part{{
				Kind: message.Result, CallID: id, Raw: json.RawMessage(raw),
				Parts: []message.Part{{Kind: message.Text, Text: text}},
			}},
			Raw: json.RawMessage(`{"role":"user","content":[` + raw + `]}`),
		}
	}
	return thread.Extend(parent, ms)
}

// grown opens a store with one thread of n entries.
func grown(b *testing.B, n int) (*sqlite.Store, store.Head) {
	b.Helper()
	s := open(b)
	r := rand.New(rand.NewPCG(1, 2))
	var h store.Head
	for h.Len < n {
		var err error
		h, err = s.Append(b.Context(), mainKey, store.Batch{Tip: h.Tip, Entries: rounds(r, h.Tip, min(1000, n-h.Len)), Now: now})
		noError(b, err)
	}
	return s, h
}

// BenchmarkAppend adds two messages to threads of different length: the cost
// must not depend on it.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, h := grown(b, n)
			r := rand.New(rand.NewPCG(3, 4))
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				es := rounds(r, h.Tip, 2)
				b.StartTimer()
				var err error
				h, err = s.Append(b.Context(), mainKey, store.Batch{Tip: h.Tip, Entries: es, Now: now})
				noError(b, err)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, _ := grown(b, n)
			b.ReportAllocs()
			for b.Loop() {
				es, err := s.Load(b.Context(), mainKey)
				noError(b, err)
				if len(es) != n {
					b.Fatal(len(es))
				}
			}
		})
	}
}

// thousand is a plan of a thousand records, the n-th of which is new.
func thousand(es []thread.Entry, version, n int) *plan.Plan {
	p := &plan.Plan{Thread: "main", Base: es[len(es)-1].ID, Version: version, CreatedAt: now}
	for i := range 1000 {
		r := plan.Record{
			ID: fmt.Sprintf("r%012x", i), Action: plan.Clear, Tool: "bash", Outcome: "success",
			Reason: "older than the last three turns", Saves: 400, Span: plan.Span{IDs: []thread.ID{es[i].ID}},
		}
		if i == n {
			r.Reason = fmt.Sprint("version ", version)
		}
		p.Records = append(p.Records, r)
	}
	return p
}

func BenchmarkCommit(b *testing.B) {
	s, h := grown(b, 1000)
	es, err := s.Load(b.Context(), mainKey)
	noError(b, err)
	noError(b, s.Commit(b.Context(), mainKey, thousand(es, 1, 0), nil))
	v := 1
	b.ReportAllocs()
	for b.Loop() {
		v++
		noError(b, s.Commit(b.Context(), h.Key, thousand(es, v, v%1000), nil))
	}
}

func BenchmarkPlan(b *testing.B) {
	s, _ := grown(b, 1000)
	es, err := s.Load(b.Context(), mainKey)
	noError(b, err)
	noError(b, s.Commit(b.Context(), mainKey, thousand(es, 1, 0), nil))
	b.ReportAllocs()
	for b.Loop() {
		p, err := s.Plan(b.Context(), mainKey)
		noError(b, err)
		if len(p.Records) != 1000 {
			b.Fatal(len(p.Records))
		}
	}
}

// turns opens a store in dir and logs entries two at a time.
func turns(b *testing.B, dir string, es []thread.Entry) {
	b.Helper()
	s := openAt(b, dir)
	var h store.Head
	for pair := range slices.Chunk(es, 2) {
		var err error
		h, err = s.Append(b.Context(), mainKey, store.Batch{Tip: h.Tip, Entries: pair, Now: now})
		noError(b, err)
	}
	noError(b, s.Close())
}

// sessions are what is logged to measure the file: words drawn at random, and an
// agent's session that looks like a real one.
func sessions() map[string][]thread.Entry {
	return map[string][]thread.Entry{
		"random":  rounds(rand.New(rand.NewPCG(1, 2)), "", 1000),
		"session": thread.Extend("", testsessions.Session(7, testsessions.Options{Messages: 1000}).Messages),
	}
}

// BenchmarkSize reports the size of the file for each megabyte of raw messages.
func BenchmarkSize(b *testing.B) {
	for name, es := range sessions() {
		b.Run(name, func(b *testing.B) {
			raw := 0
			for i := range es {
				raw += len(es[i].Message.Raw)
			}
			for b.Loop() {
				dir := b.TempDir()
				turns(b, dir, es)
				fi, err := os.Stat(dir + "/precis.db")
				noError(b, err)
				b.ReportMetric(float64(fi.Size())/float64(raw), "MB/rawMB")
			}
		})
	}
}

// BenchmarkLoadSession reads a session that was logged a turn at a time.
func BenchmarkLoadSession(b *testing.B) {
	es := sessions()["session"]
	dir := b.TempDir()
	turns(b, dir, es)
	s := openAt(b, dir)
	defer func() { noError(b, s.Close()) }()
	b.ReportAllocs()
	for b.Loop() {
		have, err := s.Load(b.Context(), mainKey)
		noError(b, err)
		if len(have) != len(es) {
			b.Fatal(len(have))
		}
	}
}

// Head is asked for several times a turn, also for threads that are not there.
func BenchmarkHead(b *testing.B) {
	for _, name := range []string{"there", "missing"} {
		b.Run(name, func(b *testing.B) {
			s := open(b)
			k := store.Key{Thread: "there"}
			if _, err := s.Append(b.Context(), k, store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, "hello")}), Now: time.Now()}); err != nil {
				b.Fatal(err)
			}
			k.Thread = name
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Head(b.Context(), k); (err == nil) != (name == "there") {
					b.Fatal(err)
				}
			}
		})
	}
}
