package event_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

var rewrite = flag.Bool("rewrite", false, "write the events as the wanted JSON")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// examples are one event of each kind, as the engine gives them.
func examples() []event.Event {
	span := event.SpanOf(plan.Span{IDs: []thread.ID{"a1", "b2", "c3"}, FirstTurn: 2, LastTurn: 4})
	record := func(a plan.Action, strategy, artifact string) event.Event {
		return event.Applied(&plan.Record{
			ID: "r-" + string(a), Action: a, Span: plan.Span{IDs: []thread.ID{"a1", "b2", "c3"}, FirstTurn: 2, LastTurn: 4},
			Text: "secret text", Fields: []byte(`{"secret":1}`), Summary: []byte(`{"secret":2}`), Hint: "secret hint",
			Strategy: strategy, Artifact: artifact, Saves: 700,
		})
	}
	es := []event.Event{
		{Kind: event.CheckStarted, TokensBefore: 90_000, Details: event.Details{Trigger: event.Auto, Policy: "balanced", Messages: 120}},
		{Kind: event.ProposalGenerated, Strategy: "clear", Span: span, TokensFreed: 700, Details: event.Details{Reason: "old result of bash"}},
		{Kind: event.ProposalReady, TokensBefore: 80_000, TokensAfter: 40_000},
		record(plan.Replace, "reencode", ""),
		record(plan.Clear, "clear", ""),
		record(plan.Summarize, "summarize", ""),
		record(plan.Externalize, "externalize", "art-9f"),
		record(plan.Drop, "drop", ""),
		{Kind: event.Completed, TokensBefore: 90_000, TokensAfter: 50_000, TokensFreed: 40_000, Outcome: "compacted", Details: event.Details{Records: 5, Messages: 120, Sent: 44, Forced: 1}},
		{Kind: event.Skipped, TokensBefore: 90_000, TokensAfter: 90_000, Outcome: "vetoed", Details: event.Details{Reason: "release freeze"}},
		{Kind: event.Failed, Outcome: "failed", Err: "commit plan 3 of t1: stale"},
		{Kind: event.Boundary, TokensBefore: 90_000, TokensAfter: 50_000, Details: event.Details{Trigger: event.Overflow, Messages: 120, Sent: 44}},
		{Kind: event.Session, Details: event.Details{Source: event.Compact}},
		{Kind: event.Retrieved, Span: span, Details: event.Details{Tokens: 300}},
		{Kind: event.Rehydrated, Details: event.Details{Artifact: "art-9f", Tokens: 1200, Sensitivity: "internal"}},
		{Kind: event.BlockedSensitivity, Details: event.Details{Artifact: "art-9f", Sensitivity: "restricted"}},
		{Kind: event.RehydrationSkipped, Details: event.Details{Artifact: "art-9f", Reason: "cooldown"}},
		{Kind: event.PlanRestored, Details: event.Details{FromVersion: 1}},
		{Kind: event.PlanExpanded, Details: event.Details{Record: "r-drop"}},
		{Kind: event.ShadowResult, TokensBefore: 90_000, TokensAfter: 50_000, TokensFreed: 40_000, Outcome: "compacted", Details: event.Details{Records: 5}},
		{Kind: event.WindowLearned, Details: event.Details{Model: "some-model", Window: 131_072}},
		{Kind: event.SubscriberPanicked, Dropped: 2, Err: "panic: string", Details: event.Details{Subscriber: "log"}},
	}
	for i := range es {
		es[i].Time, es[i].Tenant, es[i].Thread, es[i].Version, es[i].Turn, es[i].Budget = noon, "acme", "t1", 3, 17, 100_000
	}
	return es
}

// allKinds are the kinds in the order in which package event names them.
var allKinds = []event.Kind{
	event.CheckStarted, event.ProposalGenerated, event.ProposalReady,
	event.Replaced, event.Cleared, event.Summarized, event.Externalized, event.Dropped,
	event.Completed, event.Skipped, event.Failed, event.Boundary, event.Session,
	event.Retrieved, event.Rehydrated, event.BlockedSensitivity, event.RehydrationSkipped,
	event.PlanRestored, event.PlanExpanded, event.ShadowResult, event.WindowLearned, event.SubscriberPanicked,
}

