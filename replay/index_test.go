package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
)

// errand is a run whose every number can be checked by hand: message i stands
// at token 100·i.
const errand = `
system: Work in /srv/app/main.go carefully.
user: The limiter in src/limit/bucket.go refuses order HX-4821-B, see common_word_here.
call c1 run_command {"command_line": "grep -n token_bucket_limit src/limit/bucket.go"}
result c1 42: refill rate of token_bucket_limit is 48213\n43: return os.path.join
call c2 run_command {"command_line": "ls"}
result c2 nothing to see
assistant: I will call my_own_helper_name now; common_word_here.
user: go on
assistant: Set 48213 for order HX-4821-B with my_own_helper_name, os.path.join, common_word_here and /srv/app/main.go.
`

// SPEC: B10. Which values each step needs, how far back they were, and which
// are strict.
func TestNeeds(t *testing.T) {
	j := hundred
	j.Common = map[string]bool{"common_word_here": true}
	x := NewIndex(Run{Messages: script(t, errand)}, j)
	names := map[int32]string{}
	for v, id := range maps.All(x.ids) {
		names[id] = v
	}
	var got []string
	for _, s := range x.steps {
		for _, n := range s.needs {
			got = append(got, fmt.Sprintf("step %d needs %s from %d tokens back, strict %v", s.at, names[n.value], n.distance, n.strict))
		}
	}
	slices.Sort(got)
	// The system prompt's path and the tool's and argument's names are nobody's need.
	want := []string{
		"step 2 needs src/limit/bucket.go from 0 tokens back, strict true",
		"step 6 needs common_word_here from 400 tokens back, strict false",
		"step 8 needs 48213 from 400 tokens back, strict true",
		"step 8 needs HX-4821-B from 600 tokens back, strict true",
		"step 8 needs common_word_here from 100 tokens back, strict false",
		"step 8 needs my_own_helper_name from 100 tokens back, strict false",
		"step 8 needs os.path.join from 400 tokens back, strict false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A run enters when it is longer than 1.05 budgets and its head is at most half
// of one: here 900 tokens and 200.
func TestEnters(t *testing.T) {
	x := NewIndex(Run{Messages: script(t, errand)}, hundred)
	for budget, want := range map[int]bool{399: false, 400: true, 857: true, 858: false} {
		if got := x.enters(budget); got != want {
			t.Errorf("Enters(%d) = %v", budget, got)
		}
	}
}

// A quarter budget is the border of LR, a whole one that of XLR.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		n    need
		want [classes]bool
	}{
		{need{distance: 100, strict: true}, [classes]bool{All: true}},
		{need{distance: 101, strict: false}, [classes]bool{All: true, LongRange: true}},
		{need{distance: 400, strict: true}, [classes]bool{All: true, LongRange: true, LongRangeStrict: true}},
		{need{distance: 401, strict: true}, [classes]bool{true, true, true, true, true}},
	} {
		if got := c.n.classes(400); got != c.want {
			t.Errorf("%+v is in %v, want %v", c.n, got, c.want)
		}
	}
}

// Arguments are read unescaped, and a whole short string is a phrase.
func TestDecoded(t *testing.T) {
	m := message.Message{Parts: []message.Part{{Kind: message.Call, Args: `{"note":"first line\n/a/b.py","list":[7,{"title":"hello big world"}]}`}}}
	ts := texts(m)
	if len(ts) != 1 || ts[0].s != "note: first line\n/a/b.py\nlist: 7\ntitle: hello big world\n" {
		t.Fatalf("texts = %+v", ts)
	}
	var got []string
	for _, v := range ts[0].values() {
		got = append(got, string(v.Kind)+" "+v.Text)
	}
	if diff := cmp.Diff([]string{"path /a/b.py", "phrase hello big world"}, got); diff != "" {
		t.Error(diff)
	}
}

// The words that support a value: of its line, without stop words, without
// those inside values and of the value itself; near ones where the line has none.
func TestMentions(t *testing.T) {
	for _, c := range []struct{ text, near, line string }{
		{"the limiter of src/a.py counts Requests with pkg/count/zero.go\nthen stops", "limiter counts requests stops", "limiter counts requests"},
		{"listing follows\nsrc/a.py\nend here", "listing follows", "listing follows"},
		{"far away" + strings.Repeat(" .", 60) + "src/a.py", "", "away"},
	} {
		ms := mentions(message.TextOf(message.User, c.text), true)
		if ms[0].value.Text != "src/a.py" {
			t.Fatalf("first value is %+v", ms[0].value)
		}
		if got := join2(ms[0].near); got != c.near {
			t.Errorf("%q: near %q, want %q", c.text, got, c.near)
		}
		if got := join2(ms[0].line); got != c.line {
			t.Errorf("%q: line %q, want %q", c.text, got, c.line)
		}
	}
}

func join2(ws []word) string {
	var out []string
	for _, w := range ws {
		out = append(out, w.text)
	}
	return strings.Join(out, " ")
}
