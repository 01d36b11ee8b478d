package replay

import (
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// Miss is a strict long-range need that a prompt did not meet.
type Miss struct {
	Run      string `json:"run"`
	Step     int    `json:"step"` // index of the assistant message about to be produced
	Value    string `json:"value"`
	Kind     string `json:"kind"`
	Distance int    `json:"tokens_ago"`
	Message  int    `json:"message"` // number, from 1, of the message that said it last
	Who      string `json:"who"`     // said it first: user, tool or agent
	Line     string `json:"line"`    // on which it was said last
	File     string `json:"file,omitempty"`
}

// Kept is a prompt that is worth a look, beside what it lacks.
type Kept struct {
	Run, Policy string
	Budget      int
	Step        int
	Prompt      []KeptMessage
	Action      string // what the agent did next
	Misses      []Miss
}

// KeptMessage is a message of a prompt as its reader sees it; Made says that the policy
// wrote it.
type KeptMessage struct {
	Role message.Role
	Text string
	Made bool
}

// mostKept and mostMisses bound what is kept of one run: prompts, and what each lacks.
const mostKept, mostMisses = 3, 6

// missed notes what the prompt of a step lacks, and has the prompt kept.
func (s *Score) missed(v *view, p Policy, st step, budget int) error {
	keep := v.x.judge.Keep
	if keep == nil || p.measures() || s.kept == mostKept || v.x.sums[st.at] <= budget {
		return nil
	}
	var misses []Miss
	for _, n := range st.needs {
		if !n.classes(budget)[LongRangeStrict] || len(v.holders[n.value]) > 0 || len(misses) == mostMisses || s.knows(v.x.text(n.value)) {
			continue
		}
		value := v.x.text(n.value)
		misses = append(misses, Miss{
			Run: v.x.run.ID, Step: st.at, Value: value, Kind: string(v.x.kinds[n.value]), Distance: n.distance,
			Message: n.last + 1, Who: v.x.speaker(n.value), Line: lineWith(v.x.facts[v.x.keys[n.last]].text, value),
		})
	}
	if len(misses) == 0 {
		return nil
	}
	s.kept++
	k := Kept{Run: v.x.run.ID, Policy: p.Name, Budget: budget, Step: st.at, Action: v.x.facts[v.x.keys[st.at]].text, Misses: misses}
	for _, f := range v.shown {
		k.Prompt = append(k.Prompt, KeptMessage{f.role, f.text, f.logged < 0})
	}
	file, err := keep(k)
	if err != nil {
		return fmt.Errorf("keep prompt %d of %s: %w", st.at, v.x.run.ID, err)
	}
	for i := range misses {
		misses[i].File = file
	}
	s.Misses = append(s.Misses, misses...)
	return nil
}

// knows reports whether a value was noted before.
func (s *Score) knows(value string) bool {
	for i := range s.Misses {
		if s.Misses[i].Value == value {
			return true
		}
	}
	return false
}

// text is a value as it is written.
func (x *Index) text(v int32) string {
	x.spelled.Do(func() {
		x.values = make([]string, len(x.first))
		for s, id := range x.ids {
			x.values[id] = s
		}
	})
	return x.values[v]
}

// lineWith is the line of a text that has a value, or the beginning of it.
func lineWith(text, value string) string {
	at := strings.Index(text, value)
	if at < 0 {
		return ""
	}
	from := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[max(from, at-longestLine/2):], "\n")
	return strings.ToValidUTF8(cut(line, longestLine), "")
}
