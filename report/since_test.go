package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Between two prompts, only what stood in the first can have left; a value that stands as a part
// of a longer one stands.
//
// SPEC: B12
func TestLeftSince(t *testing.T) {
	said := func(texts ...string) (ms []message.Message) {
		for _, s := range texts {
			ms = append(ms, message.TextOf(message.User, s))
		}
		return ms
	}
	call := message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: "1", Name: "bash", Args: `{"command":"make all"}`}}}
	log, err := thread.New(thread.Extend("", append(said("src/a.go src/b.go", "src/b.go"), call)))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		before, now []message.Message
		want        string
	}{
		"all of the log":        {nil, nil, "path 2 of 2: src/b.go #1, src/a.go #1; command 1 of 1: make all #3"},
		"one had left before":   {said("src/b.go, then `make all`"), said("ok"), "path 1 of 1: src/b.go #1; command 1 of 1: make all #3"},
		"both in a longer one":  {said("/w/src/a.go /w/src/b.go"), said("/w/src/a.go"), "path 1 of 2: src/b.go #1"},
		"nothing stood":         {said("ok"), nil, ""},
		"what came is no loss":  {said("ok"), said("src/a.go make all"), ""},
		"the same prompt again": {said("src/a.go"), said("src/a.go"), ""},
	} {
		var got []string
		for _, l := range LeftSince(log, c.before, c.now) {
			var names []string
			for _, v := range l.Values {
				names = append(names, fmt.Sprintf("%s #%d", v.Text, v.Message))
			}
			got = append(got, fmt.Sprintf("%s %d of %d: %s", l.Kind, l.Lost, l.Of, strings.Join(names, ", ")))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
}
