// Package rehydrate decides which externalized content comes back into a prompt for
// one turn, and words it.
//
// Use: Choose names artifacts, the caller fetches their text, Build makes the message
// that goes to the very end of the prompt and nowhere else. Law: what the agent wrote,
// what it called and what the user asks may bring content back, a tool's result never;
// an id resolves only through the plan in force. Promise: pure and deterministic; what
// is added never counts more than the reserve, frame included, and whatever is held
// back is named with its reason.
package rehydrate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// ErrInvalid is wrapped by Validate.
var ErrInvalid = errors.New("invalid rehydration")

// Config says how much may come back by itself. The zero value is enabled, with
// the defaults named below.
type Config struct {
	Disabled bool `json:"disabled,omitempty"`
	// Artifacts is the most a turn brings back; 0 is 3.
	Artifacts int `json:"max_artifacts_per_turn,omitempty"`
	// Each is the most tokens of one artifact, frame included; what is longer is
	// cut at the end of a line and says so. 0 is 4,000.
	Each int `json:"max_tokens_per_artifact,omitempty"`
	// Total is the most tokens a turn brings back, frame included; 0 is 8,000.
	// The reserve of the turn counts where it is smaller.
	Total int `json:"total_budget_tokens,omitempty"`
	// Cooldown is how many turns must pass before an artifact comes back again:
	// what turn 5 brought back, turn 5+Cooldown may again. 0 is 2; 1 waits for
	// nothing but the next turn.
	Cooldown int `json:"cooldown_turns,omitempty"`
	// Auto are the sensitivities that come back by themselves; nil is public and
	// internal, an empty list is none. The others are read explicitly only.
	Auto []artifact.Sensitivity `json:"auto_sensitivities,omitempty"`
	// Permission must be among the requester's; "" asks for none.
	Permission string `json:"permission,omitempty"`
}

// Validate names the first bad field.
func (c Config) Validate() error {
	for _, f := range []struct {
		name  string
		value int
	}{
		{"max_artifacts_per_turn", c.Artifacts},
		{"max_tokens_per_artifact", c.Each},
		{"total_budget_tokens", c.Total},
		{"cooldown_turns", c.Cooldown},
	} {
		if f.value < 0 {
			return fmt.Errorf("rehydration: %s = %d: %w", f.name, f.value, ErrInvalid)
		}
	}
	for _, s := range c.Auto {
		if !gated(s) {
			return fmt.Errorf("rehydration: auto_sensitivities has %q: only public and internal may come back unasked: %w", s, ErrInvalid)
		}
	}
	return nil
}

// gated reports whether a sensitivity may ever be among Auto.
func gated(s artifact.Sensitivity) bool { return s == artifact.Public || s == artifact.Internal }

// filled returns the configuration with its defaults.
func (c Config) filled() Config {
	set := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	set(&c.Artifacts, 3)
	set(&c.Each, 4000)
	set(&c.Total, 8000)
	set(&c.Cooldown, 2)
	if c.Auto == nil {
		c.Auto = []artifact.Sensitivity{artifact.Public, artifact.Internal}
	}
	return c
}

// auto reports whether content of a sensitivity comes back unasked; whatever is
// configured, only public and internal do.
func (c Config) auto(s artifact.Sensitivity) bool {
	s = cmp.Or(s, artifact.Internal)
	return gated(s) && slices.Contains(c.Auto, s)
}

// Ask is one turn.
type Ask struct {
	Thread *thread.Thread
	Plan   *plan.Plan // in force; nil brings nothing back
	Tenant string     // of the thread
	// Artifacts are the thread's, without content.
	Artifacts []artifact.Artifact
	Requester artifact.Requester // who the turn is for
	State     State
	Now       time.Time // for expiry; zero: nothing has expired
	// Reserve is how many tokens of the prompt are free for this; 0 is none.
	Reserve int
	// Count counts the tokens of a text, in the unit of Reserve.
	Count func(string) int
	// Tool is the name of the tool that reads content back, as the turn's style
	// has it (read_artifact, precis_read); "" names none.
	Tool string
}

