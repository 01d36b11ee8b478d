package precis_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/token"
)

// What went wrong where these designs were built before, one test each. Those not
// here stand beside the rows: chained summaries, boundaries of database and prompt,
// failed and empty summaries, chunks out of order, batches that repeat each other,
// old batches gone before the new are written.

// With nothing set but a store, a conversation over the window of its model is
// compacted: who counts also owns the messages.
//
// SPEC: L12, L20, V4
func TestItFires(t *testing.T) {
	m, _ := model.Lookup("gpt-4o")
	for _, name := range append(policy.Names(), "") {
		o := precis.Options{Store: memory.New()}
		if name != "" {
			o.Policy = policyOf(t, name)
		}
		e, err := precis.New(o)
		if err != nil {
			t.Fatal(err)
		}
		turn := prepared(t, e, precis.Input{Thread: "t", Messages: work(300, 60), Model: m})
		if turn.Outcome != precis.Compacted || turn.Compacted >= turn.Before || turn.Before < 100_000 || len(turn.Plan.Records) == 0 {
			t.Errorf("%q: %s, %d → %d tokens", name, turn.Outcome, turn.Before, turn.Compacted)
		}
		e.Close()
	}
}

// System prompt, tools and framing are part of every number: a conversation that
// is small beside them is compacted as soon as all of it is too large.
//
// SPEC: L11, L12, V4
func TestOverheadCounts(t *testing.T) {
	ms, meter := work(20, 10), token.Truncate()
	system := []message.Part{words(strings.Repeat("rule ", 1_600))}
	schema := json.RawMessage(`{"type":"object","description":"` + strings.Repeat("long ", 800) + `"}`)
	in := request("t", ms, 4_000)
	bare := prepared(t, newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")}), in)
	in.System, in.Tools = system, []codec.Tool{{Name: "fetch", Schema: schema}}
	turn := prepared(t, newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")}), in)
	fixed := meter.Overhead.Request + meter.System(system) + meter.Tools([]token.Tool{{Name: "fetch", Schema: schema}})
	if bare.Outcome != precis.WithinBudget || turn.Outcome != precis.Compacted {
		t.Errorf("without system prompt and tools %s, with them %s", bare.Outcome, turn.Outcome)
	}
	if turn.Before != fixed+meter.Messages(ms) || turn.Compacted != fixed+meter.Messages(turn.Messages) || fixed < 3_000 {
		t.Errorf("%d → %d tokens, %d of them fixed", turn.Before, turn.Compacted, fixed)
	}
}

// A stored plan is read back as it was written, under every preset: the prompt
// after a restart is the prompt before it.
//
// SPEC: L4, V5
func TestStoredPlanIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	ms := hosts(40)
	for _, name := range policy.Names() {
		var prompts [][]message.Message
		for range 2 {
			st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			turn := prepared(t, newWith(t, precis.Options{Store: st, Policy: policyOf(t, name)}), request(name, ms, 6_000))
			if turn.Plan == nil || len(turn.Plan.Records) == 0 || turn.Plan.Version != 1 {
				t.Fatalf("%s: plan %+v", name, turn.Plan)
			}
			prompts = append(prompts, turn.Messages)
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(prompts[0], prompts[1]) {
			t.Errorf("%s: another prompt after the restart", name)
		}
	}
}

// Recency by user turns blocks every strategy where a run has one user message.
// Here it does not, under any preset.
//
// SPEC: L10, V4
func TestOneUserMessageIsNoObstacle(t *testing.T) {
	for _, name := range policy.Names() {
		turn := prepared(t, newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name)}), request("t", work(120, 10), 6_000))
		if turn.Outcome != precis.Compacted || turn.Compacted > 5_400 {
			t.Errorf("%s: %s, %d tokens", name, turn.Outcome, turn.Compacted)
		}
		for _, s := range turn.Steps {
			if s.Strategy == "last_resort" {
				t.Errorf("%s: only the last resort could help", name)
				break
			}
		}
	}
}

