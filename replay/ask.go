package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/replay/judge"
)

// The judges that may be asked beside needs, probes and cost.
const (
	AskReuse    = "reuse"    // what of the text that the next action copies the prompt still has
	AskBits     = "bits"     // how much of what the history tells of the next action the prompt tells
	AskTruth    = "truth"    // which statements of a state the messages bear out
	AskRedo     = "redo"     // which completed side effects the prompt still shows
	AskRules    = "rules"    // which of the users' rules stand, and that no tool's word stands as theirs
	AskRecency  = "recency"  // the same of the newest messages, as many tokens
	AskControls = "controls" // and of other plain prompts of as many tokens
)

// Judges names all of them, Quick those that cost little.
var (
	Judges = []string{AskReuse, AskBits, AskTruth, AskRedo, AskRules, AskRecency, AskControls}
	Quick  = []string{AskReuse, AskTruth, AskRedo, AskRules, AskRecency}
)

// Ask says which judges are asked, and at which steps: those whose whole history is
// longer than 1.05 budgets, every so many of them. The zero value asks none.
type Ask struct {
	Judges []string
	Every  int // 0 = 1
	// Primers prime the model of the judge of bits; nil leaves it unprimed.
	Primers *Primers
}

func (a Ask) wants(name string) bool {
	return slices.Contains(a.Judges, name)
}

// Primer is text of a run, to learn the form of messages from.
type Primer struct{ ID, Task, Text string }

// primerBytes and primerMessages bound what a run lends for priming.
const primerBytes, primerMessages = 20_000, 40

// PrimerOf takes a primer from a run: its messages after the first, as far as they go.
func PrimerOf(r Run) Primer {
	var b strings.Builder
	for i := 1; i < min(len(r.Messages), primerMessages) && b.Len() < primerBytes; i++ {
		b.WriteString(judge.SaidOf(r.Messages[i]).Text)
	}
	text := b.String()
	return Primer{r.ID, taskOf(r), strings.ToValidUTF8(text[:min(len(text), primerBytes)], "")}
}

// taskOf is the first thing a user says.
func taskOf(r Run) string {
	for _, m := range r.Messages {
		if m.Role == message.User {
			return said(m)
		}
	}
	return ""
}

// Primers are texts to prime models with. Safe for concurrent use.
type Primers struct {
	all    []Primer
	mu     sync.Mutex
	shared *judge.Model // primed with all
}

// NewPrimers makes them.
func NewPrimers(all []Primer) *Primers { return &Primers{all: all} }

// Digest tells primers apart.
func (p *Primers) Digest() string {
	h := sha256.New()
	if p != nil {
		for _, x := range p.all {
			fmt.Fprintf(h, "%q %q", x.ID, x.Text)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// modelFor is a model that knows nothing of a run: it was primed with runs of other
// names and other tasks.
func (p *Primers) modelFor(r Run) *judge.Model {
	if p == nil {
		return judge.NewModel("")
	}
	var b strings.Builder
	task, own := taskOf(r), false
	for _, x := range p.all {
		if x.ID == r.ID || x.Task == task {
			own = true
			continue
		}
		b.WriteString(x.Text)
	}
	if own {
		return judge.NewModel(b.String())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shared == nil {
		p.shared = judge.NewModel(b.String())
	}
	return p.shared.Fork()
}
