package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/replay"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// corpus writes a file of runs: two of 40 rounds, one whose only user message
// is larger than any small budget, one that is short.
func corpus(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "own.jsonl.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	rows := []string{
		row40("long-1", 40), row40("long-2", 41),
		`{"id":"huge","source":"own","messages":[{"role":"user","content":"` + strings.Repeat("every word counts ", 1000) + `"},{"role":"assistant","content":"ok"},{"role":"user","content":"` + strings.Repeat("and again ", 2500) + `"}]}`,
		`{"id":"short","source":"own","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"},{"role":"user","content":"bye"}]}`,
	}
	if _, err := io.WriteString(z, strings.Join(rows, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func row40(id string, rounds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":%q,"source":"own","messages":[{"role":"system","content":"You keep shop."},{"role":"user","content":"Count the shelves."}`, id)
	for i := range rounds {
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"look","arguments":"{\"shelf\":\"item-%04d-x\"}"}}]}`, i, max(0, i-9))
		fmt.Fprintf(&b, `,{"role":"tool","tool_call_id":"call_%d","content":"on shelf item-%04d-x: %s"}`, i, i, strings.Repeat(fmt.Sprintf("box %d full; ", i), 60))
	}
	b.WriteString(`,{"role":"user","content":"And now?"}]}`)
	return b.String()
}

// SPEC: V1, V3, V4, V5. Every run over the budget is prepared, fits, is valid,
// comes back as it went in, twice the same; the impossible one says so.
func TestFinal(t *testing.T) {
	var out bytes.Buffer
	err := run(context.Background(), []string{"-data", corpus(t), "-budgets", "4096", "-policies", "balanced", "-json"}, &out, io.Discard)
	if err != nil {
		t.Fatal(err, out.String())
	}
	var got tally
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	got.Slowest, got.Total, got.Original, got.Tokens = 0, 0, 0, 0
	want := tally{
		Source: "own", Policy: "balanced", Budget: 4096, Runs: 3, Compacted: 2, Impossible: 1,
		Outcomes: map[string]int{"compacted": 2, "impossible": 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The checks bite: a prompt with a result whose call is gone, or too large for
// the budget, and a log that differs from what went in.
func TestChecksBite(t *testing.T) {
	j := job{}
	if err := j.prepare(io.Discard); err != nil {
		t.Fatal(err)
	}
	runs, err := load(corpus(t), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ms := runs[0].Messages
	var orphan, invalid, large result
	j.encode(&orphan, append(ms[:2:2], ms[3]), 100_000)
	if len(orphan.problems) != 2 {
		t.Errorf("orphan: %+v", orphan)
	}
	body := []byte(`{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"c","content":"x"}]}`)
	j.check(&invalid, openai.Codec{}, body, 100_000)
	if len(invalid.faults) == 0 {
		t.Errorf("invalid: %+v", invalid)
	}
	j.encode(&large, ms, 4096)
	if len(large.faults) > 0 || !large.over {
		t.Errorf("large: %+v", large)
	}
	if j.fits(runs[2].Messages, 4096) || !j.fits(ms, 4096) {
		t.Error("fits: the huge run should not, the long one should")
	}

	ctx, s := context.Background(), memory.New()
	es := thread.Extend("", ms[:4])
	if _, err := s.Append(ctx, store.Key{Thread: "x"}, store.Batch{Entries: es}); err != nil {
		t.Fatal(err)
	}
	if err := exported(ctx, s, replay.Run{ID: "x", Messages: ms[:4]}); err != nil {
		t.Error(err)
	}
	changed := append([]message.Message(nil), ms[:4]...)
	changed[1].Raw = bytes.ReplaceAll(changed[1].Raw, []byte(":"), []byte(": "))
	if exported(ctx, s, replay.Run{ID: "x", Messages: changed}) == nil || exported(ctx, s, replay.Run{ID: "x", Messages: ms}) == nil {
		t.Error("a changed or longer run counts as exported")
	}
}

// A tally with any fault is broken and shows what happened.
func TestTally(t *testing.T) {
	good := result{source: "s", outcome: "compacted", original: 9, tokens: 4}
	other := good
	other.bodies[0] = 1
	for _, c := range []struct {
		name          string
		first, second result
		want          bool
	}{
		{"good", good, good, false},
		{"different", good, other, true},
		{"fault", result{faults: []string{"f"}}, result{}, true},
		{"over", result{over: true}, result{}, true},
		{"problem", result{problems: []string{"p"}}, result{}, true},
		{"unjust", result{outcome: "impossible", unjust: true}, result{outcome: "impossible"}, true},
		{"just", result{outcome: "impossible"}, result{outcome: "impossible"}, false},
	} {
		got := tallied("p", 1, []result{c.first}, []result{c.second})[0]
		if got.broken() != c.want || (len(got.Examples) > 0) != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{
		{"-budgets", "many"},
		{"-data", "no-such-file"},
		{"-mode", "sideways", "-data", corpus(t)},
		{"-policies", "no-such-policy", "-data", corpus(t)},
	} {
		if err := run(context.Background(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
