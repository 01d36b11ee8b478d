package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
)

// session is a generated conversation: a task, and rounds of calls that repeat
// what was said before, and of results.
func session(seed uint64, rounds int) []Said {
	r := rand.New(rand.NewPCG(seed, 1))
	verbs := strings.Fields("read open check build move count parse write load print trim split")
	nouns := strings.Fields("harbour ledger crane vessel anchor cargo manifest berth tide pilot beacon winch grün 港口")
	phrase := func(n int) string {
		var w []string
		for range n {
			w = append(w, verbs[r.IntN(len(verbs))]+"_"+nouns[r.IntN(len(nouns))])
		}
		return strings.Join(w, " ")
	}
	said := func(role, text string) Said {
		return Said{Role: message.Role(role), Text: "<" + role + ">\n" + text + "\n"}
	}
	ms := []Said{said("system", "You work in a shell. "+phrase(8)), said("user", "Please make "+phrase(12)+" work again.")}
	var lines []string
	for i := range rounds {
		call := "run " + phrase(3)
		if len(lines) > 4 {
			call += "\nedit " + lines[r.IntN(len(lines))] + "\n" + lines[max(0, len(lines)-1-r.IntN(6))]
		}
		ms = append(ms, said("assistant", call))
		lines = append(lines, strings.Split(call, "\n")...)
		var out []string
		for range 5 + r.IntN(10) {
			out = append(out, fmt.Sprintf("src/%s/%s.go:%d: %s", nouns[r.IntN(len(nouns))], verbs[r.IntN(len(verbs))], r.IntN(900), phrase(4)))
		}
		ms = append(ms, said("tool", strings.Join(out, "\n")))
		lines = append(lines, out[0], fmt.Sprint("note ", i, " ", out[1]))
	}
	return ms
}

// prompts are two ways to leave something out: all but the first two and last
// five messages, and the second half of every older message.
func prompts(history []Said) map[string][]Said {
	n := len(history)
	if n < 8 {
		return map[string][]Said{"tail": history, "halves": history}
	}
	tail := append(history[:2:2], history[n-5:]...)
	halves := append([]Said{}, history...)
	for i := 2; i < n-3; i++ {
		text := []rune(halves[i].Text)
		halves[i].Text = string(text[:len(text)/2]) + "\n"
	}
	return map[string][]Said{"tail": tail, "halves": halves}
}

const budget = 2000

// judged calls f for every n-th action of three sessions whose history is well over
// the budget.
func judged(every int, f func(history []Said, action Said)) {
	at := 0
	for seed := range uint64(3) {
		ms := session(seed+1, 30)
		for i := 2; i < len(ms); i += 2 {
			if len([]rune(Join(ms[:i]))) > 42*budget/10 {
				if at%every == 0 {
					f(ms[:i], ms[i])
				}
				at++
			}
		}
	}
}

// What an action copies, who said it and how much of it two kinds of prompt have
// is what an independent program found in the same sessions, character for character.
//
// SPEC: B21
func TestReuseIsAnotherProgramsReuse(t *testing.T) {
	got := map[string]map[Source]Copied{"tail": {}, "halves": {}}
	judged(1, func(history []Said, action Said) {
		for name, p := range prompts(history) {
			CopiesOf(history, action).Held(got[name], p, budget)
		}
	})
	want := map[string]map[Source]Copied{
		"tail": {
			{message.Assistant, UpToBudget}:  {1376, 0, 205},
			{message.Assistant, UpToHalf}:    {278, 0, 16},
			{message.Assistant, UpToQuarter}: {3188, 3188, 3188},
			{message.Assistant, Longer}:      {1497, 0, 115},
			{First, Longer}:                  {36, 36, 36},
			{message.Tool, UpToBudget}:       {453, 0, 38},
			{message.Tool, UpToHalf}:         {233, 18, 53},
			{message.Tool, UpToQuarter}:      {2127, 2127, 2127},
			{message.Tool, Longer}:           {678, 0, 62},
		},
		"halves": {
			{message.Assistant, UpToBudget}:  {1376, 718, 1360},
			{message.Assistant, UpToHalf}:    {278, 133, 270},
			{message.Assistant, UpToQuarter}: {3188, 3115, 3188},
			{message.Assistant, Longer}:      {1497, 532, 1412},
			{First, Longer}:                  {36, 36, 36},
			{message.Tool, UpToBudget}:       {453, 375, 399},
			{message.Tool, UpToHalf}:         {233, 233, 233},
			{message.Tool, UpToQuarter}:      {2127, 2127, 2127},
			{message.Tool, Longer}:           {678, 428, 476},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The scale between the floor and the whole history puts two kinds of prompt within
// three points of where another model of the same kind, in floating point, puts
// them, and the bits themselves within a tenth.
//
// SPEC: B21
func TestBitsAreAnotherModelsBits(t *testing.T) {
	m := NewModel(priming())
	bits, actions := map[string]float64{}, 0
	judged(4, func(history []Said, action Said) {
		actions++
		n := len(history)
		bits["whole"] += m.Bits(Join(history), action.Text)
		bits["floor"] += m.Bits(Join(history[:2])+Join(history[max(2, n-2):]), action.Text)
		for name, p := range prompts(history) {
			bits[name] += m.Bits(Join(p), action.Text)
		}
	})
	for name, want := range map[string]float64{"whole": 89.82, "floor": 136.25, "tail": 125.65, "halves": 99.11} {
		if got := bits[name] / float64(actions); math.Abs(got/want-1) > .1 {
			t.Errorf("%s: %.1f bits an action, want %.1f", name, got, want)
		}
	}
	for name, want := range map[string]float64{"tail": 22.8, "halves": 80.0} {
		if got := 100 * (bits["floor"] - bits[name]) / (bits["floor"] - bits["whole"]); math.Abs(got-want) > 3 {
			t.Errorf("%s keeps %.1f %%, want %.1f", name, got, want)
		}
	}
}

// priming is text of other sessions.
func priming() string {
	var b strings.Builder
	for seed := uint64(100); seed < 140 && b.Len() <= 600_000; seed += 4 {
		text := Join(session(seed, 30)[1:40])
		b.WriteString(text[:min(len(text), 20_000)])
	}
	return b.String()
}

// The same prompt and action cost the same bits again, whatever was asked between.
//
// SPEC: V5
func TestBitsAreTheSameAgain(t *testing.T) {
	m := NewModel("the tide turns the tide")
	first := m.Bits("open the ledger", "open the crane")
	m.Bits(strings.Repeat("other ", 1000), "words")
	if again := m.Bits("open the ledger", "open the crane"); again != first {
		t.Errorf("%v bits, then %v", first, again)
	}
	if known := m.Bits("open the crane", "open the crane"); known >= first {
		t.Errorf("%v bits for what was said, %v for what was not", known, first)
	}
}

func TestSaidOf(t *testing.T) {
	m := message.Message{Role: message.Assistant, Parts: []message.Part{
		{Kind: message.Thinking, Text: "hm"},
		{Kind: message.Text, Text: "Now this."},
		{Kind: message.Call, Name: "edit", Args: `{"text":"a\n\t\"b\" \\w"}`},
	}}
	if got, want := SaidOf(m).Text, "<assistant>\nNow this.\nedit {\"text\":\"a\n\t\"b\" \\w\"}\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
