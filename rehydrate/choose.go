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
	g := gate{c: c.filled(), a: a, known: map[string]*artifact.Artifact{}}
	for i := range a.Artifacts {
		g.known[a.Artifacts[i].ID] = &a.Artifacts[i]
	}
	s := mentions(a)
	for _, m := range s.out {
		if s.read[m.id] {
			g.skip(m, Present, "read in this turn")
			continue
		}
		g.pass(m)
	}
	return g.wants, g.skips
}

// gate lets wants through, in order.
type gate struct {
	c     Config
	a     Ask
	known map[string]*artifact.Artifact
	wants []Want
	skips []Skip
}

func (g *gate) skip(m mention, why Reason, detail string) {
	g.skips = append(g.skips, Skip{m.id, m.trigger, m.by, why, detail})
}

func (g *gate) pass(m mention) {
	if why, detail := g.refuse(m.id); why != "" {
		g.skip(m, why, detail)
		return
	}
	w := Want{Artifact: m.id, Trigger: m.trigger, By: m.by, Tool: g.known[m.id].Tool}
	if i, ok := g.a.Thread.Find(g.known[m.id].Source); ok {
		w.Message = i + 1
	}
	g.wants = append(g.wants, w)
}

// refuse returns why an artifact stays away. Whom it is kept from comes first: a
// stranger does not learn whether it is there.
func (g *gate) refuse(id string) (Reason, string) {
	who := g.a.Requester
	if who.Tenant != g.a.Tenant {
		return Access, "another tenant"
	}
	if p := g.c.Permission; p != "" && !slices.Contains(who.Permissions, p) {
		return Access, fmt.Sprintf("needs permission %q", p)
	}
	a := g.known[id]
	if a == nil {
		return Missing, "no such artifact"
	}
	turn := g.a.Thread.Turns()
	switch {
	case !g.c.auto(a.Sensitivity):
		return Sensitivity, string(cmp.Or(a.Sensitivity, artifact.Internal))
	case a.TTL > 0 && g.a.Now.After(a.Created.Add(a.TTL)):
		return Expired, "on " + a.Created.Add(a.TTL).UTC().Format("2006-01-02 15:04:05")
	case g.a.State.cooling(id, turn, g.c.Cooldown):
		return Cooling, fmt.Sprintf("came back in turn %d, may again in turn %d", g.a.State.Turns[id], g.a.State.Turns[id]+g.c.Cooldown)
	case len(g.wants) >= g.c.Artifacts:
		return Limit, fmt.Sprintf("%d artifacts a turn", g.c.Artifacts)
	}
	return "", ""
}
