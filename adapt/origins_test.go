package adapt

import (
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
)

// A part that is no part of the own message counts as edited, whether or not the plan says so: what a
// framework holds for the own part must not stand in its place.
//
// SPEC: B26
func TestPartsOfOtherContentAreEdited(t *testing.T) {
	result := func(id, text string) message.Part {
		return message.Part{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: text}}}
	}
	own := []message.Part{result("a", "one"), result("b", "two"), result("c", "three")}
	shown := []message.Part{result("c", "three"), result("b", "short")}
	if of := origins(own, shown); !slices.Equal(of, []int{2, 1}) {
		t.Errorf("made from %v", of)
	}
	if shown[0].Edited || !shown[1].Edited {
		t.Errorf("edited: %t and %t, want the second alone", shown[0].Edited, shown[1].Edited)
	}
}
