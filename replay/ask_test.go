package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/token"
)

// judgedRuns are three generated sessions and a judge that asks everything.
func judgedRuns(t *testing.T, every int) (runs []Run, j Judge) {
	t.Helper()
	meter := token.Meter{Counter: quarters{}, Overhead: token.OverheadOf("openai")}
	var primers []Primer
	for seed := range uint64(3) {
		s := testsessions.Session(seed+1, testsessions.Options{Dialect: testsessions.OpenAI, Messages: 70})
		runs = append(runs, Run{ID: fmt.Sprint(seed), Source: "synth", Messages: s.Messages})
		primers = append(primers, PrimerOf(runs[seed]))
	}
	j = Judge{Count: meter.Message, Fixed: func(Run) int { return meter.Overhead.Request }}
	j.Ask = Ask{Judges: Judges, Every: every, Primers: NewPrimers(primers)}
	return runs, j
}

// head and tail of the history, about half a budget.
func newestHalf(s Setup) Step {
	return func(_ context.Context, h []message.Message) (Prompt, error) {
		head := pins(h, message.User)
		from := s.newest(h, units(h), s.Budget/2)
		return Prompt{Messages: slices.Concat(h[:head], h[max(from, head):])}, nil
	}
}

// Every judge has its word on every policy, the whole history has all of it, and plain
// prompts of the same size are judged beside.
//
// SPEC: B21
func TestEveryJudgeIsAsked(t *testing.T) {
	runs, j := judgedRuns(t, 30)
	names := []string{"needs", "strict", "reuse", AskRedo, AskRules}
	if !testing.Short() {
		names = append(names, AskBits)
	} else {
		j.Ask.Judges = slices.DeleteFunc(slices.Clone(Judges), func(name string) bool { return name == AskBits })
	}
	half := baseline("half", newestHalf)
	half.Controlled = true
	rows := compare(t, Options{Judge: j, Policies: []Policy{half, nonePolicy}, Budgets: []int{4000}}, runs...)
	word := func(js []Judgement, name string) Percent {
		for _, x := range js {
			if x.Judge == name {
				return x.Percent
			}
		}
		t.Errorf("no word of %s", name)
		return 0
	}
	for _, name := range names {
		if all, half := word(rows[1].Judges, name), word(rows[0].Judges, name); all != 100 || half > 100 || half < 0 || half == 100 && name != AskRules {
			t.Errorf("%s: %v of everything, %v of half", name, all, half)
		}
	}
	if rows[0].Asked == 0 || rows[0].Asked*8 > rows[0].Active {
		t.Errorf("asked at %d steps of %d", rows[0].Asked, rows[0].Active)
	}
	var held []string
	for _, c := range rows[0].Controls {
		held = append(held, c.Name)
		if c.Tokens > 1.0001 || c.Tokens < .9 || c.Steps != rows[0].Asked {
			t.Errorf("%s has %.3f of the policy's tokens at %d steps", c.Name, c.Tokens, c.Steps)
		}
	}
	if d := cmp.Diff([]string{"recency", "random-rounds", "no-tools", "skeleton", "anchors"}, held); d != "" {
		t.Error(d)
	}
	for _, x := range rows[0].Controls[0].Judges {
		if x.Judge == "reuse" && (x.Than == nil || !x.Than.Noise()) {
			t.Errorf("the newest half differs from the newest by more than noise: %+v", x)
		}
	}
}

// No control is larger than the prompt it is held against, at any step.
//
// SPEC: B21
func TestControlsKeepTheSize(t *testing.T) {
	runs, j := judgedRuns(t, 1)
	x := NewIndex(runs[0], j)
	for _, c := range controls {
		for _, limit := range []int{1500, 3000} {
			held := &controlled{control: c, view: newView(x)}
			for at := 30; at < len(runs[0].Messages); at += 9 {
				ms := x.sampler.filled(held, at, limit)
				held.view.show(Prompt{Messages: ms})
				if head := x.sums[pins(ms, message.User)]; held.view.tokens > max(limit, head) {
					t.Errorf("%s at message %d has %d tokens of %d", c.name, at, held.view.tokens, limit)
				}
			}
		}
	}
}

