package thread

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
)

// Threads appended to one another share arrays, at once and in any order; none
// of them ever sees what another one wrote.
//
// SPEC: V1, L17
func TestViewsStayApart(t *testing.T) {
	base, err := New(Extend("", []message.Message{message.TextOf(message.User, "go")}))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			at := base
			for n := range 60 {
				m := message.TextOf(message.Assistant, fmt.Sprintf("%d.%d", g, n))
				grown, err := at.Append(Extend(at.Tip(), []message.Message{m}))
				if err != nil {
					t.Error(err)
					return
				}
				at = grown
			}
			for n := range 60 {
				if got := at.At(n + 1).Message.Parts[0].Text; got != fmt.Sprintf("%d.%d", g, n) {
					t.Errorf("writer %d reads %q at %d", g, got, n)
					return
				}
			}
		})
	}
	all.Wait()
}

// A thread grown bit by bit is the thread made at once, and what it grew from is
// as it was.
func TestGrownIsWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var ms []message.Message
		for range rapid.IntRange(1, 30).Draw(rt, "messages") {
			id := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "id")
			ms = append(ms, rapid.SampledFrom([]message.Message{
				message.TextOf(message.User, "hm"), message.TextOf(message.Assistant, "so"), message.TextOf(message.System, "now"),
				{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "f", Args: "{}"}}},
				{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id}}},
			}).Draw(rt, "message"))
		}
		es := Extend("", ms)
		var views []*Thread
		at := &Thread{}
		for i := 0; i < len(es); {
			n := min(i+rapid.IntRange(1, 4).Draw(rt, "step"), len(es))
			grown, err := at.Append(slices.Clone(es[i:n]))
			if err != nil {
				rt.Fatal(err)
			}
			at, i = grown, n
			views = append(views, at)
		}
		for _, v := range views {
			whole, err := New(slices.Clone(es[:v.Len()]))
			if err != nil {
				rt.Fatal(err)
			}
			if !slices.Equal(v.ids, whole.ids) || !slices.Equal(v.systems, whole.systems) || v.reuse != whole.reuse {
				rt.Fatalf("of %d messages: %v %d, want %v %d", v.Len(), v.systems, v.reuse, whole.systems, whole.reuse)
			}
			if !slices.Equal(v.units, whole.units) || !slices.Equal(v.turns, whole.turns) {
				rt.Fatalf("of %d messages: %v %v, want %v %v", v.Len(), v.units, v.turns, whole.units, whole.turns)
			}
			for i := range v.Len() {
				if at, ok := v.Find(es[i].ID); !ok || at != i {
					rt.Fatalf("message %d is found at %d", i, at)
				}
			}
		}
	})
}
