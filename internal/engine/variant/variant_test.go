package variant

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

func text(s string) message.Part { return message.Part{Kind: message.Text, Text: s} }

func thought(s string) message.Part {
	return message.Part{Kind: message.Thinking, Text: s, Signature: "signed " + s}
}

func call(id string) message.Part {
	return message.Part{Kind: message.Call, CallID: id, Name: "read", Args: "{}"}
}

func said(raw string, parts ...message.Part) message.Message {
	m := message.Message{Role: message.Assistant, Parts: parts, Dialect: "test"}
	if raw != "" {
		m.Raw = []byte(raw)
	}
	return m
}

// The parts of a client's form stand where the logged ones do; thinking and empty text
// that it leaves out is empty there, what it adds of them comes last.
//
// SPEC: V2
func TestAlign(t *testing.T) {
	gone := message.Part{Kind: message.Thinking}
	for name, c := range map[string]struct {
		own, logged []message.Part
		raw         string
		want        []message.Part // nil: they cannot stand so
	}{
		"the same":                {[]message.Part{thought("a"), text("b")}, []message.Part{thought("a"), text("b")}, "", []message.Part{thought("a"), text("b")}},
		"thinking left out":       {[]message.Part{text("b")}, []message.Part{thought("a"), text("b")}, "", []message.Part{gone, text("b")}},
		"all thinking left out":   {[]message.Part{call("1")}, []message.Part{thought("a"), call("1"), thought("b")}, "", []message.Part{gone, call("1"), gone}},
		"thinking added":          {[]message.Part{thought("a"), text("b")}, []message.Part{text("b")}, "raw", []message.Part{text("b"), thought("a")}},
		"thinking added, no raw":  {[]message.Part{thought("a"), text("b")}, []message.Part{text("b")}, "", nil},
		"other thinking":          {[]message.Part{thought("x"), text("b"), call("1")}, []message.Part{text("b"), thought("a"), call("1")}, "raw", []message.Part{text("b"), gone, call("1"), thought("x")}},
		"empty text left out":     {[]message.Part{call("1")}, []message.Part{text(""), call("1")}, "", []message.Part{text(""), call("1")}},
		"empty text added":        {[]message.Part{text(""), call("1")}, []message.Part{call("1")}, "", []message.Part{call("1"), text("")}},
		"a part more":             {[]message.Part{text("b"), call("1")}, []message.Part{text("b")}, "raw", nil},
		"a part fewer":            {[]message.Part{text("b")}, []message.Part{text("b"), call("1")}, "raw", nil},
		"parts of other kinds":    {[]message.Part{thought("a"), call("1"), text("b")}, []message.Part{text("b"), call("1")}, "raw", nil},
		"parts parted otherwise":  {[]message.Part{text("a"), text("b")}, []message.Part{text("ab")}, "raw", nil},
		"nothing but empty parts": {nil, []message.Part{thought("a"), text("")}, "", []message.Part{gone, text("")}},
	} {
		got, ok := Align(said(c.raw, c.own...), said("", c.logged...))
		if ok != (c.want != nil) || ok && !reflect.DeepEqual(got.Parts, c.want) {
			t.Errorf("%s: %v, %v", name, ok, got.Parts)
		}
	}
}

// Whatever a client leaves out or adds of thinking and empty text: each logged part has
// one of its kind at its place, whose content is the client's, and what is given stays.
//
// SPEC: V2
func TestAlignKeepsPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		var own, logged []message.Part
		for n := range r.IntN(6) {
			p := []message.Part{text(fmt.Sprint("t", n)), call(fmt.Sprint("c", n)), thought(fmt.Sprint("h", n)), text("")}[r.IntN(4)]
			lasting := p.Kind != message.Thinking && p.Text+p.CallID != ""
			if lasting || r.IntN(2) == 0 {
				own = append(own, p)
			}
			if lasting || r.IntN(2) == 0 {
				logged = append(logged, p)
			}
		}
		m, l := said("raw", own...), said("raw", logged...)
		was := [2]message.Message{m.Clone(), l.Clone()}
		got, ok := Align(m, l)
		if !reflect.DeepEqual([2]message.Message{m.Clone(), l.Clone()}, was) {
			t.Fatalf("changed what was given: %v, %v", own, logged)
		}
		if !ok {
			t.Fatalf("%v does not stand as %v", own, logged)
		}
		if sameLayout(own, logged) {
			continue // it stays as it came
		}
		for i, p := range logged {
			q := got.Parts[i]
			if q.Kind != p.Kind || p.Kind == message.Call && q.CallID != p.CallID || p.Kind == message.Text && q.Text != p.Text {
				t.Fatalf("%v in the place of %v: %v", got.Parts, logged, own)
			}
		}
		for _, q := range got.Parts[len(logged):] {
			if q.Kind != message.Thinking && !emptyText(q) {
				t.Fatalf("%v is added behind %v", q, logged)
			}
		}
	}
}

