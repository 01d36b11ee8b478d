package precis_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// mixed is a round of parallel calls whose results came in one message, one of
// them with a picture.
func mixed() []message.Message {
	picture := message.Part{Kind: message.Media, MediaType: "image/png", Raw: json.RawMessage(`{"type":"image"}`), Size: 9}
	return []message.Message{
		message.TextOf(message.User, "go"),
		says(words("three at once"), asks("a", `{"command":"one"}`), asks("b", `{"command":"two"}`), asks("c", `{"command":"three"}`)),
		{Role: message.User, Parts: []message.Part{
			{Kind: message.Result, CallID: "a", Parts: []message.Part{words("alpha")}},
			{Kind: message.Result, CallID: "b", Parts: []message.Part{words("beta")}},
			{Kind: message.Result, CallID: "c", Parts: []message.Part{words("gamma")}},
			picture, words("and hurry"),
		}},
		message.TextOf(message.Assistant, "done"),
	}
}

// Each record addresses what it names and nothing beside it: one result among
// parallel ones, the arguments of one call, one image.
//
// SPEC: L2, L7, V2
func TestRecordsOverParts(t *testing.T) {
	ms := mixed()
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	at := func(i, part int) plan.Span { return plan.Span{IDs: []thread.ID{th.At(i).ID}, Part: part} }
	for name, c := range map[string]struct {
		record    plan.Record
		msg, part int // what changes
		want      string
	}{
		"clear one of three results": {plan.Record{Action: plan.Clear, Span: at(2, 2), Tool: "bash", Outcome: "failure", Fields: json.RawMessage(`{"exit_code":1}`)}, 2, 1, "[bash: failure]\nKey data: {\"exit_code\": 1}"},
		"externalize one result":     {plan.Record{Action: plan.Externalize, Span: at(2, 3), Artifact: "a000000000000", Text: "gamma", Hint: "read if you need it"}, 2, 2, "[Externalized Content - artifact:a000000000000]\nSummary: gamma\nTo retrieve full content, call: read_artifact(\"a000000000000\")"},
		"preview one result":         {plan.Record{Action: plan.Replace, Kind: plan.Preview, Span: at(2, 1), Text: "al…"}, 2, 0, "al…"},
		"the arguments of one call":  {plan.Record{Action: plan.Replace, Kind: plan.Preview, Span: at(1, 3), Text: `{"command":"…"}`}, 1, 2, `{"command":"…"}`},
		"one image":                  {plan.Record{Action: plan.Replace, Kind: plan.Hidden, Span: at(2, 4), Text: "[a picture]"}, 2, 3, "[a picture]"},
	} {
		p, err := plan.Build(plan.Plan{Style: "ladder", Records: []plan.Record{c.record}}, th)
		if err != nil {
			t.Fatal(err)
		}
		got := render.Prompt(th, p, nil).Messages
		if text := got[c.msg].Parts[c.part].Body(); text != c.want {
			t.Errorf("%s: %q", name, text)
		}
		if id := got[c.msg].Parts[c.part].CallID; id != ms[c.msg].Parts[c.part].CallID {
			t.Errorf("%s: call id %q", name, id)
		}
		for i := range ms {
			for k := range ms[i].Parts {
				if (i != c.msg || k != c.part) && !reflect.DeepEqual(got[i].Parts[k], ms[i].Parts[k]) {
					t.Errorf("%s: message %d part %d changed to %+v", name, i, k, got[i].Parts[k])
				}
			}
		}
		text, err := p.Format()
		if err != nil {
			t.Fatal(err)
		}
		back, err := plan.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r := back.Records[0]
		if r.Hint != c.record.Hint || r.Artifact != c.record.Artifact || r.Outcome != c.record.Outcome || string(r.Fields) != string(c.record.Fields) || r.Span.Part != c.record.Span.Part {
			t.Errorf("%s: read back as %+v", name, r)
		}
	}
}

