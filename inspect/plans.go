package inspect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
)

// Version is a version of a plan without its records.
type Version struct {
	Version   int       `json:"version"`
	Created   time.Time `json:"created"`
	Policy    string    `json:"policy"`
	Messages  int       `json:"messages"` // of the log when it was made
	Step      int       `json:"step"`     // the first request it held for
	Original  int       `json:"original_tokens"`
	Compacted int       `json:"compacted_tokens"`
	Budget    int       `json:"budget,omitempty"`
	Records   int       `json:"records"`
	Added     int       `json:"added"`
	Removed   int       `json:"removed"`
	Pins      int       `json:"pins"`
	Holds     int       `json:"holds"`
	Verdict   string    `json:"verdict,omitempty"`
	// ByHand says that a person made it: an undo, a pin, a hold.
	ByHand   bool `json:"by_hand,omitempty"`
	Restores *int `json:"restores,omitempty"` // the version that an undo took up again
}

// Plans are the versions of a thread's plan, newest first.
type Plans struct {
	Page
	Current int       `json:"current"`
	Plans   []Version `json:"plans"`
}

func plansOf(v *view, r *http.Request) (any, error) {
	from, to, err := pageOf(r, len(v.plans), 500)
	if err != nil {
		return nil, err
	}
	out := Plans{Page: Page{from, len(v.plans)}, Current: v.head.PlanVersion, Plans: []Version{}}
	for i := from; i < to; i++ {
		at := len(v.plans) - 1 - i
		out.Plans = append(out.Plans, v.versionAt(at))
	}
	return out, nil
}

func (v *view) versionAt(i int) Version {
	p := v.plans[i]
	var before *sketch
	if i > 0 {
		before = v.plans[i-1]
	}
	_, added, removed := differs(before, p, v.t.Len())
	out := Version{
		Version: p.Version, Created: p.CreatedAt, Policy: p.Policy, Messages: p.ThreadVersion, Step: v.firstStep(p),
		Original: p.Original, Compacted: p.Compacted, Budget: p.Inputs.Budget, Records: len(p.covers),
		Added: added, Removed: removed, Pins: len(p.Pins), Holds: len(p.Holds),
	}
	if p.Economy != nil {
		out.Verdict = p.Economy.Verdict
	}
	if p.Restores > 0 {
		was := p.Restores - 1
		out.Restores = &was
	}
	out.ByHand = p.Restores > 0 || p.Economy == nil && before != nil && p.Inputs == before.Inputs && (len(p.Pins) != len(before.Pins) || len(p.Holds) != len(before.Holds))
	return out
}

// compacts reports whether the engine made a version to leave something out; an erasure
// renews the one before.
func (v Version) compacts() bool {
	return !v.ByHand && (v.Version == 1 || v.Verdict != "" || v.Added+v.Removed > 0)
}

// firstStep is the first request that a plan held for, counted from 1.
func (v *view) firstStep(p *sketch) int {
	i, _ := slices.BinarySearch(v.steps, p.ThreadVersion)
	return min(i+1, max(len(v.steps), 1))
}

