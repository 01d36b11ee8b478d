package inspect

import (
	"fmt"
	"net/http"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/render"
	"github.com/seed-3db51b0e/precis/report"
	"github.com/seed-3db51b0e/precis/thread"
)

// Lost tells which values left the prompt with a version of a plan: those that stood in the
// prompt under the version Since, and do not stand in that of the same log under Version.
type Lost struct {
	Version int        `json:"version"`
	Since   int        `json:"since"` // 0: all that the log says stood
	Kinds   []LostKind `json:"kinds"` // that lost something
}

// LostKind counts the distinct values of a kind.
type LostKind struct {
	Kind  string     `json:"kind"`
	Lost  int        `json:"lost"`
	Of    int        `json:"of"`    // of so many that stood
	Names []LostName `json:"names"` // the most mentioned first, a few
}

// LostName is a value that left, with the message that has it first.
type LostName struct {
	Text    string `json:"text"` // its beginning
	Message int    `json:"message"`
}

// maxName is the most bytes of a value in an answer: a command can be a whole script in a line.
const maxName = 300

func lostOf(v *view, r *http.Request) (any, error) {
	p, _, err := v.planIn(r, "version")
	if err != nil {
		return nil, err
	}
	out := Lost{Kinds: []LostKind{}}
	if p == nil {
		return out, nil
	}
	out.Version = p.Version
	before, err := v.sinceIn(r, p.Version)
	if err != nil {
		return nil, err
	}
	log, err := v.t.Prefix(min(p.ThreadVersion, v.t.Len()))
	if err != nil {
		return nil, fmt.Errorf("read log of plan %d: %w", p.Version, err)
	}
	var stood []message.Message // nil: the log
	if before != nil {
		out.Since, stood = before.Version, render.Prompt(log, before, nil).Messages
	}
	out.Kinds = lostKinds(log, stood, render.Prompt(log, p, nil).Messages)
	return out, nil
}

// sinceIn reads the plan that ?since= names, one before that of a version, the one right before
// it by default; nil leaves nothing out.
func (v *view) sinceIn(r *http.Request, version int) (*plan.Plan, error) {
	n, err := number(r.URL.Query(), "since", version-1, 0, version-1)
	if err != nil || n == 0 {
		return nil, err
	}
	s := v.version(n)
	if s == nil {
		return nil, fault{http.StatusNotFound, "not_found", fmt.Sprintf("plan version %d cannot be read", n)}
	}
	return v.whole(r.Context(), s)
}

func lostKinds(log *thread.Thread, before, now []message.Message) []LostKind {
	out := []LostKind{}
	for _, l := range report.LeftSince(log, before, now) {
		kind := LostKind{Kind: l.Kind, Lost: l.Lost, Of: l.Of, Names: make([]LostName, len(l.Values))}
		for i, x := range l.Values {
			kind.Names[i] = LostName{oneline.Start(x.Text, maxName), x.Message}
		}
		out = append(out, kind)
	}
	return out
}