// What is externalized is the result itself, not the empty text beside it: of
// parallel results each its own, whichever message they came in. It belongs to its
// thread and no other.
//
// SPEC: L2, L13, L16, V1, V10
func TestArtifactsAreWhole(t *testing.T) {
	ms := []message.Message{message.TextOf(message.User, "Watch the hosts.")}
	for i := range 12 {
		a, b := fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i)
		ms = append(ms, says(message.Part{Kind: message.Call, CallID: a, Name: "fetch_report", Args: "{}"}, message.Part{Kind: message.Call, CallID: b, Name: "fetch_report", Args: "{}"}))
		x, y := answers(a, words(lines(2*i, 100))), answers(b, words(lines(2*i+1, 100)))
		if i%2 == 0 {
			ms = append(ms, x, y)
		} else {
			ms = append(ms, message.Message{Role: message.User, Parts: append(y.Parts, x.Parts...)})
		}
	}
	st := memory.New()
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "ladder")})
	turn, n := prepared(t, e, request("t", ms, 22_000)), 0
	prepared(t, e, request("other", work(3, 3), 16_000))
	for _, r := range turn.Plan.Records {
		if r.Action != plan.Externalize {
			continue
		}
		n++
		at, _ := turn.Thread.Find(r.Span.Start())
		want := ms[at].Parts[r.Span.Part-1].Body()
		a, err := st.Artifact(t.Context(), store.Key{Thread: "t"}, r.Artifact)
		if err != nil || string(a.Content) != want || want == "" {
			t.Errorf("message %d part %d: %d bytes of %d, %v", at, r.Span.Part, len(a.Content), len(want), err)
		}
		if _, err := st.Artifact(t.Context(), store.Key{Thread: "other"}, r.Artifact); err == nil {
			t.Errorf("%s is another thread's too", r.Artifact)
		}
	}
	if n < 6 {
		t.Errorf("%d externalized", n)
	}
}

// A summary of messages whose results were externalized says where they are: what
// was moved out can still be named once its pointer is gone.
//
// SPEC: L6, L13
func TestSummariesNameArtifacts(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "ladder")})
	ms := reports(12)
	moved := pointers(prepared(t, e, request("t", ms, 16_000)).Plan)
	if len(moved) == 0 {
		t.Fatal("nothing was externalized")
	}
	ms = append(ms, work(140, 10)[1:]...)
	turn := prepared(t, e, request("t", ms, 16_000))
	for _, r := range turn.Plan.Records {
		if r.Action != plan.Summarize {
			continue
		}
		var s summary.Structured
		if err := json.Unmarshal(r.Summary, &s); err != nil {
			t.Fatal(err)
		}
		if len(s.Artifacts) == 0 {
			t.Errorf("the summary of %d messages names none of the artifacts %v", r.Span.Count(), moved)
		}
	}
}

// A log whose plans hold summaries of an older form still opens and shows the prompt that it
// had; the next compaction writes its summary anew, of all messages that the old one covered.
//
// SPEC: L6, L18
func TestSummariesOfAnOlderForm(t *testing.T) {
	now, older := fmt.Sprintf(`"schema":%d`, summary.Schema), fmt.Sprintf(`"schema":%d`, summary.Schema-1)
	for _, name := range policy.Names() {
		s, ms := memory.New(), work(60, 10)
		first := prepared(t, newWith(t, precis.Options{Store: s, Policy: policyOf(t, name)}), request("t", ms, 2_000))
		old, covered := *first.Plan, 0
		old.Version++
		old.Records = slices.Clone(old.Records)
		for i := range old.Records {
			r := &old.Records[i]
			if r.Action == plan.Summarize && strings.Contains(string(r.Summary), now) {
				r.Summary, covered = []byte(strings.ReplaceAll(string(r.Summary), now, older)), covered+r.Span.Count()
			}
		}
		if covered == 0 {
			t.Fatalf("%s: no summary", name)
		}
		if err := s.Commit(t.Context(), store.Key{Thread: "t"}, &old, nil); err != nil {
			t.Fatal(err)
		}
		e := newWith(t, precis.Options{Store: s, Policy: policyOf(t, name)})
		if again := prepared(t, e, request("t", ms, 2_000)); again.Plan.Version != old.Version || !reflect.DeepEqual(again.Messages, first.Messages) {
			t.Errorf("%s: another prompt, or plan %d in place of %d", name, again.Plan.Version, old.Version)
		}
		then, anew := prepared(t, e, request("t", work(120, 10), 2_000)), 0
		for _, r := range then.Plan.Records {
			if strings.Contains(string(r.Summary), older) {
				t.Errorf("%s: a summary of the older form stands", name)
			}
			if r.Action == plan.Summarize && strings.Contains(string(r.Summary), now) {
				anew += r.Span.Count()
			}
		}
		if anew <= covered {
			t.Errorf("%s: the new summary covers %d messages, the old one %d", name, anew, covered)
		}
	}
}