// Record is one record of a plan.
type Record struct {
	ID          string `json:"id"`
	Action      string `json:"action"`
	State       State  `json:"state"`
	First       int    `json:"first"`
	Last        int    `json:"last"`
	Part        int    `json:"part,omitempty"`
	FirstTurn   int    `json:"first_turn"`
	LastTurn    int    `json:"last_turn"`
	Strategy    string `json:"strategy,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Tokens      int    `json:"tokens"` // in the prompt now
	Saves       int    `json:"saves_tokens"`
	Artifact    string `json:"artifact,omitempty"`
	Sensitivity string `json:"sensitivity,omitempty"`
	Text        string `json:"text,omitempty"`
}

// Plan is one version with all that it says.
type Plan struct {
	Version
	Records  []Record      `json:"record_list"`
	Economy  *plan.Economy `json:"economy,omitempty"`
	State    []Line        `json:"state"`
	Inputs   plan.Inputs   `json:"inputs"`
	Warnings []string      `json:"warnings"`
	PinList  []int         `json:"pin_list"`
	HoldList []int         `json:"hold_list"`
}

func (v *view) planIn(r *http.Request, name string) (*plan.Plan, int, error) {
	n, err := strconv.Atoi(r.PathValue(name))
	if err == nil && n == 0 {
		return nil, -1, nil
	}
	for i, p := range v.plans {
		if err == nil && p.Version == n {
			whole, err := v.whole(r.Context(), p)
			return whole, i, err
		}
	}
	return nil, 0, fault{http.StatusNotFound, "not_found", fmt.Sprintf("this thread has the plan versions 0 to %d; 0 leaves nothing out", v.head.PlanVersion)}
}

func planOf(v *view, r *http.Request) (any, error) {
	p, i, err := v.planIn(r, "version")
	if err != nil {
		return nil, err
	}
	if p == nil {
		return Plan{Records: []Record{}, State: []Line{}, Warnings: []string{}, PinList: []int{}, HoldList: []int{}}, nil
	}
	out := Plan{
		Version: v.versionAt(i), Records: v.records(p.Records), Economy: p.Economy, State: linesOf(p), Inputs: p.Inputs,
		Warnings: append([]string{}, p.Warnings...), PinList: v.numbers(p.Pins), HoldList: v.numbers(p.Holds),
	}
	return out, nil
}

func (v *view) numbers(refs []plan.Ref) []int {
	out := []int{}
	for _, x := range refs {
		if i, ok := v.t.Find(x.ID); ok && !slices.Contains(out, i+1) {
			out = append(out, i+1)
		}
	}
	slices.Sort(out)
	return out
}

func (v *view) records(rs []plan.Record) []Record {
	out := make([]Record, len(rs))
	levels := map[string]string{}
	for _, a := range v.reader.Artifacts {
		levels[a.ID] = string(a.Sensitivity)
	}
	for i := range rs {
		x := &rs[i]
		first, last := v.span(x)
		out[i] = Record{
			ID: x.ID, Action: recall.Act(x), State: stateOf(x), First: first, Last: last, Part: x.Span.Part, FirstTurn: x.Span.FirstTurn, LastTurn: x.Span.LastTurn,
			Strategy: x.Strategy, Reason: x.Reason, Tokens: x.Tokens, Saves: x.Saves, Artifact: x.Artifact, Sensitivity: levels[x.Artifact], Text: oneline.Start(x.Text, 300),
		}
	}
	return out
}

// Difference lists what one version has beyond another.
type Difference struct {
	From    int      `json:"from"`
	To      int      `json:"to"`
	Added   []Record `json:"added"`
	Removed []Record `json:"removed"`
	Kept    int      `json:"kept"`
}

func diffOf(v *view, r *http.Request) (any, error) {
	from, _, err := v.planIn(r, "version")
	if err != nil {
		return nil, err
	}
	to, _, err := v.planIn(r, "to")
	if err != nil {
		return nil, err
	}
	added, removed := plan.Diff(from, to)
	d := Difference{Added: v.records(added), Removed: v.records(removed)}
	if from != nil {
		d.From = from.Version
	}
	if to != nil {
		d.To, d.Kept = to.Version, len(to.Records)-len(added)
	}
	return d, nil
}

// Line is one item of a summary's state, with the message it came from.
type Line struct {
	Section string `json:"section"`
	Text    string `json:"text"`
	Status  string `json:"status,omitempty"`
	From    int    `json:"from,omitempty"` // number of a message
	Record  string `json:"record"`
}

// linesOf reads the state of a plan's newest summaries. It takes the form as it finds
// it: every section is a list of items, or one item, that say where they come from.
func linesOf(p *plan.Plan) []Line {
	out := []Line{}
	for i := range p.Records {
		var state map[string]json.RawMessage
		if r := &p.Records[i]; json.Unmarshal(r.Summary, &state) == nil {
			for _, section := range sectionsOf(state) {
				out = append(out, itemsOf(section, state[section], r.ID)...)
			}
		}
	}
	return out
}

// order of the sections that matter most; others follow by name.
var sections = []string{"requests", "current_task", "facts", "current_plan", "open_items", "errors", "files", "commands", "decisions"}

func sectionsOf(state map[string]json.RawMessage) (names []string) {
	for _, s := range sections {
		if state[s] != nil {
			names = append(names, s)
		}
	}
	var rest []string
	for s := range state {
		if !slices.Contains(names, s) && s != "from" && s != "to" {
			rest = append(rest, s)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

type item struct {
	Text, Line, Path, Value, Tool, Status, State, Outcome, Kind, Fix string
	From                                                             struct {
		N int `json:"n"`
	}
}

func itemsOf(section string, data json.RawMessage, record string) (out []Line) {
	var all []item
	if json.Unmarshal(data, &all) != nil {
		var one item
		if json.Unmarshal(data, &one) != nil {
			return nil
		}
		all = []item{one}
	}
	for _, x := range all {
		l := Line{Section: section, From: x.From.N, Record: record}
		for _, s := range []string{x.Text, x.Path, x.Value, x.Line, x.Tool} {
			if l.Text == "" {
				l.Text = s
			}
		}
		for _, s := range []string{x.Status, x.State, x.Outcome, x.Kind, x.Fix} {
			if l.Status == "" {
				l.Status = s
			}
		}
		if l.Text != "" {
			out = append(out, l)
		}
	}
	return out
}
