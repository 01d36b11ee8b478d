package precis_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/summary"
)

// One message that is most of a short history stands as a preview that uses the room
// there is: whoever said it, under every preset.
//
// SPEC: V4
func TestOneHugeMessageIsPreviewed(t *testing.T) {
	const budget = 32_000
	var log strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&log, "line %d of the log: worker-%d took %d ms\n", i, i%7, i*13%997)
	}
	for name, ms := range map[string][]message.Message{
		"of the user":  {message.TextOf(message.User, "Read this:\n"+log.String()), message.TextOf(message.Assistant, "I have."), message.TextOf(message.User, "Which worker was slow?")},
		"of the agent": {message.TextOf(message.User, "Write a log."), message.TextOf(message.Assistant, log.String()), message.TextOf(message.User, "Which worker was slow?")},
		"of a tool": {
			message.TextOf(message.User, "Read the log."), says(asks("c", `{"command":"cat log"}`)), answers("c", words(log.String())),
			message.TextOf(message.Assistant, "I have."), message.TextOf(message.User, "Which worker was slow?"),
		},
	} {
		for _, preset := range policy.Names() {
			if testing.Short() && preset != "balanced" {
				continue // the race job: counting 400 kB takes long there
			}
			turn := prepared(t, newEngine(t, memory.New(), policyOf(t, preset)), request("t", ms, budget))
			if turn.Outcome != precis.Compacted || turn.Compacted < budget/8 || turn.Compacted > budget {
				t.Errorf("%s, %s: %s, %d tokens of %d\n%.300s", name, preset, turn.Outcome, turn.Compacted, budget, show(turn))
			}
		}
	}
}