// A client's own messages stand in place of the logged ones, but for what was erased and
// what cannot stand so; the thread itself stays as it is.
//
// SPEC: V1, V2
func TestReceived(t *testing.T) {
	logged := []message.Message{said("1", text("a")), said("2", thought("x"), text("b")), said("3", text("c")), said("4", text("d"))}
	es := thread.Extend("", logged)
	es[2].Erased, es[2].Counter, es[1].Counter = true, "exact", "exact"
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Received(th, logged)
	if err != nil || got != th {
		t.Errorf("what came as it is logged made another thread: %v", err)
	}
	came := []message.Message{logged[0], said(" 2 ", text("b")), said(" 3 ", text("c")), said(" 4 ", text("d"), call("1"))}
	if got, err = Received(th, came); err != nil {
		t.Fatal(err)
	}
	for i, raw := range []string{"1", " 2 ", "3", "4"} {
		if m := got.At(i).Message; string(m.Raw) != raw || got.At(i).ID != th.At(i).ID {
			t.Errorf("message %d is %q", i, m.Raw)
		}
	}
	if got.At(1).Counter != "" || th.At(1).Counter != "exact" || string(th.At(1).Message.Raw) != "2" {
		t.Error("another form keeps the count, or the logged one lost it")
	}
	came[1].Raw[0] = 'x'
	if string(got.At(1).Message.Raw) != " 2 " {
		t.Error("it shares its bytes with what the client sent")
	}
}

// A form is logged once: what is known is not missing, and what is asked about stays.
//
// SPEC: V1
func TestKnown(t *testing.T) {
	var k Known
	vs := []store.Variant{{ID: "a", Raw: []byte("1")}, {ID: "a", Raw: []byte("2")}, {ID: "b", Raw: []byte("1")}}
	if got := k.Missing(vs); len(got) != 3 {
		t.Errorf("%d of 3 are missing in an empty set", len(got))
	}
	k.Add(vs[:1])
	asked := []store.Variant{vs[0], vs[1], vs[2]}
	if got := k.Missing(asked); len(got) != 2 || string(got[0].Raw) != "2" || got[1].ID != "b" {
		t.Errorf("missing %v", got)
	}
	if !reflect.DeepEqual(asked, vs) {
		t.Errorf("what was asked about became %v", asked)
	}
}

// Only what was sent in other bytes than it is logged in is another form.
//
// SPEC: V1
func TestOf(t *testing.T) {
	th, err := thread.New(thread.Extend("", []message.Message{said("1", text("a")), said("2", text("b")), said("3", text("c"))}))
	if err != nil {
		t.Fatal(err)
	}
	vs := Of(th, []message.Message{said("1", text("a")), said("2 ", text("b")), said("", text("c"))})
	if len(vs) != 1 || vs[0].ID != th.At(1).ID || !bytes.Equal(vs[0].Raw, []byte("2 ")) || vs[0].Dialect != "test" {
		t.Errorf("other forms %v", vs)
	}
}

// Copies share no slice with what they were made of, at any depth.
func TestClone(t *testing.T) {
	result := message.Part{Kind: message.Result, CallID: "1", Parts: []message.Part{text("a")}}
	ms := []message.Message{said("1", result)}
	out := Clone(ms)
	out[0].Parts[0].Parts[0].Text, out[0].Parts[0].CallID, out[0].Role = "b", "2", message.User
	if !reflect.DeepEqual(ms, []message.Message{said("1", result)}) || ms[0].Parts[0].Parts[0].Text != "a" {
		t.Errorf("the original became %v", ms)
	}
}

// What is sent is compared in all that a provider sees; content in what it says and
// counts by.
func TestSameness(t *testing.T) {
	media := func(raw string) message.Part { return message.Part{Kind: message.Media, Raw: []byte(raw)} }
	for name, c := range map[string]struct {
		a, b               message.Message
		identical, content bool
	}{
		"the same":       {said("1", text("a")), said("1", text("a")), true, true},
		"other bytes":    {said("1", text("a")), said(" 1", text("a")), false, true},
		"other text":     {said("1", text("a")), said("1", text("b")), false, false},
		"other thinking": {said("1", thought("a")), said("1", thought("b")), false, false},
		"other picture":  {said("1", media("x")), said("1", media("y")), false, false},
		"more parts":     {said("1", text("a")), said("1", text("a"), text("")), false, false},
		"other dialect":  {said("1", text("a")), func() message.Message { m := said("1", text("a")); m.Dialect = "z"; return m }(), false, false},
	} {
		if got := Identical(&c.a, &c.b); got != c.identical {
			t.Errorf("%s: identical %v", name, got)
		}
		if got := SameContent(&c.a, &c.b); got != c.content {
			t.Errorf("%s: same content %v", name, got)
		}
	}
}

// What a tool declared of its result when that was logged stands with the client's form.
func TestWithDeclared(t *testing.T) {
	logged := said("1", message.Part{Kind: message.Result, Declared: []byte(`{"a":1}`)}, text("x"))
	own := said("2", message.Part{Kind: message.Result}, text("x"))
	if got := WithDeclared(own, logged); string(got.Parts[0].Declared) != `{"a":1}` || own.Parts[0].Declared != nil {
		t.Errorf("declared %s, and the given one has %s", got.Parts[0].Declared, own.Parts[0].Declared)
	}
	if got := WithDeclared(said("2", text("x")), logged); len(got.Parts) != 1 {
		t.Error("a message of another layout was changed")
	}
}
