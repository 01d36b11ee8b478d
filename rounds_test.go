package precis_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// long is a conversation that is compacted again and again: facts and a task at
// its start, a constraint that is pinned, and work without end.
type long struct {
	*testing.T
	engine *precis.Engine
	in     precis.Input
	rounds int
}

const (
	preference = "I prefer Python. The budget is $1000."
	constraint = "Never delete production data on db-blue-42: not even with a backup at hand,\nand not on a Friday."
	stated     = "The staging host is stage-7.example.org and releases are called heron."
)

func newLong(t *testing.T, o precis.Options, name string, budget int) *long {
	t.Helper()
	m, _ := model.Lookup("gpt-4o")
	meter, err := bpe.Meter(m)
	if err != nil || !meter.Exact() {
		t.Fatal(err)
	}
	o.Store, o.Policy = memory.New(), policyOf(t, name)
	l := &long{T: t, engine: newWith(t, o)}
	ms := []message.Message{
		message.TextOf(message.System, "You migrate services."),
		message.TextOf(message.User, "Migrate billing, then search, then export to the queue jobs-blue. "+preference),
		message.TextOf(message.Assistant, "I'll begin with billing."),
		message.TextOf(message.User, constraint),
		message.TextOf(message.User, stated),
	}
	l.in = precis.Input{
		Thread: "t", Messages: ms, Model: m, Meter: meter, Budget: budget,
		Tools: []codec.Tool{{Name: "bash", Description: "Runs a command in the shell.", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)}},
		Pins:  []plan.Ref{{ID: idOf(ms, 3)}},
	}
	return l
}

// work goes on for n rounds, after every thirtieth with another question.
func (l *long) work(n int) {
	for range n {
		l.rounds++
		out := strings.Repeat(fmt.Sprintf("worker-%d moved batch %d of table t_%d\n", l.rounds%5, l.rounds*13, l.rounds%11), 4)
		l.in.Messages = append(l.in.Messages, round(l.rounds, "bash", fmt.Sprintf(`{"command":"migrate --batch %d"}`, l.rounds), fmt.Sprintf("Batch %d next.", l.rounds), out)...)
		if l.rounds%30 == 0 {
			l.in.Messages = append(l.in.Messages, message.TextOf(message.Assistant, "A stage is done."), message.TextOf(message.User, fmt.Sprintf("Go on with stage %d.", l.rounds/30)))
		}
	}
}

// prepare holds what would be sent against the budget by the exact count of its
// encoding, and against the rules of the wire.
func (l *long) prepare() *precis.Turn {
	l.Helper()
	turn, err := l.engine.Prepare(l.Context(), l.in)
	if err != nil {
		l.Fatal(err)
	}
	body, err := openai.Codec{}.Encode(&codec.Request{Model: "gpt-4o", Tools: l.in.Tools}, turn.Messages)
	if err != nil {
		l.Fatal(err)
	}
	if faults := wirecheck.OpenAI(body, wirecheck.Options{}); len(faults) > 0 {
		l.Fatalf("%v\n%s", faults, show(turn))
	}
	sent, err := openai.Codec{}.Decode(body)
	if err != nil {
		l.Fatal(err)
	}
	r := token.Request{System: sent.System, Messages: sent.Messages}
	for _, x := range sent.Tools {
		r.Tools = append(r.Tools, token.Tool{Name: x.Name, Description: x.Description, Schema: x.Schema})
	}
	if n := l.in.Meter.Request(r); n > l.in.Budget || len(r.Tools) != 1 {
		l.Fatalf("round %d: %d tokens on the wire of %d, the turn says %d", l.rounds, n, l.in.Budget, turn.Compacted)
	}
	return turn
}

// said is all that a prompt says.
func said(turn *precis.Turn) string {
	var b strings.Builder
	for _, m := range turn.Messages {
		for _, p := range m.Parts {
			b.WriteString(p.Body() + "\n")
		}
	}
	return b.String()
}

// A hundred compactions of one conversation under each preset: the pinned
// constraint stands verbatim, and so does the task where the design pins or carries
// it; facts that were never pinned survive; the budget is kept by exact count; the
// newest round is there to go on from.
//
// SPEC: L21, B16, S4, V4, V3
func TestHundredRounds(t *testing.T) {
	for _, name := range policy.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, rounds, done := newLong(t, precis.Options{}, name, 2_000), 100, 0
			if testing.Short() {
				rounds = 20
			}
			for done < rounds {
				l.work(6)
				turn := l.prepare()
				if turn.Outcome == precis.Compacted {
					done++
				} else if l.rounds > 40*(done+20) {
					t.Fatalf("round %d: %s after %d compactions", l.rounds, turn.Outcome, done)
				}
				l.check(turn, done)
				if task := l.in.Messages[1].Parts[0].Text; carries[name] && !strings.Contains(said(turn), task) {
					t.Fatalf("compaction %d lost the task:\n%s", done, said(turn))
				}
			}
		})
	}
}