// A group of parallel calls whose results come with a question between them, or
// after another call's, is not parted and not sent broken.
//
// SPEC: V3, S3, G3, T9
func TestInterleavedRounds(t *testing.T) {
	for _, name := range policy.Names() {
		for _, budget := range []int{300, 800, 2_000} {
			ms := work(12, 10)
			ms = append(ms,
				says(words("two at once"), asks("x", `{"command":"one"}`), asks("y", `{"command":"two"}`)),
				answers("x", words(strings.Repeat("x\n", 100))),
				message.TextOf(message.User, "hurry up"),
				answers("y", words(strings.Repeat("y\n", 100))),
				says(asks("z", `{"command":"three"}`)), answers("z", words("z")),
			)
			ms = append(ms, work(6, 10)[1:]...)
			for i := 31; i < len(ms); i++ { // ids of their own
				for k := range ms[i].Parts {
					if id := &ms[i].Parts[k].CallID; *id != "" {
						*id = "again_" + *id
					}
				}
			}
			turn := prepared(t, newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name)}), request("t", ms, budget))
			wired(t, turn)
			if turn.Compacted > budget {
				t.Errorf("%s: %d tokens of %d", name, turn.Compacted, budget)
			}
		}
	}
}

// No cut goes through a character, whatever is cut and however short.
//
// SPEC: V3, G4
func TestCutsKeepCharacters(t *testing.T) {
	text := strings.Repeat("Zähle die 漢字 und 🎉🎉 — naïveté, e\u0301te\u0301, ", 40)
	ms := []message.Message{message.TextOf(message.User, "Bitte "+text)}
	for i := range 30 {
		ms = append(ms, round(i, "lies", fmt.Sprintf(`{"pfad":"über/漢字_%d.txt","inhalt":%q}`, i, strings.Repeat("ß🎉", 30)), "Ich lese "+text[:len(text)/4], text)...)
	}
	for _, name := range policy.Names() {
		for budget := 900; budget < 4_000; budget += 311 {
			e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, name), Summarizer: &scribe{}, NoFallback: true})
			in := request("t", ms, budget)
			in.Client.Idle = 1e12 // cold: old texts are hidden, too
			turn := prepared(t, e, in)
			for i, m := range turn.Messages {
				for _, p := range m.Parts {
					if !utf8.ValidString(p.Body()) || strings.ContainsRune(p.Body(), utf8.RuneError) {
						t.Fatalf("%s, budget %d: message %d is cut in a character:\n%q", name, budget, i, p.Body())
					}
				}
			}
			wired(t, turn)
		}
	}
}

// A subscriber that never comes back holds up nobody.
//
// SPEC: L19, V9
func TestStuckSubscriber(t *testing.T) {
	var bus event.Bus
	stuck := make(chan struct{})
	bus.Subscribe(func(event.Event) { <-stuck }, event.Options{})
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "truncate"), Events: &bus})
	ms := work(400, 4)
	for n := 61; n < len(ms); n += 20 { // more events than any queue holds
		if turn := prepared(t, e, request("t", ms[:n], 2_000)); turn.Compacted > 2_000 {
			t.Errorf("%d tokens", turn.Compacted)
		}
	}
	close(stuck)
	if err := bus.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// However often a conversation is compacted, each of its messages can be had as it
// came.
//
// SPEC: V1
func TestNothingIsGone(t *testing.T) {
	for _, name := range policy.Names() {
		st := memory.New()
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, name)})
		ms := hosts(120)
		for n := 20; n <= len(ms); n += 20 {
			prepared(t, e, request("t", ms[:n:n], 2_000))
		}
		es, err := st.Load(t.Context(), store.Key{Thread: "t"})
		if err != nil || len(es) < 240 {
			t.Fatalf("%s: %d messages, %v", name, len(es), err)
		}
		for i := range es {
			if !reflect.DeepEqual(es[i].Message, ms[i]) {
				t.Fatalf("%s: message %d changed", name, i)
			}
		}
	}
}