// The same runs give the same rows again, whatever the number of workers, and from what
// was remembered.
//
// SPEC: B21, V5
func TestJudgesSayTheSameAgain(t *testing.T) {
	runs, j := judgedRuns(t, 20)
	if testing.Short() {
		j.Ask.Judges = []string{AskBits, AskReuse}
	}
	half := baseline("half", newestHalf)
	half.Controlled = true
	o := Options{Judge: j, Policies: []Policy{half}, Budgets: []int{4000}, Workers: 2}
	runs = runs[:2]
	written := func() string {
		b, err := json.Marshal(compare(t, o, runs...))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first := written()
	path := filepath.Join(t.TempDir(), "state")
	o.Workers = 1
	for range 2 {
		s, err := OpenState(path, "x")
		if err != nil {
			t.Fatal(err)
		}
		o.State = s
		if again := written(); again != first {
			t.Errorf("other rows:\n%s\n%s", first, again)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A difference of the same runs has an interval of its own: two policies that swing
// together are told apart, two that do not differ are not.
//
// SPEC: B21
func TestDifferencesArePaired(t *testing.T) {
	var a, b, c []Score
	for i := range 20 {
		s := Score{}
		s.Recall[LongRangeStrict] = Recall{Needs: 100, Literal: 20 + 3*i}
		a = append(a, s)
		s.Recall[LongRangeStrict].Literal += 2 + i%2
		b = append(b, s)
		s.Recall[LongRangeStrict].Literal += 3 * (i%2*2 - 1)
		c = append(c, s)
	}
	of := func(x, y []Score) *Difference {
		for _, j := range judged(x, y, false) {
			if j.Judge == "strict" {
				return j.Than
			}
		}
		return nil
	}
	if d := of(b, a); d.Noise() || math.Abs(float64(d.Points)-2.5) > .01 || d.CI[1]-d.CI[0] > 1 {
		t.Errorf("ahead everywhere: %+v", d)
	}
	if d := of(c, b); !d.Noise() {
		t.Errorf("ahead here, behind there: %+v", d)
	}
	if d := of(a[:1], b[:1]); !d.Noise() {
		t.Errorf("of one run nobody can tell: %+v", d)
	}
}

// The verdict is in words: what is kept at what cost, who is ahead, and what is noise.
//
// SPEC: B21
func TestTheVerdictIsInWords(t *testing.T) {
	row := func(policy string, strict Percent, than *Difference, cost float64) Row {
		return Row{
			Source: "runs", Budget: 16000, Policy: policy, Runs: 30, Cost: []Cost{{Price: "A", Ratio: cost}},
			Judges: []Judgement{{Judge: "strict", Percent: strict, Than: than}, {Judge: "reuse", Percent: 70, Than: &Difference{1, [2]Percent{-2, 3}}}},
		}
	}
	first := row("balanced", 95, nil, .66)
	first.Controls = []Control{{Name: "recency", Judges: []Judgement{{Judge: "strict", Percent: 68, Than: &Difference{27, [2]Percent{22, 31}}}}}}
	second := row("strawman", 62, &Difference{-33, [2]Percent{-37, -29}}, .76)
	second.Cheaper = &Difference{-10, [2]Percent{-12, -8}}
	got := (&Comparison{Rows: []Row{first, second}}).Conclusions()
	want := []Conclusion{{"runs", 16000, "balanced keeps 95.0 % of strict long-range needs and 70.0 % of text that next actions copy, at 0.66 of the cost of sending everything.", []string{
		"Against strawman, at 0.76 of the cost of sending everything: ahead in strict long-range needs by 33.0 points (29.0 to 37.0); within noise in text that next actions copy; cheaper by 0.10 (0.08 to 0.12).",
	}, []string{
		"Against recency at the same tokens: ahead in strict long-range needs by 27.0 points (22.0 to 31.0).",
	}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	first.Runs, second.Runs = 1, 1
	second.Judges[1].Than.Points = 0
	got = (&Comparison{Rows: []Row{first, second}}).Conclusions()
	if !strings.Contains(got[0].Says, "One run has no interval") || !strings.Contains(got[0].Beside[0], "; equal in text that") {
		t.Errorf("of one run: %+v", got)
	}
}

// Wear counts what each compaction freed, and needs by how many compactions lie between
// the last mention and the step, over forty and more in a row.
//
// SPEC: B21
func TestWearOfManyCompactions(t *testing.T) {
	var ms []string
	ms = append(ms, "user: keep crate-77-b in mind")
	for i := range 300 {
		ms = append(ms, fmt.Sprintf("call c%d look item-%04d-x", i, i), fmt.Sprintf("result c%d shelf item-%04d-x", i, i))
	}
	for range 3 {
		ms = append(ms, "assistant: and crate-77-b", "user: yes")
	}
	run := Run{ID: "long", Source: "s", Messages: script(t, strings.Join(ms, "\n"))}
	rows := compare(t, Options{Judge: hundred, Policies: []Policy{dropMiddle40}, Budgets: []int{2000}}, run)
	w := rows[0].Wear
	last := w[len(w)-1]
	if last.From != 41 || last.Times < 5 || last.Freed < 40 || last.Freed > 60 {
		t.Errorf("the last compactions: %+v", last)
	}
	if last.Needs == 0 || last.Kept != 100 {
		t.Errorf("what the head says stands after all of them: %+v", last)
	}
}
