package render_test

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/thread"
)

// Under any plan whatever, every message is accounted for exactly once: whole,
// edited where a record says so, or under one covering record; what is whole is
// the message that was logged.
//
// SPEC: V2, V5, V10
func TestAnyPlanCoversOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		th := drawThread(rt)
		p, err := plan.Rebuild(plan.Plan{Style: rapid.SampledFrom([]string{"", "ladder", "session", "timeline", "truncate", "clip"}).Draw(rt, "style"), Records: drawRecords(rt, th)}, th)
		if err != nil {
			rt.Fatal(err)
		}
		r := render.Prompt(th, p, nil)
		stands := map[int]int{}
		for i, o := range r.Origins {
			if o.Record != nil && o.Record.Answer != "" && r.Messages[i].Role == message.Tool && o.Record.Span.Part > 0 {
				continue // an answer stands beside its call's message
			}
			if o.Record != nil && i > 0 && r.Origins[i-1] == o {
				continue // what stands after the first message of a summary
			}
			stands[o.First]++
			if o.Record == nil && !r.Messages[i].Edited && !reflect.DeepEqual(r.Messages[i], th.At(o.First).Message) {
				rt.Fatalf("message %d is whole and not itself", o.First)
			}
		}
		for i := range th.Len() {
			checkOnce(rt, th, p, i, stands[i])
		}
		checkExcerpts(rt, p, r)
		if again := render.Prompt(th, p, nil); !reflect.DeepEqual(r, again) {
			rt.Fatal("rendered twice, two prompts")
		}
	})
}

func checkOnce(rt *rapid.T, th *thread.Thread, p *plan.Plan, i, times int) {
	id := th.At(i).ID
	want := 1
	switch r := p.Whole(id); {
	case r == nil:
		if allDropped(th, p, i) {
			want = 0
		}
	case r.Action == plan.Drop, (r.Action == plan.Summarize || r.Action == plan.Externalize) && r.Span.Start() != id:
		want = 0
	}
	if times != want {
		rt.Fatalf("message %d stands %d times, want %d (%s)", i, times, want, p.ActionOf(id))
	}
}

// checkExcerpts fails where a summary's messages are not its excerpts, in order and told to be no words of
// a user's, then its text.
func checkExcerpts(rt *rapid.T, p *plan.Plan, r render.Result) {
	shown := map[*plan.Record][]message.Message{}
	for i, o := range r.Origins {
		if o.Record != nil && o.Record.Action == plan.Summarize && o.Record.Span.Part == 0 {
			shown[o.Record] = append(shown[o.Record], r.Messages[i])
		}
	}
	s := render.StyleOf(p.Style)
	for rec, ms := range shown {
		for i, e := range rec.Excerpts {
			if m := ms[i]; m.Role != s.Role || !m.Edited || m.Parts[0].Text != render.ExcerptHead+e {
				rt.Fatalf("excerpt %d of %q is %+v", i, rec.Excerpts, m)
			}
		}
		if text := ms[len(rec.Excerpts)].Parts[0].Text; text != s.Head(rec)+rec.Text {
			rt.Fatalf("%q is below the excerpts", text)
		}
	}
}

func allDropped(th *thread.Thread, p *plan.Plan, i int) bool {
	for n := range th.At(i).Message.Parts {
		if r := p.Part(th.At(i).ID, n+1); r == nil || r.Action != plan.Drop {
			return false
		}
	}
	return len(th.At(i).Message.Parts) > 0
}

// drawThread makes messages of every part kind.
func drawThread(rt *rapid.T) *thread.Thread {
	kinds := []message.Kind{message.Text, message.Thinking, message.Call, message.Result, message.Media, message.Opaque}
	roles := []message.Role{message.System, message.User, message.Assistant, message.Tool}
	var ms []message.Message
	for i := range rapid.IntRange(1, 12).Draw(rt, "messages") {
		m := message.Message{Role: rapid.SampledFrom(roles).Draw(rt, "role"), Raw: []byte(fmt.Sprint(i))}
		for range rapid.IntRange(1, 3).Draw(rt, "parts") {
			k := rapid.SampledFrom(kinds).Draw(rt, "kind")
			p := message.Part{Kind: k, Text: rapid.String().Draw(rt, "text"), CallID: rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "id")}
			switch k {
			case message.Result:
				p.Parts = []message.Part{{Kind: message.Text, Text: "out"}, {Kind: message.Media, MediaType: "image/png", Raw: []byte(`{}`)}}
			case message.Call:
				p.Name, p.Args = "f", `{"x":1}`
			case message.Media, message.Opaque:
				p.Raw = []byte(`{"type":"x"}`)
			}
			m.Parts = append(m.Parts, p)
		}
		ms = append(ms, m)
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		rt.Fatal(err)
	}
	return th
}

func drawRecords(rt *rapid.T, th *thread.Thread) []plan.Record {
	actions := []plan.Action{plan.Replace, plan.Clear, plan.Summarize, plan.Externalize, plan.Drop}
	hows := []plan.ReplaceKind{plan.Preview, plan.Repaired, plan.Hidden}
	var rs []plan.Record
	for range rapid.IntRange(0, 6).Draw(rt, "records") {
		from := rapid.IntRange(0, th.Len()-1).Draw(rt, "from")
		r := plan.Record{Action: rapid.SampledFrom(actions).Draw(rt, "action"), Text: "instead", Artifact: "a1", Tool: "f", Outcome: "success"}
		if r.Action == plan.Replace {
			r.Kind = rapid.SampledFrom(hows).Draw(rt, "how")
		}
		if r.Action == plan.Summarize {
			r.Excerpts = rapid.SliceOfN(rapid.SampledFrom([]string{"", "Lines of the log:\n#1 user: a"}), 0, 3).Draw(rt, "excerpts")
		}
		if rapid.Bool().Draw(rt, "whole") {
			r.Span = span(th, from, min(from+rapid.IntRange(0, 3).Draw(rt, "more"), th.Len()-1), 0)
		} else {
			r.Span = span(th, from, from, rapid.IntRange(1, len(th.At(from).Message.Parts)).Draw(rt, "part"))
			r.Answer = rapid.SampledFrom([]string{"", "none"}).Draw(rt, "answer")
			r.CallID = rapid.SampledFrom([]string{"", "c"}).Draw(rt, "call id")
			r.Orphan = rapid.Bool().Draw(rt, "orphan")
		}
		rs = append(rs, r)
	}
	return rs
}