// Subscribers hear of every kind of compaction, with the numbers of the turn.
//
// SPEC: L19
func TestEventsOfAllKinds(t *testing.T) {
	var bus event.Bus
	told := record(t, &bus)
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "ladder"), Events: &bus})
	seen, turns := map[event.Kind]bool{}, map[string]*precis.Turn{}
	p := policyOf(t, "ladder")
	p.Rungs = []policy.Rung{{Strategy: "clear", Above: 10}, {Strategy: "drop"}}
	two := newWith(t, precis.Options{Store: memory.New(), Policy: p, Events: &bus})
	for name, budget := range map[string]int{"roomy": 16_000, "tight": 3_000, "tiny": 300} {
		turns[name] = prepared(t, e, request(name, reports(20), budget))
	}
	turns["cleared"] = prepared(t, two, request("cleared", hosts(60), 4_000))
	ids := pointers(turns["roomy"].Plan)
	if len(ids) == 0 {
		t.Fatal("nothing was externalized")
	}
	back := append(reports(20), round(99, "fetch_report", "{}", "back to "+ids[0], "ok")...)
	if turn := prepared(t, e, request("roomy", back, 16_000)); len(turn.Rehydrated) != 1 {
		t.Errorf("brought back %+v, held %+v", turn.Rehydrated, turn.RehydrationSkipped)
	}
	for _, v := range told() {
		seen[v.Kind] = true
		switch v.Kind {
		case event.Completed:
			turn := turns[v.Thread]
			if v.TokensBefore != turn.Before || v.TokensAfter != turn.Compacted || v.Budget != turn.Budget || v.TokensFreed != turn.Before-turn.Compacted {
				t.Errorf("%s: %+v", v.Thread, v)
			}
		case event.Externalized, event.Summarized, event.Cleared, event.Dropped:
			if v.Span.Count == 0 || v.Strategy == "" || v.TokensFreed <= 0 {
				t.Errorf("%s: %+v", v.Kind, v)
			}
		}
	}
	for _, k := range []event.Kind{
		event.CheckStarted, event.ProposalGenerated, event.Externalized, event.Summarized, event.Cleared, event.Dropped, event.Rehydrated, event.Completed,
	} {
		if !seen[k] {
			t.Errorf("nothing told of %s", k)
		}
	}
}

// A pin on what a record covers brings it back, and events tell of that; one on what
// stands in the prompt changes nothing there, and no event does.
//
// SPEC: L19
func TestPinTellsWhatItUncovers(t *testing.T) {
	var bus event.Bus
	told := record(t, &bus)
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "ladder"), Events: &bus})
	turn := prepared(t, e, request("t", reports(20), 3_000))
	var covered, whole thread.ID
	for i := range turn.Thread.Len() {
		if id := turn.Thread.At(i).ID; turn.Plan.Touches(id) {
			covered = id
		} else {
			whole = id
		}
	}
	if _, err := e.Pin(t.Context(), "t", plan.Ref{ID: covered}, plan.Ref{ID: whole}); err != nil {
		t.Fatal(err)
	}
	var expanded []event.Event
	for _, v := range told() {
		if v.Kind == event.PlanExpanded {
			expanded = append(expanded, v)
		}
	}
	if len(expanded) != 1 || expanded[0].Span.First != covered || expanded[0].Version != turn.Plan.Version+1 {
		t.Errorf("told of %+v", expanded)
	}
}

// A plan made anew for a larger budget is told to subscribers.
//
// SPEC: L19
func TestNewPlanForALargerBudgetIsTold(t *testing.T) {
	var bus event.Bus
	told := record(t, &bus)
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced"), Events: &bus})
	ms := work(60, 10)
	first := prepared(t, e, request("t", ms, 3_000))
	second := prepared(t, e, request("t", ms, 80_000))
	n := 0
	for _, v := range told() {
		if v.Version == second.Plan.Version {
			n++
		}
	}
	t.Logf("%s plan %d (%d tokens), then %s plan %d: before %d, after %d; %d events", first.Outcome, first.Plan.Version, first.Compacted, second.Outcome, second.Plan.Version, second.Before, second.Compacted, n)
	if second.Plan.Version != first.Plan.Version && n == 0 {
		t.Error("a new plan is in force, the prompt changed, and no event tells")
	}
}

