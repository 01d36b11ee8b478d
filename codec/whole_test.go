package codec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

func call(id, args string) message.Part {
	return message.Part{Kind: message.Call, CallID: id, Name: "f", Args: args}
}

func custom(id, args, kind string) message.Part {
	p := call(id, args)
	p.Raw = []byte(`{"type":"` + kind + `"}`)
	return p
}

func said(ps ...message.Part) message.Message {
	return message.Message{Role: message.Assistant, Raw: []byte("{}"), Dialect: "x", Parts: ps}
}

// What is left of an answer that broke off, and how many calls are not.
//
// SPEC: G2 · WE2, WE3
func TestWhole(t *testing.T) {
	text := message.Part{Kind: message.Text, Text: "so"}
	thought := message.Part{Kind: message.Thinking, Text: "hm"}
	for _, tt := range []struct {
		name  string
		parts []message.Part
		want  []message.Part // nil: nothing changes
		cut   int
	}{
		{"nothing", nil, nil, 0},
		{"text", []message.Part{thought, text}, nil, 0},
		{"only call", []message.Part{call("a", "{}")}, []message.Part{}, 1},
		{"last call, though it is JSON", []message.Part{text, call("a", "{}")}, []message.Part{text}, 1},
		{"last call of three", []message.Part{call("a", "{}"), call("b", ""), call("c", `{"x":`)}, []message.Part{call("a", "{}"), call("b", "")}, 1},
		{"incomplete ones before", []message.Part{call("a", `{"x":`), call("b", `{} {}`), call("c", "{}"), text}, []message.Part{call("c", "{}"), text}, 2},
		{"call before text", []message.Part{call("a", "{}"), text}, nil, 0},
		{"free text is never JSON", []message.Part{custom("a", "*** x", "custom"), custom("b", "*** y", "custom_tool_call"), call("c", "{")}, []message.Part{custom("a", "*** x", "custom"), custom("b", "*** y", "custom_tool_call")}, 1},
		{"thought at the end", []message.Part{text, thought}, []message.Part{text}, 0},
		{"thought of the call that goes", []message.Part{text, thought, thought, call("a", "{")}, []message.Part{text}, 1},
		{"thought of a call that stays", []message.Part{thought, call("a", "{}"), thought, call("b", "{}")}, []message.Part{thought, call("a", "{}")}, 1},
		{"result of the provider's own", []message.Part{{Kind: message.Opaque, Raw: []byte("{}")}}, nil, 0},
	} {
		for _, stop := range []codec.Stop{"", codec.StopLength, codec.StopWindow, codec.StopRefusal} {
			r := &codec.Reply{Stop: stop, Message: said(tt.parts...)}
			want := []message.Message{r.Message}
			if tt.want != nil {
				want[0].Parts, want[0].Edited = tt.want, true
			}
			if tt.want != nil && len(tt.want) == 0 {
				want = []message.Message{}
			}
			before := said(append([]message.Part(nil), tt.parts...)...)
			got, cut := r.Whole()
			if d := cmp.Diff(want, got); cut != tt.cut || d != "" {
				t.Errorf("%s, stop %q: %d cut %s", tt.name, stop, cut, d)
			}
			if d := cmp.Diff(before, r.Message); d != "" {
				t.Errorf("%s: the reply changed: %s", tt.name, d)
			}
		}
		for _, stop := range []codec.Stop{codec.StopEnd, codec.StopCalls, codec.StopPause, codec.StopCompaction, codec.StopOther} {
			r := &codec.Reply{Stop: stop, Message: said(tt.parts...)}
			if got, cut := r.Whole(); cut != 0 || cmp.Diff(r.Messages(), got) != "" {
				t.Errorf("%s, stop %q: %d cut of an answer that ended", tt.name, stop, cut)
			}
		}
	}
}

// An answer of several messages loses its last ones.
//
// SPEC: G2 · WE2, WO3
func TestWholeItems(t *testing.T) {
	thought := said(message.Part{Kind: message.Thinking})
	r := &codec.Reply{Stop: codec.StopLength, Items: []message.Message{thought, said(call("a", "{}")), thought, said(call("b", "{"))}}
	got, cut := r.Whole()
	if d := cmp.Diff(r.Items[:2], got); cut != 1 || d != "" {
		t.Errorf("%d cut %s", cut, d)
	}
	if r.Items[3].Edited || len(r.Items[3].Parts) != 1 {
		t.Error("the reply changed")
	}
	if ms, cut := (&codec.Reply{Items: []message.Message{}}).Whole(); len(ms) != 0 || cut != 0 {
		t.Errorf("of nothing: %v, %d", ms, cut)
	}
}