// State is which artifact came back when. It lives as long as its thread; the
// zero value is a thread that saw none.
type State struct {
	Turns map[string]int `json:"turns,omitempty"` // artifact id → turn it came back last
}

// cooling reports whether an artifact came back in an earlier turn too near to this
// one. The same turn brings back the same again: a retry, or its next request.
func (s State) cooling(id string, turn, cooldown int) bool {
	last, ok := s.Turns[id]
	return ok && last < turn && turn-last < cooldown
}

// with returns the state after a turn. What no longer cools is forgotten.
func (s State) with(shown []Shown, turn, cooldown int) State {
	next := map[string]int{}
	for id, last := range s.Turns {
		if last <= turn && turn-last < cooldown {
			next[id] = last
		}
	}
	for _, w := range shown {
		next[w.Artifact] = turn
	}
	if len(next) == 0 {
		return State{}
	}
	return State{next}
}

// Trigger is why an artifact is wanted.
type Trigger string

// The triggers.
const (
	Named  Trigger = "named"    // the agent's text, or the user's question, names it
	Called Trigger = "called"   // an argument of a call names it
	Asked  Trigger = "question" // the user's question matches its hint
)

// Want is an artifact that is to come back.
type Want struct {
	Artifact string   `json:"artifact"`
	Trigger  Trigger  `json:"trigger"`
	By       plan.Ref `json:"by"` // the part that named or asked for it
	Tool     string   `json:"tool,omitempty"`
	Message  int      `json:"message,omitempty"` // number of the message it was taken from, 0 if unknown
}

// Reason is why an artifact that was wanted does not come back.
type Reason string

// The reasons.
const (
	Access      Reason = "access"      // another tenant, or a permission is missing
	Sensitivity Reason = "sensitivity" // to be read explicitly
	Missing     Reason = "missing"     // there is no such artifact any more
	Expired     Reason = "expired"
	Sealed      Reason = "sealed"   // its content could not be opened
	Present     Reason = "present"  // the turn has read it explicitly
	Cooling     Reason = "cooldown" // it came back too few turns ago
	Limit       Reason = "limit"    // a limit of the turn is used up
)

// Blocked reports whether the reason is a refusal, which is worth an event of its own,
// and not a matter of quantity or time.
func (r Reason) Blocked() bool { return r == Access || r == Sensitivity }

// Skip is an artifact that was wanted and does not come back.
type Skip struct {
	Artifact string   `json:"artifact"`
	Trigger  Trigger  `json:"trigger"`
	By       plan.Ref `json:"by"`
	Reason   Reason   `json:"reason"`
	Detail   string   `json:"detail,omitempty"` // for people
}

// Content holds what the caller found of an artifact: its text, or why there is
// none. A failure of another kind is Missing, with the error as Detail.
type Content struct {
	Text   string
	Reason Reason // "" when Text is it
	Detail string
}

// Shown is an artifact that came back.
type Shown struct {
	Want
	Tokens int `json:"tokens"` // frame included
	// Bytes of Of bytes are shown.
	Bytes int `json:"bytes"`
	Of    int `json:"of_bytes"`
}

// Cut reports whether something of it is missing.
func (s Shown) Cut() bool { return s.Bytes < s.Of }

// Result holds what a turn brings back.
type Result struct {
	// Messages go to the very end of this turn's prompt and are never logged:
	// one message, or none.
	Messages []message.Message
	Shown    []Shown
	Tokens   int // of Messages, frame included; never more than the reserve
	State    State
	Skips    []Skip // of Build; those of Choose come before them
}

// Explicit reports whether a tool, by the name the model calls it, reads content back
// by itself: read_artifact or one of precis_…, also as an MCP client names them
// (mcp__server__precis_read).
func Explicit(tool string) bool {
	if i := strings.LastIndex(tool, "__"); i >= 0 {
		tool = tool[i+2:]
	}
	return tool == "read_artifact" || strings.HasPrefix(tool, "precis_") && tool != "precis_note"
}