// The summary of a timeline names its path; the paths that lie behind it are read and
// described as any reference is, with the digest: media type, visibility and sources.
//
// SPEC: T1, T4, B8
func TestTimelinePathsAreRead(t *testing.T) {
	ms := turnsOf(40, 3, 3)
	ms = append(ms[:len(ms)-1], round(90, "write_file", `{"path":"src/part2/new.go","content":"package part2"}`, "I write it.", "ok")...)
	ms = append(ms, message.TextOf(message.Assistant, "Part 2 is done."))
	ms = append(ms, turnsOf(40, 3)...)
	ms = append(ms, message.TextOf(message.User, "Go on."))
	ms = append(ms, round(95, "bash", `{"command":"go vet ./..."}`, "I vet.", strings.Repeat("fine\n", 400))...)
	st := memory.New()
	turn := prepared(t, newEngine(t, st, policyOf(t, "timeline")), request("t", ms, 2_600))
	if turn.Outcome != precis.Compacted || len(turn.Plan.Records) == 0 {
		t.Fatalf("%s\n%s", turn.Outcome, show(turn))
	}
	rec := turn.Plan.Records[0]
	m := metaOf(t, &rec)
	r, err := recall.Open(t.Context(), st, store.Key{Thread: "t"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Read(t.Context(), m.Path, recall.Range{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{rec.Text, "files:\n- src/part2/new.go (create, text/x-go, internal) by write_file, #", "; from src/part2/file", "outputs of tools:\n- "} {
		if !strings.Contains(page.Text, want) {
			t.Errorf("%s does not say %q:\n%s", m.Path, want, page.Text)
		}
	}
	if card, err := r.Describe(t.Context(), m.Path); err != nil || card.ID != rec.ID || card.Path != m.Path || card.Behind == "" {
		t.Errorf("%+v, %v", card, err)
	}
	first := turn.Thread.At(1).Message.Parts[1].CallID
	for path, want := range map[string]string{
		"tc:1." + first + ".call":   turn.Thread.At(1).Message.Parts[1].Args,
		"tc:1." + first + ".result": turn.Thread.At(2).Message.Parts[0].Body(),
		"ar:1.user.prompt.1":        ms[0].Parts[0].Text,
	} {
		if page, err := r.Read(t.Context(), path, recall.Range{Max: -1}); err != nil || page.Text != want {
			t.Errorf("%s: %.80q, %v", path, page.Text, err)
		}
	}
	for _, none := range []string{"su:99.conv.range.summary", "tc:2." + first + ".call", "tc:1.nobody.result", "ar:3.user.prompt.1", "ar:1.user.prompt.999"} {
		if page, err := r.Read(t.Context(), none, recall.Range{}); err == nil {
			t.Errorf("%s is read: %.80q", none, page.Text)
		}
	}
}

// The text of a timeline's summary names the tool and the path where its cap leaves room.
//
// SPEC: T4
func TestTimelineNamesItsPath(t *testing.T) {
	ms := turnsOf(100, 6, 6, 6, 6)
	turn := prepared(t, newEngine(t, memory.New(), policyOf(t, "timeline")), request("t", ms, 12_000))
	if turn.Outcome != precis.Compacted {
		t.Fatalf("%s, %d tokens", turn.Outcome, turn.Before)
	}
	m := metaOf(t, &turn.Plan.Records[0])
	if want := fmt.Sprintf("precis_read(%q)]", m.Path); !strings.Contains(said(turn), want) {
		t.Errorf("the prompt does not say %s:\n%s", want, turn.Plan.Records[0].Text)
	}
	readable, _ := turn.WithoutRecall("precis_read")
	for _, m := range readable {
		if len(m.Parts) > 0 && strings.Contains(m.Parts[0].Text, "precis_read") {
			t.Errorf("a model without the tool is told of it:\n%s", m.Parts[0].Text)
		}
	}
}

// A compaction that somebody asks for keeps as much at the end as any other. One that
// cannot, or that the provider's refusal forces, says why it does not.
//
// SPEC: T8
func TestForcedTimelineKeepsRecent(t *testing.T) {
	const budget = 12_000
	keep := policyOf(t, "timeline").RecentTokens(budget)
	recent := func(turn *precis.Turn) (n int) {
		for k, o := range turn.Origins {
			if o.Record == nil {
				n += request("t", nil, budget).Meter.Message(turn.Messages[k])
			}
		}
		return n
	}
	in := request("t", turnsOf(100, 4, 4, 4), budget)
	in.Mode.Force = true
	turn := prepared(t, newEngine(t, memory.New(), policyOf(t, "timeline")), in)
	if why := turn.Plan.Records[0].Reason; recent(turn) < keep*9/10 || strings.Contains(why, "fewer recent") {
		t.Errorf("%d tokens stay of %d: %s", recent(turn), keep, why)
	}
	in.Mode.Trigger = "overflow"
	turn = prepared(t, newEngine(t, memory.New(), policyOf(t, "timeline")), in)
	if why := turn.Plan.Records[0].Reason; recent(turn) >= keep*9/10 || !strings.Contains(why, "the provider refused the prompt") {
		t.Errorf("after a refusal %d tokens stay of %d: %s", recent(turn), keep, why)
	}
	in = request("t", turnsOf(20, 2, 2, 2), budget)
	in.Mode.Force = true
	turn = prepared(t, newEngine(t, memory.New(), policyOf(t, "timeline")), in)
	if why := turn.Plan.Records[0].Reason; !strings.Contains(why, "else nothing could go") {
		t.Errorf("a short history: %s", why)
	}
}

// A pointer holds a structured summary of what it stands for.
//
// SPEC: L2, L5, L6
func TestPointerHoldsASummary(t *testing.T) {
	ms := append([]message.Message{message.TextOf(message.User, "Go.")}, round(1, "bash", `{"command":"make"}`, "Building.", strings.Repeat("compiling\n", 3000)+"exit code 2\n")...)
	ms = append(ms, work(12, 30)[1:]...)
	turn := prepared(t, newEngine(t, memory.New(), policyOf(t, "ladder")), request("t", ms, 10_000))
	for _, r := range turn.Plan.Records {
		if r.Action != plan.Externalize {
			continue
		}
		var s summary.Structured
		if err := json.Unmarshal(r.Summary, &s); err != nil || len(s.Outcomes) != 1 || s.Outcomes[0].Tool != "bash" || s.Outcomes[0].Outcome != "failure" {
			t.Errorf("%+v, %v", s, err)
		}
		if err := summary.Verify(&s, turn.Thread, r.Span); err != nil {
			t.Error(err)
		}
		return
	}
	t.Errorf("nothing was moved out: %s\n%s", turn.Outcome, show(turn))
}

// The spacing of cache points is the policy's.
//
// SPEC: T7, B24
func TestCacheSpacingIsThePolicys(t *testing.T) {
	p := policyOf(t, "timeline")
	at := func() int {
		for _, c := range prepared(t, newEngine(t, memory.New(), p), request("t", work(12, 1), 100_000)).CachePoints(4) {
			if c.Place == "pre_tail" {
				return c.Message
			}
		}
		return -1
	}
	usual := at()
	p.CacheOffset = 6
	if got := at(); got != usual-4 {
		t.Errorf("two rounds further back: message %d, usually %d", got, usual)
	}
	p.CacheRounds = 20
	if got := at(); got >= 0 {
		t.Errorf("of 12 rounds where 20 are wanted: message %d", got)
	}
}

// A prompt for a model without recall tools names none, under any preset; with them it says
// what can be looked up.
//
// SPEC: B8, V6
func TestNoPresetNamesToolsThatAreNotThere(t *testing.T) {
	named := map[string]bool{}
	for _, name := range policy.Names() {
		p := policyOf(t, name)
		e := newEngine(t, memory.New(), p)
		ms := turnsOf(100, 6, 6, 6, 6)
		for n := range 3 {
			in := request("t", ms, 9_000)
			in.Mode.Force = true
			turn, err := e.Prepare(t.Context(), in)
			if err != nil || turn.Plan == nil {
				t.Fatalf("%s: %v", name, err)
			}
			named[name] = named[name] || strings.Contains(said(turn), "precis_") || strings.Contains(said(turn), "read_artifact")
			readable, _ := turn.WithoutRecall(p.Recall)
			for _, m := range readable {
				for _, part := range m.Parts {
					for _, tool := range []string{"precis_", "read_artifact"} {
						if at := strings.Index(part.Body(), tool); at >= 0 {
							t.Fatalf("%s: a model without the tool is told %.80q", name, part.Body()[at:])
						}
					}
				}
			}
			ms = append(ms, turnsOf(40+n, 6, 6)...)
		}
	}
	if !named["balanced"] || !named["clip"] && !named["session"] {
		t.Errorf("told with the tools: %v", named)
	}
}