// carries are the presets that keep the first user message, or the task, verbatim.
var carries = map[string]bool{"balanced": true, "ladder": true, "session": true}

// rules are constraints as users state them, each with something that only it says.
var rules = []string{
	"Never write to the table ledger_2019.",
	"Always run the suite with GOFLAGS=-count=1 before you commit.",
	"The gateway listens on port 7341 and must stay there.",
	"Do not upgrade libpq beyond 14.9.",
	"All amounts must be stored in cents as int64.",
	"Only ann@example.org may approve a release.",
	"Logs must not contain IBAN numbers.",
	"Use tabs in Makefile.release.",
	"Never force-push to release/2026-q1.",
	"The retention is 400 days, not 365.",
	"Every migration must have a down file in db/down.",
	"Don't touch vendor/payments-sdk.",
}

// No rule is lost over twelve compactions, whether it came with the task, one by one
// while the agent was at work, or all at once in the middle.
//
// SPEC: L21, B20
func TestRulesOutliveTwelveCycles(t *testing.T) {
	for _, name := range policy.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLong(t, precis.Options{}, name, 8_000)
			l.in.Messages = slices.Insert(l.in.Messages, 5, message.TextOf(message.User, strings.Join(rules[:4], " ")))
			stated, done := rules[:4], 0
			for done < 12 {
				l.work(6)
				switch n := len(stated); {
				case n == 4:
					l.in.Messages = append(l.in.Messages, message.TextOf(message.Assistant, "Noted."), message.TextOf(message.User, "Before you go on:\n- "+strings.Join(rules[4:8], "\n- ")))
					stated = rules[:8]
				case n < len(rules) && done > n-8:
					l.in.Messages = append(l.in.Messages, message.TextOf(message.Assistant, "Batch done."), message.TextOf(message.User, rules[n]+" Go on."))
					stated = rules[:n+1]
				}
				turn := l.prepare()
				if turn.Outcome == precis.Compacted {
					done++
				}
				text := strings.Join(strings.Fields(said(turn)), " ")
				for _, rule := range stated {
					if !strings.Contains(text, strings.TrimSuffix(rule, ".")) {
						t.Fatalf("%d compactions lost %q:\n%s", done, rule, said(turn))
					}
				}
			}
		})
	}
}

// Facts survive the design's five cycles also where each is forced on little that
// is new.
//
// SPEC: L21
func TestFiveForcedCycles(t *testing.T) {
	for _, name := range policy.Names() {
		l := newLong(t, precis.Options{}, name, 3_000)
		l.in.Mode.Force = true
		for done := range 5 {
			l.work(3)
			l.check(l.prepare(), done+1)
		}
	}
}

func (l *long) check(turn *precis.Turn, done int) {
	l.Helper()
	verbatim := slices.ContainsFunc(turn.Messages, func(m message.Message) bool {
		return m.Role == message.User && len(m.Parts) == 1 && m.Parts[0].Text == constraint && !m.Edited
	})
	if !verbatim {
		l.Fatalf("compaction %d lost the pin:\n%s", done, show(turn))
	}
	text := said(turn)
	for _, want := range []string{"Python", "1000", "stage-7.example.org", "heron"} {
		if !strings.Contains(text, want) {
			l.Fatalf("compaction %d lost %q:\n%s", done, want, text)
		}
	}
	last, n := l.in.Messages[len(l.in.Messages)-1], len(turn.Messages)
	if got := turn.Messages[n-1]; got.Role != last.Role || got.Parts[0].Body() != last.Parts[0].Body() {
		l.Fatalf("compaction %d lost the newest message:\n%s", done, show(turn))
	}
}

// forgetful is a model that summarizes badly: a vague account, and nothing of what
// users said.
type forgetful struct{ narrator }

func (forgetful) Name() string { return "forgetful/1" }

// A model that forgets everything cannot forget what is pinned, and cannot break
// the prompt.
//
// SPEC: L21, B16, V10
func TestBadModel(t *testing.T) {
	var s summary.Summarizer = forgetful{narrator{narrative: "Some work was done."}}
	for _, name := range policy.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLong(t, precis.Options{Summarizer: s}, name, 3_000)
			l.in.Mode.Force = true
			for done := range 20 {
				l.work(3)
				turn := l.prepare()
				if !slices.ContainsFunc(turn.Messages, func(m message.Message) bool { return len(m.Parts) == 1 && m.Parts[0].Text == constraint }) {
					t.Fatalf("round %d lost the pin:\n%s", done, show(turn))
				}
			}
		})
	}
}