// TestKinds: every kind's JSON is what it was, reads back as it was, and holds
// no text of a record. SPEC: L19, V10
func TestKinds(t *testing.T) {
	var out bytes.Buffer
	w := event.NewJSONL(&out)
	es := examples()
	for i, e := range es {
		if i >= len(allKinds) || e.Kind != allKinds[i] {
			t.Errorf("example %d is %q, want one of each of %q", i, e.Kind, allKinds)
		}
		w.Append(e)
	}
	if len(es) != len(allKinds) {
		t.Errorf("%d examples of %d kinds", len(es), len(allKinds))
	}
	if n, err := w.Err(); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	if strings.Contains(out.String(), "secret") {
		t.Errorf("an event holds what a message says:\n%s", out.String())
	}
	const golden = "testdata/kinds.jsonl"
	if *rewrite {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	got, err := event.ReadJSONL(&out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(es, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

// TestSeedKinds: the nine kinds of the seed are there under its names.
// SPEC: L19
func TestSeedKinds(t *testing.T) {
	have := map[event.Kind]bool{}
	for _, k := range allKinds {
		if have[k] {
			t.Errorf("%s twice", k)
		}
		have[k] = true
	}
	for _, name := range strings.Fields(`compaction_check_started compaction_proposal_generated compaction_externalized
		compaction_summarized compaction_cleared compaction_retrieved compaction_dropped compaction_rehydrated compaction_completed`) {
		if !have[event.Kind(name)] {
			t.Errorf("no kind %s", name)
		}
	}
}

func TestKindOf(t *testing.T) {
	for action, want := range map[plan.Action]event.Kind{
		plan.Replace: event.Replaced, plan.Clear: event.Cleared, plan.Summarize: event.Summarized,
		plan.Externalize: event.Externalized, plan.Drop: event.Dropped, plan.Include: "", "other": "",
	} {
		if got := event.KindOf(action); got != want {
			t.Errorf("KindOf(%s) = %q, want %q", action, got, want)
		}
	}
	if got := event.SpanOf(plan.Span{}); got != (event.Span{}) {
		t.Errorf("SpanOf an empty span = %v", got)
	}
}

// TestHoldsNoReference: subscribers share events, so there may be nothing in
// one that two of them could write to.
func TestHoldsNoReference(t *testing.T) {
	var check func(path string, typ reflect.Type)
	check = func(path string, typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Struct:
			if typ == reflect.TypeFor[time.Time]() {
				return
			}
			for f := range typ.Fields() {
				check(path+"."+f.Name, f.Type)
			}
		case reflect.String, reflect.Int, reflect.Float64:
		default:
			t.Errorf("%s is a %s", path, typ)
		}
	}
	check("Event", reflect.TypeFor[event.Event]())
}

// stutter writes some bytes of a line and fails, as often as told.
type stutter struct {
	bytes.Buffer
	fail, write int
}

var errDisk = errors.New("disk full")

func (s *stutter) Write(p []byte) (int, error) {
	if s.fail > 0 {
		s.fail--
		n, _ := s.Buffer.Write(p[:s.write])
		return n, errDisk
	}
	return s.Buffer.Write(p)
}

// TestJSONLWriteErrors: what cannot be written is counted, and what comes after
// can be read. SPEC: V9
func TestJSONLWriteErrors(t *testing.T) {
	for _, torn := range []int{0, 1, 20} {
		w := &stutter{fail: 2, write: torn}
		j := event.NewJSONL(w)
		for i := range 4 {
			j.Append(event.Event{Kind: event.Completed, Time: noon, Turn: i + 1})
		}
		n, err := j.Err()
		if n != 2 || !errors.Is(err, errDisk) {
			t.Errorf("torn at %d: Err() = %d, %v, want 2, %v", torn, n, err, errDisk)
		}
		es, err := event.ReadJSONL(&w.Buffer)
		if len(es) != 2 || es[0].Turn != 3 || es[1].Turn != 4 {
			t.Errorf("torn at %d: read %v", torn, es)
		}
		if (err != nil) != (torn > 0) {
			t.Errorf("torn at %d: error %v", torn, err)
		}
	}
}

// brief writes less than it is given and says nothing.
type brief struct{}

func (brief) Write(p []byte) (int, error) { return len(p) - 1, nil }

func TestJSONLShortWrite(t *testing.T) {
	j := event.NewJSONL(brief{})
	j.Append(event.Event{Kind: event.Completed})
	if n, err := j.Err(); n != 1 || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Err() = %d, %v, want a short write", n, err)
	}
}

func TestReadJSONL(t *testing.T) {
	good := `{"kind":"compaction_completed","time":"2026-03-01T12:00:00Z","later_field":1}`
	for name, tt := range map[string]struct {
		text string
		n    int
		want string
	}{
		"nothing":         {"", 0, ""},
		"blank lines":     {"\n \r\n" + good + "\r\n\n", 1, ""},
		"no end of line":  {good, 1, ""},
		"torn at the end": {good + "\n" + good[:20], 1, "1 bad lines: line 2"},
		"torn between":    {good[:20] + good + "\n[]\n" + good + "\n", 1, "2 bad lines: line 1"},
		"no event":        {`{"time":"2026-03-01T12:00:00Z"}`, 0, "no kind"},
		"too long":        {good + "\n" + strings.Repeat(" ", 1<<20) + "x", 1, "line 2: bufio.Scanner: token too long"},
	} {
		es, err := event.ReadJSONL(strings.NewReader(tt.text))
		if len(es) != tt.n {
			t.Errorf("%s: %d events, want %d", name, len(es), tt.n)
		}
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}
	}
}

// FuzzReadJSONL: what was read is written and read again as the same.
func FuzzReadJSONL(f *testing.F) {
	if b, err := os.ReadFile("testdata/kinds.jsonl"); err == nil {
		for line := range bytes.Lines(b) {
			f.Add(line)
		}
	}
	f.Add([]byte("{\"kind\":\"x\"}\n\n[]\n{\"kind\":\"\xff\",\"turn\":-1}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		es, _ := event.ReadJSONL(bytes.NewReader(b))
		var out bytes.Buffer
		w := event.NewJSONL(&out)
		for _, e := range es {
			w.Append(e)
		}
		if n, err := w.Err(); n > 0 {
			t.Fatalf("write what was read: %v", err)
		}
		again, err := event.ReadJSONL(&out)
		if err != nil {
			t.Fatalf("read what was written: %v", err)
		}
		if diff := cmp.Diff(es, again); diff != "" {
			t.Errorf("(-first +again):\n%s", diff)
		}
	})
}
