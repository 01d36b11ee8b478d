package rehydrate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis/artifact"
)

// Choose returns which artifacts the turn brings back, in the order they are asked
// for, and which it does not and why. It looks at no content.
//
// An artifact is asked for when the agent's text in this turn, or in the reply that
// the user's message answers, holds its id as a whole token; when a string in the
// arguments of one of those replies' calls does; when a question of the user holds it,
// or matches its hint. Tool results, thinking, the names of arguments, and whatever a
// record covers ask for nothing.
func (c Config) Choose(a Ask) ([]Want, []Skip) {
	if c.Disabled {
		return nil, nil
	}
	chosen := selection{c: c.filled(), a: a, known: map[string]*artifact.Artifact{}}
	for i := range a.Artifacts {
		chosen.known[a.Artifacts[i].ID] = &a.Artifacts[i]
	}
	s := mentions(a)
	for _, m := range s.out {
		if s.read[m.id] {
			chosen.skip(m, Present, "read in this turn")
			continue
		}
		chosen.pass(m)
	}
	return chosen.wants, chosen.skips
}

// selection takes wants in order, and notes why others stay away.
type selection struct {
	c     Config
	a     Ask
	known map[string]*artifact.Artifact
	wants []Want
	skips []Skip
}

func (s *selection) skip(m mention, why Reason, detail string) {
	s.skips = append(s.skips, Skip{m.id, m.trigger, m.by, why, detail})
}

func (s *selection) pass(m mention) {
	if why, detail := s.refuse(m.id); why != "" {
		s.skip(m, why, detail)
		return
	}
	w := Want{Artifact: m.id, Trigger: m.trigger, By: m.by, Tool: s.known[m.id].Tool}
	if i, ok := s.a.Thread.Find(s.known[m.id].Source); ok {
		w.Message = i + 1
	}
	s.wants = append(s.wants, w)
}

// refuse returns why an artifact stays away. Whom it is kept from comes first: a
// stranger does not learn whether it is there.
func (s *selection) refuse(id string) (Reason, string) {
	who := s.a.Requester
	if who.Tenant != s.a.Tenant {
		return Access, "another tenant"
	}
	if p := s.c.Permission; p != "" && !slices.Contains(who.Permissions, p) {
		return Access, fmt.Sprintf("needs permission %q", p)
	}
	a := s.known[id]
	if a == nil {
		return Missing, "no such artifact"
	}
	turn := s.a.Thread.Turns()
	switch {
	case !s.c.auto(a.Sensitivity):
		return Sensitivity, string(cmp.Or(a.Sensitivity, artifact.Internal))
	case a.TTL > 0 && s.a.Now.After(a.Created.Add(a.TTL)):
		return Expired, "on " + a.Created.Add(a.TTL).UTC().Format("2006-01-02 15:04:05")
	case s.a.State.cooling(id, turn, s.c.Cooldown):
		return Cooling, fmt.Sprintf("came back in turn %d, may again in turn %d", s.a.State.Turns[id], s.a.State.Turns[id]+s.c.Cooldown)
	case len(s.wants) >= s.c.Artifacts:
		return Limit, fmt.Sprintf("%d artifacts a turn", s.c.Artifacts)
	}
	return "", ""
}
