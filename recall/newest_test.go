package recall_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
)

// rounds are calls with their results, each a name, its arguments and what it gave.
func rounds(of ...[3]string) (ms []message.Message) {
	ms = append(ms, message.TextOf(message.User, "go"))
	for n, c := range of {
		id := fmt.Sprintf("c%d", n)
		ms = append(ms, message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: c[0], Args: c[1]}}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: c[2]}}}}})
	}
	return ms
}

// What a call writes is searched and read as it reads, line by line, also where
// arguments or a result are JSON with escapes.
//
// SPEC: L22, B8
func TestSearchSeesArgumentsAsTheyRead(t *testing.T) {
	ms := rounds(
		[3]string{"edit", `{"path":"conf.py","old":"x","new":"import os\n\nTIMEOUT = 451\nnote = \"north gate\"\n"}`, "ok"},
		[3]string{"run", `{"command":["bash","-lc","echo \"a\nb\""]}`, `{"output":"first\nsecond heron\n","exit_code":0}`})
	r := log(t, ms...)
	for query, want := range map[string]string{
		"TIMEOUT":    "#2/1 5 TIMEOUT = 451",
		"north gate": `#2/1 6 note = "north gate"`,
		"heron":      "#5/1 2 second heron",
	} {
		got, err := r.Search(ctx, recall.Topic{Text: query, Limit: 1})
		if err != nil || len(got.Hits) != 1 {
			t.Fatalf("%s: %+v, %v", query, got, err)
		}
		h := got.Hits[0]
		if s := fmt.Sprintf("%s %d %s", h.Ref, h.Line, h.Text); s != want {
			t.Errorf("%s: %q, want %q", query, s, want)
		}
		args, _ := json.Marshal(map[string]any{"id": h.Ref, "from_line": h.Line, "to_line": h.Line})
		if text, failed := (recall.ToolHandler{Who: ann}).Answer(ctx, r, "precis_read", args); failed || !strings.Contains(text, "\n"+h.Text+"\n") {
			t.Errorf("%s is not read at its line: %s", query, text)
		}
		args, _ = json.Marshal(map[string]any{"query": "^" + strings.Split(h.Text, " ")[0], "regexp": true})
		if text, failed := (recall.ToolHandler{Who: ann}).Answer(ctx, r, "precis_grep", args); failed || !strings.Contains(text, fmt.Sprintf("%6d: %s\n", h.Line, h.Text)) {
			t.Errorf("%s is not found by expression: %s", query, text)
		}
	}
	if page, err := r.Read(ctx, "#2", recall.Range{}); err != nil || page.Text != ms[1].Parts[0].Args {
		t.Errorf("what was logged is read as %q, %v", page.Text, err)
	}
}

// A hit says whether its file or its value was given another state later.
//
// SPEC: L22
func TestHitsTellTheNewestState(t *testing.T) {
	r := log(t, append(rounds(
		[3]string{"read_file", `{"path":"/w/src/alpha.py"}`, "def alpha(): pass"},
		[3]string{"read_file", `{"path":"src/beta.py"}`, "def beta(): pass"},
		[3]string{"write_file", `{"path":"src/alpha.py","content":"def alpha(): return gamma"}`, "ok"}),
		message.TextOf(message.Assistant, "I set\nretries = 3"),
		message.TextOf(message.User, "no:\nretries = 5"))...)
	for query, want := range map[string]string{
		"alpha pass":      "#3/1: /w/src/alpha.py was written later, in #6",
		"beta pass":       "#5/1: the newest of src/beta.py in the log",
		"gamma":           "#6/1: the newest of src/alpha.py in the log",
		"set retries = 3": "#8/1: retries is 5 in #9",
	} {
		got, err := r.Search(ctx, recall.Topic{Text: query, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if s := got.Hits[0].Ref + ": " + got.Hits[0].Since; s != want {
			t.Errorf("%s: %q, want %q", query, s, want)
		}
	}
}

// What says the same is one hit, which names the others; what stands beside a hit comes
// with it; both come last.
//
// SPEC: L22
func TestRepeatsAreFolded(t *testing.T) {
	file := "one heron\ntwo\nthree\nfour\nfive heron heron\n"
	r := log(t, rounds(
		[3]string{"cat", `{"f":"a"}`, file},
		[3]string{"ls", `{"f":"b"}`, "nothing"},
		[3]string{"cat", `{"f":"c"}`, file},
		[3]string{"ls", `{"f":"d"}`, "nothing"},
		[3]string{"cat", `{"f":"e"}`, file + "six heron\n"},
		[3]string{"ls", `{"f":"g"}`, "nothing"},
		[3]string{"say", `{"f":"h"}`, "a heron"})...)
	got, err := r.Search(ctx, recall.Topic{Text: "heron", Limit: 2})
	if err != nil || got.Total != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	hits := map[string]string{}
	for _, h := range got.Hits {
		hits[h.Ref] = strings.Join(h.Repeats, " ")
	}
	if len(hits) != 2 || hits["#15/1"] != "" || !strings.Contains(fmt.Sprint(hits), "#3") {
		t.Errorf("%v", hits)
	}
	text, failed := recall.ToolHandler{Who: ann}.Answer(ctx, r, "precis_grep", json.RawMessage(`{"query":"heron","limit":2}`))
	if failed || !strings.Contains(text, "; the same again in #") {
		t.Error(text)
	}
}

// What left the prompt comes before what stands in it, where that is asked for.
//
// SPEC: L22
func TestLostComesFirst(t *testing.T) {
	r, _, _, _ := open(t)
	got, err := r.Search(ctx, recall.Topic{Text: "path main.c", Lost: true, Neighbours: -1})
	if err != nil || got.Hits[len(got.Hits)-1].Ref != "#4/1" {
		t.Errorf("%q, %v", brief(got.Hits), err)
	}
	for i := 1; i < len(got.Hits); i++ {
		if got.Hits[i].Score > got.Hits[i-1].Score {
			t.Errorf("scores rise: %+v", got.Hits)
		}
	}
}

// Of a long line the spot that matches is shown, also where no space parts it, for both
// kinds of search.
//
// SPEC: L22
func TestLongLinesShowTheSpot(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `{"k%d":"v%d"},`, i, i)
	}
	r := log(t, rounds([3]string{"get", `{}`, strings.Replace(b.String(), `"v1777"`, `"heron_nest"`, 1)})...)
	for _, args := range []string{`{"query":"heron_nest"}`, `{"query":"heron_n.st","regexp":true}`, `{"query":"heron_nest","id":"#3"}`} {
		text, failed := recall.ToolHandler{Who: ann}.Answer(ctx, r, "precis_grep", json.RawMessage(args))
		if failed || !strings.Contains(text, `"k1777":"heron_nest"`) || len(text) > 900 {
			t.Errorf("%s: %s", args, text)
		}
	}
}
