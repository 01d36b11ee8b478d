package precis_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
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

// The hook of an agent loop keeps the history whatever goes wrong inside, and fails
// only where no prompt could be sent.
//
// SPEC: S8, S7, V9
func TestPrepareStep(t *testing.T) {
	ms := work(60, 10)
	st := &tearing{Store: memory.New()}
	e := newWith(t, precis.Options{Store: st})
	l := e.Loop(request("t", nil, 2_000))
	if l.Turn() != nil {
		t.Error("a turn before the first step")
	}
	for n := 1; n <= len(ms); n += 2 {
		prompt, err := l.PrepareStep(t.Context(), ms[:n])
		if err != nil || !reflect.DeepEqual(prompt, l.Turn().Messages) || l.Turn().Compacted > 2_000 {
			t.Fatalf("step %d: %d tokens, %v", n, l.Turn().Compacted, err)
		}
	}
	if n := l.Turn().Plan.Version; n < 2 {
		t.Errorf("%d plans", n)
	}
	if _, err := e.Loop(request("", nil, 4_000)).PrepareStep(t.Context(), ms); err == nil {
		t.Error("a thread without a name")
	}
	huge := append(ms[:60:60], message.TextOf(message.User, strings.Repeat("a long question ", 2_000)))
	if _, err := e.Loop(request("u", nil, 1_000)).PrepareStep(t.Context(), huge); !errors.Is(err, precis.ErrImpossible) {
		t.Errorf("impossible, and the error is %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if prompt, err := l.PrepareStep(over, ms); !errors.Is(err, context.Canceled) || len(prompt) == 0 {
		t.Errorf("%d messages, %v", len(prompt), err)
	}
	st.torn = errors.New("disk full")
	if prompt, err := e.Loop(request("v", nil, 4_000)).PrepareStep(t.Context(), ms); err != nil || !reflect.DeepEqual(prompt, ms) {
		t.Errorf("%d messages of %d, %v", len(prompt), len(ms), err)
	}
}

// What the loop observes calibrates the counts of models whose encoding is not
// public: a provider that counts more than was estimated gets smaller prompts.
//
// SPEC: L12, V4
func TestLoopLearnsCounts(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New()})
	m, _ := model.Lookup("claude-sonnet-4-5")
	l := e.Loop(precis.Input{Thread: "t", Model: m, Budget: 6_000})
	ms := work(100, 10)
	var first, last int
	for n := 21; n <= len(ms); n += 6 {
		if _, err := l.PrepareStep(t.Context(), ms[:n]); err != nil {
			t.Fatal(err)
		}
		size := len(said(l.Turn()))
		l.Observe(codec.Usage{Context: size}) // a token a byte
		if n == 21 {
			first = l.Turn().Compacted * 1000 / size
		}
		last = l.Turn().Compacted * 1000 / size
	}
	if last <= first {
		t.Errorf("%d tokens in a thousand bytes at first, %d at last", first, last)
	}
}

// A proposal prepared ahead is dropped when the history it consumed was edited: the
// branch the client came back with is planned on its own.
//
// SPEC: B11, V2, V10
func TestProposalFallsWithItsHistory(t *testing.T) {
	ready := make(chan struct{}, 10)
	var bus event.Bus
	bus.Subscribe(func(v event.Event) {
		if v.Kind == event.ProposalReady {
			ready <- struct{}{}
		}
	}, event.Options{})
	e := newWith(t, precis.Options{Store: memory.New(), Summarizer: &scribe{}, Background: true, Events: &bus})
	ms := work(60, 10)
	prepared(t, e, request("t", ms[:71], 4_000))
	<-ready
	edited := append([]message.Message{message.TextOf(message.User, "another task")}, ms[1:91]...)
	turn := prepared(t, e, request("t", edited, 4_000))
	if turn.Key.Thread == "t" || turn.Outcome != precis.Compacted {
		t.Fatalf("%s of %s", turn.Outcome, turn.Key.Thread)
	}
	if text := said(turn); strings.Contains(text, "the task\n") || !strings.Contains(text, "another task") {
		t.Errorf("the proposal of the other branch was applied:\n%s", text)
	}
	for _, r := range turn.Plan.Records {
		for _, id := range r.Span.IDs {
			if _, ok := turn.Thread.Find(id); !ok {
				t.Errorf("%s is no message of this branch", id)
			}
		}
	}
}

// Shadow mode under every preset: what goes out is what came in, nothing is
// committed, and what would have happened is told.
//
// SPEC: B15, V11
func TestShadowOfEveryPreset(t *testing.T) {
	for _, name := range policy.Names() {
		var bus event.Bus
		told := record(t, &bus)
		st := memory.New()
		e := newWith(t, precis.Options{Store: st, Policy: policyOf(t, name), Shadow: true, Events: &bus})
		ms := hosts(60)
		turn := prepared(t, e, request("t", ms, 4_000))
		if !reflect.DeepEqual(turn.Messages, ms) || turn.Outcome != precis.Shadowed || turn.Shadow == nil || turn.Shadow.Outcome != precis.Compacted || turn.Shadow.Compacted > 4_000 {
			t.Errorf("%s: %s, %+v", name, turn.Outcome, turn.Shadow)
		}
		k := store.Key{Thread: "t"}
		if infos, err := st.PlanVersions(t.Context(), k); err != nil || len(infos) > 0 {
			t.Errorf("%s: %d plans, %v", name, len(infos), err)
		}
		if as, err := st.ArtifactList(t.Context(), k); err != nil || len(as) > 0 {
			t.Errorf("%s: %d artifacts, %v", name, len(as), err)
		}
		if n := count(told(), event.ShadowResult); n != 1 {
			t.Errorf("%s: told %d times", name, n)
		}
	}
}
