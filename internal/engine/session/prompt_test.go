package session

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/testthread"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/token"
)

// calls is a message of the model that calls a tool, with ids.
func calls(ids ...string) message.Message {
	m := message.Message{Role: message.Assistant}
	for _, id := range ids {
		m.Parts = append(m.Parts, message.Part{Kind: message.Call, CallID: id, Name: "read", Args: "{}"})
	}
	return m
}

func results(ids ...string) message.Message {
	m := message.Message{Role: message.Tool}
	for _, id := range ids {
		m.Parts = append(m.Parts, message.Part{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: "found"}}})
	}
	return m
}

// settled is the prompt of a history without a plan.
func settled(th *thread.Thread) *Prompt {
	out := render.Prompt(th, nil, nil)
	return NewPrompt(Settled{Thread: th, Messages: out.Messages, Origins: out.Origins})
}

func count(e *thread.Entry) int { return token.Session().Message(e.Message) }

// A prompt with an open call cannot be continued: its result changes what is there.
func TestOpenCallIsNotSettled(t *testing.T) {
	if settled(testthread.Of(t, append(talk(3), calls("1"))...)) != nil || settled(testthread.Of(t)) != nil {
		t.Error("it is settled")
	}
	if settled(testthread.Of(t, append(talk(3), calls("1"), results("1"))...)) == nil {
		t.Error("a whole round is not settled")
	}
}

// A prompt that goes on is the prompt that is made of all, wherever the history is cut.
//
// SPEC: V6
func TestGrownIsThePromptOfAll(t *testing.T) {
	ms := append(talk(3), calls("1", "2"), results("1", "2"), talk(1)[0], calls("3"), results("3"), message.TextOf(message.Assistant, "Done."), talk(1)[0])
	for n := 1; n < len(ms); n++ {
		begun := testthread.Of(t, ms[:n]...)
		whole, err := begun.Append(thread.Extend(begun.Tip(), ms[n:]))
		if err != nil {
			t.Fatal(err)
		}
		p := settled(begun)
		if p == nil || !p.Extends(whole) { // it ends within a round
			continue
		}
		if !p.Matches(ms) {
			t.Fatalf("%d messages do not match themselves", n)
		}
		th, err := p.Branch(whole, ms)
		if err != nil || th != whole {
			t.Fatalf("%d: another thread, %v", n, err)
		}
		if !p.Grow(th, 1<<20, count) {
			t.Fatalf("%d messages do not grow", n)
		}
		want := settled(whole)
		if !reflect.DeepEqual(p.Render(ms), want.Render(ms)) || !reflect.DeepEqual(p.Origins, want.Origins) || p.load != want.load {
			t.Errorf("%d messages grew to another prompt", n)
		}
	}
}

// What is new has all of the prompt made anew where it needs a repair, leaves a call open
// or does not fit.
//
// SPEC: V3
func TestGrowRefuses(t *testing.T) {
	base := append(talk(3), calls("1"), results("1"))
	for name, c := range map[string]struct {
		fresh []message.Message
		most  int
		want  bool
	}{
		"an answer":            {talk(2)[1:], 1 << 20, true},
		"a round":              {[]message.Message{calls("2"), results("2")}, 1 << 20, true},
		"an id used again":     {[]message.Message{calls("1"), results("1")}, 1 << 20, false},
		"an id used twice":     {[]message.Message{calls("2", "2"), results("2")}, 1 << 20, false},
		"no id":                {[]message.Message{calls(""), results("")}, 1 << 20, false},
		"an open call":         {[]message.Message{calls("2")}, 1 << 20, false},
		"a missing result":     {[]message.Message{calls("2", "3"), results("2"), talk(1)[0]}, 1 << 20, false},
		"a result of no call":  {[]message.Message{results("2")}, 1 << 20, false},
		"more than the budget": {talk(2), 1, false},
	} {
		p, th := settled(testthread.Of(t, base...)), testthread.Of(t, append(base[:len(base):len(base)], c.fresh...)...)
		if got := p.Extends(th) && p.Grow(th, c.most, count); got != c.want {
			t.Errorf("%s: grows %v", name, got)
		}
	}
	derived := message.DerivedID("read")
	p, th := settled(testthread.Of(t, append(talk(3), calls(derived), results(derived))...)), testthread.Of(t, append(talk(3), calls(derived), results(derived), calls(derived), results(derived))...)
	if !p.Grow(th, 1<<20, count) {
		t.Error("an id that a codec made does not come again")
	}
}

// A history in other bytes matches where nothing that a plan touches differs; those bytes
// are sent, and counted.
//
// SPEC: V1, V3
func TestMatchesOtherBytes(t *testing.T) {
	ms := talk(4)
	for i := range ms {
		ms[i].Raw, ms[i].Dialect = fmt.Appendf(nil, `{"text":"message %d"}`, i), "test"
	}
	other := append([]message.Message(nil), ms...)
	other[1].Raw = append([]byte(nil), `{ "text": "message 1", "cache": true }`...)
	th := testthread.Of(t, ms...)
	p := settled(th)
	if !p.Matches(other) || string(p.Render(other)[1].Raw) != string(other[1].Raw) || string(p.Messages[1].Raw) != string(ms[1].Raw) {
		t.Error("the bytes that came are not those that go out")
	}
	own := token.LoadOf(other[1]).Bytes - token.LoadOf(ms[1]).Bytes
	if most := (token.Load{Bytes: p.load.Bytes + own}); own <= 0 || !p.Within(p.Render(other), most) || p.Within(p.Render(other), token.Load{Bytes: most.Bytes - 1}) {
		t.Error("the bytes that go out are not those that count")
	}
	said := append([]message.Message(nil), ms...)
	said[1] = message.TextOf(message.Assistant, "something else")
	if p.Matches(said) {
		t.Error("other words match")
	}
	touched, err := plan.Build(plan.Plan{Records: []plan.Record{{Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{th.At(1).ID}}}}}, th)
	if err != nil {
		t.Fatal(err)
	}
	p.Plan = touched
	if p.Matches(other) {
		t.Error("other bytes match in a message that a plan touches")
	}
	if !p.Matches(ms) {
		t.Error("the logged bytes do not match")
	}
}
