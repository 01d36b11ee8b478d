package replay

import "sort"

// Wear holds how much each of several compactions in a row frees, and how much is left
// of what was said that many compactions ago.
type Wear struct {
	// Freed is, of each compaction in turn, the share in thousandths of the prompt there
	// would have been without it.
	Freed []int `json:",omitempty"`
	// Kept counts strict long-range needs by how many compactions lie between the last
	// mention and the step.
	Kept map[int]Tally `json:",omitempty"`

	at []int // before which messages the compactions were
}

// compacted notes a prompt that is shorter than the one before and what was said since.
func (w *Wear) compacted(at, tokens, before int) {
	if tokens < before {
		w.Freed, w.at = append(w.Freed, 1000*(before-tokens)/before), append(w.at, at)
	}
}

// need notes a strict long-range need whose value message last mentioned last.
func (w *Wear) need(last int, met bool) {
	if w.Kept == nil {
		w.Kept = map[int]Tally{}
	}
	since := len(w.at) - sort.SearchInts(w.at, last+1)
	t := w.Kept[since]
	w.Kept[since] = Tally{t.Asked + 1, t.Met + one(met)}
}

// Worn is the wear of the compactions from one to another, counted within each run.
type Worn struct {
	From int `json:"from"`
	To   int `json:"to,omitempty"` // 0: all further ones
	// Times counts these compactions, Freed is the mean share of the prompt that they
	// freed. No compaction is the 0th.
	Times int     `json:"times"`
	Freed Percent `json:"freed"`
	// Needs counts strict long-range needs whose value was last said so many compactions
	// before, Kept is the share of them that stood in the prompt.
	Needs int     `json:"needs"`
	Kept  Percent `json:"kept"`
}

func worn(scores []Score) (out []Worn) {
	for _, b := range [][2]int{{0, 0}, {1, 5}, {6, 10}, {11, 20}, {21, 40}, {41, 1 << 30}} {
		w := Worn{From: b[0], To: b[1]}
		freed, kept := 0, 0
		for i := range scores {
			for n, share := range scores[i].Wear.Freed {
				if n+1 >= b[0] && n+1 <= b[1] {
					w.Times, freed = w.Times+1, freed+share
				}
			}
			for n, t := range scores[i].Wear.Kept {
				if n >= b[0] && n <= b[1] {
					w.Needs, kept = w.Needs+t.Asked, kept+t.Met
				}
			}
		}
		if b[1] == 1<<30 {
			w.To = 0
		}
		w.Freed, w.Kept = percent(freed, 1000*w.Times), percent(kept, w.Needs)
		if w.Times+w.Needs > 0 {
			out = append(out, w)
		}
	}
	return out
}
