package policy

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// FieldError is the first field of a policy that cannot be. It wraps ErrInvalid.
type FieldError struct {
	Policy string
	Field  string // as it is written in a policy file: soft, rungs[0].keep_messages
	Value  any
	Why    string // "" where the value says it
}

func (e *FieldError) Error() string {
	s := fmt.Sprintf("policy %s: %s = %v: ", e.Policy, e.Field, e.Value)
	if e.Why != "" {
		s += e.Why + ": "
	}
	return s + ErrInvalid.Error()
}

// Unwrap makes errors.Is find ErrInvalid.
func (e *FieldError) Unwrap() error { return ErrInvalid }

// Styles names the wordings that Policy.Style may have.
var Styles = []string{"balanced", "clip", "ladder", "session", "timeline", "truncate"}

// Writings names the texts that Rung.Write may have.
var Writings = []string{"session", "handover"}

// toolName matches the names that providers allow for a tool.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Validate returns a *FieldError about the first bad field.
func (p Policy) Validate() error {
	bad := func(field string, v any, why string) error { return &FieldError{p.Name, field, v, why} }
	if strings.TrimSpace(p.Name) == "" {
		return bad("name", `""`, "a policy needs a name")
	}
	if !slices.Contains(Styles, p.Style) {
		return bad("style", p.Style, "there are "+strings.Join(Styles, ", "))
	}
	if !toolName.MatchString(p.Recall) {
		return bad("recall_tool", p.Recall, "not the name of a tool")
	}
	for _, c := range p.numbers() {
		if why := c.wrong(); why != "" {
			return bad(c.field, c.value, why)
		}
	}
	if p.Low > p.Soft {
		return bad("low", p.Low, fmt.Sprintf("must not be above soft, %v", p.Soft))
	}
	if p.Boundary != 0 && !(p.Economy && p.Low <= p.Soft-p.Boundary) {
		return bad("boundary", p.Boundary, "must be at most what lies between low and soft, and takes economy")
	}
	if p.ColdSoft != 0 && !(p.Economy && p.Low <= p.ColdSoft && p.ColdSoft <= p.Soft) {
		return bad("rested", p.ColdSoft, "must be from low to soft, and takes economy")
	}
	for i, r := range p.Rungs {
		var e *FieldError
		if errors.As(r.Validate(), &e) {
			return bad(fmt.Sprintf("rungs[%d].%s", i, e.Field), e.Value, e.Why)
		}
	}
	return nil
}

// number is a field with the values it may have.
type number struct {
	field       string
	value       float64
	least, most float64
	// above leaves out the least, below the most.
	above, below bool
}

// wrong says what is wrong with the value, "" for nothing.
func (n number) wrong() string {
	low := n.value > n.least || n.value == n.least && !n.above
	high := n.value < n.most || n.value == n.most && !n.below
	switch {
	case low && high: // so written, NaN is refused, too
		return ""
	case n.most < math.MaxInt32:
		return "must be " + map[bool]string{false: "from ", true: "above "}[n.above] + fmt.Sprint(n.least) +
			map[bool]string{false: " to ", true: " and below "}[n.below] + fmt.Sprint(n.most)
	}
	return "must not be negative"
}

func count(field string, n int) number {
	return number{field: field, value: float64(n), most: math.MaxInt32}
}

func (p Policy) numbers() []number {
	return []number{
		{"soft", p.Soft, 0, 1, true, false},
		{"low", p.Low, 0, 1, true, false},
		{"low_again", p.LowAgain, 0, 1, false, false},
		{"rested", p.ColdSoft, 0, 1, false, false},
		{"boundary", p.Boundary, 0, 1, false, true},
		count("window_tokens", p.Window),
		count("reserves.system_tokens", p.Reserves.System),
		count("reserves.output_tokens", p.Reserves.Output),
		count("reserves.safety_tokens", p.Reserves.Safety),
		count("safety_tokens", p.Safety),
		count("rehydration_tokens", p.Rehydration),
		{"recent_share", p.RecentShare, 0, 1, false, true},
		count("recent_turns", p.RecentTurns),
		{"summary_share", p.SummaryShare, 0, 1, true, true},
		count("summary_tokens", p.SummaryTokens),
		{"summary_ratio", p.SummaryRatio, 0, 1, false, false},
		{"trail_share", p.VerbatimShare, 0, 1, false, false},
		{"detail", p.Detail, 0, 1, false, false},
		count("cold_after_seconds", p.ColdAfter),
		count("cache_point_offset_rounds", p.CacheOffset),
		count("cache_point_min_rounds", p.CacheRounds),
	}
}