// Hooks hear of a compaction before and after it, may add instructions or object,
// and cannot hold up or break what the budget forces.
//
// SPEC: L19, G5, T9, V4, V9
func TestHooksAndEvents(t *testing.T) {
	var bus event.Bus
	told := record(t, &bus)
	var before, after []event.Payload
	verdict, broken := event.Verdict{}, error(nil)
	s := &scribe{asked: make(chan summary.Input, 100)}
	e := newWith(t, precis.Options{
		Store: memory.New(), Summarizer: s, Events: &bus,
		Hooks: event.Hooks{
			Before: func(_ context.Context, p event.Payload) (event.Verdict, error) {
				before = append(before, p)
				return verdict, broken
			},
			After: func(_ context.Context, p event.Payload) error {
				after = append(after, p)
				return nil
			},
		},
	})
	ms := work(60, 10)
	try := func(name string, n, budget int) *precis.Turn {
		t.Helper()
		turn, err := e.Prepare(t.Context(), request(name, ms[:n], budget))
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	verdict = event.Verdict{Veto: true, Reason: "not now"}
	if turn := try("t", 61, 2_000); turn.Outcome != precis.Vetoed || turn.Plan != nil || turn.Veto != verdict {
		t.Errorf("vetoed, yet %s, %+v", turn.Outcome, turn.Veto)
	}
	if turn := try("over", 101, 2_000); turn.Outcome != precis.Compacted || turn.Veto != verdict {
		t.Errorf("a veto held up what the budget forces, or is not told: %s, %+v", turn.Outcome, turn.Veto)
	}
	for len(s.asked) > 0 {
		<-s.asked
	}
	verdict, broken = event.Verdict{Instructions: "mind the ports"}, errors.New("half broken")
	turn := try("t", 65, 2_000)
	if turn.Outcome != precis.Compacted || len(turn.Failures) != 1 {
		t.Errorf("%s, %v", turn.Outcome, turn.Failures)
	}
	if in := <-s.asked; in.Instructions != "mind the ports" || in.Part != summary.Session {
		t.Errorf("the summarizer was asked for %q with %q", in.Part, in.Instructions)
	}
	e.Close()
	all := told()
	last := before[len(before)-1]
	if last.BeforeTokens != turn.Before || last.Messages != 65 || last.Budget != 2_000 || last.Trigger != event.Auto {
		t.Errorf("before: %+v", last)
	}
	if n := len(after); n != 4 || after[n-2].Name != event.PostCompact || after[n-1].Name != event.SessionStart || after[n-1].Source != event.Compact {
		t.Fatalf("after: %+v", after)
	}
	if p := after[len(after)-1]; p.BeforeTokens != turn.Before || p.AfterTokens != turn.Compacted || p.CompactedTokens <= 0 {
		t.Errorf("after: %+v", p)
	}
	var kinds []string
	for _, v := range all {
		if v.Thread == "t" {
			kinds = append(kinds, string(v.Kind))
		}
	}
	want := []event.Kind{
		event.CheckStarted, event.Skipped, // vetoed
		event.CheckStarted, event.Failed, event.ProposalGenerated, event.Summarized, event.Completed, event.Boundary, event.Session,
	}
	if got := strings.Join(kinds, " "); got != strings.Trim(fmt.Sprint(want), "[]") {
		t.Errorf("events: %s", got)
	}
}

// The plan of a client that is behind the log is the first of a branch, and the turn says
// so: the thread keeps its own, who is told of a compaction finds it, and every pointer
// leads to content.
//
// SPEC: L19, L13, V1
func TestBehindBranchesOff(t *testing.T) {
	st := memory.New()
	var bus event.Bus
	told := record(t, &bus)
	hooked := make(chan event.Payload, 10)
	e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, "ladder"), Events: &bus, Hooks: event.Hooks{After: func(_ context.Context, p event.Payload) error { hooked <- p; return nil }}})
	ms := []message.Message{message.TextOf(message.User, "Watch the hosts and report.")}
	for n := range 30 {
		ms = append(ms, round(n, "fetch_report", fmt.Sprintf(`{"n":%d}`, n), "looking", lines(n, 90))...)
	}
	in := precis.Input{Thread: "t", Messages: ms, Meter: token.Truncate(), Budget: 400_000}
	if _, err := e.Prepare(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	in.Messages, in.Budget = ms[:len(ms)-2], 32_000 // regenerate the last reply
	turn, err := e.Prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if turn.Outcome != precis.Compacted || turn.Uncommitted || turn.Version() != 1 || turn.Key.Thread == "t" {
		t.Fatalf("%s, uncommitted %v, plan %d of %s", turn.Outcome, turn.Uncommitted, turn.Version(), turn.Key.Thread)
	}
	if s, _ := st.Head(t.Context(), store.Key{Thread: "t"}); s.PlanVersion != 0 {
		t.Errorf("plan %d is in force for the thread", s.PlanVersion)
	}
	if p, err := st.Plan(t.Context(), turn.Key); err != nil || p.Thread != turn.Key.Thread || len(p.Records) != len(turn.Plan.Records) {
		t.Errorf("the branch has %+v, %v", p, err)
	}
	e.Close()
	var done []string
	for _, v := range told() {
		if v.Kind == event.Completed {
			done = append(done, v.Thread)
		}
	}
	if len(done) != 1 || done[0] != turn.Key.Thread || len(hooked) == 0 {
		t.Errorf("told of %v, %d hooks", done, len(hooked))
	}
	for range len(hooked) {
		if p := <-hooked; p.Thread != turn.Key.Thread || p.Version != 1 {
			t.Errorf("hooks are told of plan %d of %s", p.Version, p.Thread)
		}
	}
	ids := pointers(turn.Plan)
	for _, id := range ids {
		if _, err := st.Artifact(t.Context(), turn.Key, id); err != nil {
			t.Errorf("pointer %s: %v", id, err)
		}
	}
	if len(ids) == 0 {
		t.Error("no pointer")
	}
}