// reads names the fields of a rung that its strategy reads.
var reads = map[string][]string{
	"reencode":    {"recent"},
	"args":        {"above_tokens", "to_tokens", "recent"},
	"preview":     {"above_tokens", "to_tokens", "recent", "texts"},
	"externalize": {"above_tokens", "to_tokens"},
	"clear":       {"above_tokens"},
	"summarize":   {"recent", "fill"},
	"fold":        {"keep_messages", "keep_share", "write", "truncate"},
	"archive":     {"keep_messages", "chunk_messages", "clip_first", "clip_last"},
	"timeline":    {"tokens", "turn_tokens"},
	"hide":        {"cold", "to_tokens", "keep_turns", "keep_intact_turns"},
	"drop":        {},
}

// Validate returns a *FieldError about the first bad field, one that the strategy
// does not read among them.
func (r Rung) Validate() error {
	bad := func(field string, v any, why string) error { return &FieldError{"", field, v, why} }
	if !slices.Contains(Strategies, r.Strategy) {
		return bad("strategy", r.Strategy, "there are "+strings.Join(Strategies, ", "))
	}
	for _, f := range r.fields() {
		if f.set && !slices.Contains(reads[r.Strategy], f.field) {
			return bad(f.field, f.shown, r.Strategy+" does not read it")
		}
	}
	for _, c := range r.numbers() {
		if why := c.wrong(); why != "" {
			return bad(c.field, c.value, why)
		}
	}
	switch {
	case r.Strategy == "fold" && !slices.Contains(Writings, r.Write):
		return bad("write", r.Write, "there are "+strings.Join(Writings, ", "))
	case r.Keep > 0 && r.KeepShare > 0:
		return bad("keep_share", r.KeepShare, "keep_messages is set, too")
	case r.Strategy == "archive" && r.Chunk == 0:
		return bad("chunk_messages", r.Chunk, "must be 1 or more")
	case r.Strategy == "archive" && r.First+r.Last == 0:
		return bad("clip_last", r.Last, "a batch must be shown: clip_first or clip_last must be 1 or more")
	case r.KeepIntact > r.KeepTurns:
		return bad("keep_intact_turns", r.KeepIntact, fmt.Sprintf("must not be above keep_turns, %d", r.KeepTurns))
	}
	return nil
}

func (r Rung) numbers() []number {
	return []number{
		count("above_tokens", r.Above),
		count("to_tokens", r.To),
		count("keep_messages", r.Keep),
		{"keep_share", r.KeepShare, 0, 1, false, true},
		count("keep_turns", r.KeepTurns),
		count("keep_intact_turns", r.KeepIntact),
		count("tokens", r.Tokens),
		count("turn_tokens", r.TurnTokens),
		count("chunk_messages", r.Chunk),
		count("clip_first", r.First),
		count("clip_last", r.Last),
	}
}

// field is a field of a rung beside its strategy, and whether it is set.
type field struct {
	field string
	shown any
	set   bool
}

func (r Rung) fields() []field {
	all := []field{
		{"recent", r.Recent, r.Recent},
		{"fill", r.Fill, r.Fill},
		{"texts", r.Texts, r.Texts},
		{"truncate", r.Truncate, r.Truncate},
		{"cold", r.Cold, r.Cold},
		{"write", r.Write, r.Write != ""},
	}
	for _, n := range r.numbers() {
		all = append(all, field{n.field, n.value, n.value != 0})
	}
	return all
}
