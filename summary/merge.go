package summary

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// How many items of a kind a summary carries. wording.Text shows what fits; these
// bound what a plan has to store.
const (
	maxFacts     = 300
	maxFindings  = 150
	maxDecisions = 150
	maxOpen      = 80  // but for steps of task lists
	maxUnticked  = 100 // steps of task lists
	MaxRequests  = 200
	maxFiles     = 400
	maxCommands  = 120
	maxErrors    = 80
	maxOutcomes  = 80
	maxEffects   = 80
	maxArtifacts = 80
	maxLedger    = 400
)

// fade is the share of its score that an identifier not seen again keeps in a merge.
const fade = 0.9

// Merge carries summaries into one, oldest first; nil ones are skipped. The last
// is the newest and may be fresh: its items are also held against each other.
// Facts, decisions and open items are carried unless a newer statement
// supersedes them; of a file or command the last state stands; an error is
// resolved by the same command succeeding or by an edit of the file it names.
// The arguments are not changed.
func Merge(parts ...*Structured) *Structured {
	out, b := &Structured{Schema: Schema}, &statementSet{}
	parts = slices.DeleteFunc(slices.Clone(parts), func(s *Structured) bool { return s == nil })
	for i, s := range parts {
		out.cover(s)
		out.carry(s, b, i == len(parts)-1)
		out.Round = max(out.Round, s.Round)
	}
	out.Round++
	out.dropOutdated(b)
	dropOvertaken(out)
	doubtUndone(out)
	doubtCauses(out)
	out.bound(b)
	return out
}

func (s *Structured) cover(next *Structured) {
	if s.Count == 0 || (next.Count > 0 && next.From.N < s.From.N) {
		s.From = next.From
	}
	if next.To.N >= s.To.N {
		s.To = next.To
	}
	s.Count += next.Count
}

// carry adds the items of next, which is newer.
func (s *Structured) carry(next *Structured, b *statementSet, newest bool) {
	s.carryStatements(next, b, newest)
	s.carryRequests(next)
	if next.Task != nil {
		t := *next.Task
		s.Task = &t
	}
	s.Narrative = strings.Trim(s.Narrative+"\n\n"+next.Narrative, "\n")
	if next.LastDone != nil {
		n := *next.LastDone
		s.LastDone = &n
	}
	if len(next.Plan) > 0 {
		s.Plan = slices.Clone(next.Plan)
	}
	s.carryOpen(next)
	s.carryCommands(next.Commands)
	s.Folder, s.Stands = cmp.Or(next.Folder, s.Folder), cmp.Or(next.Stands, s.Stands)
	s.carryFiles(next.Files)
	s.carryErrors(next)
	s.carryOutcomes(next.Outcomes)
	s.Effects = latest(s.Effects, next.Effects, effectKey, func(*Effect, *Effect) {})
	s.Artifacts = latest(s.Artifacts, next.Artifacts, func(a *Artifact) string { return a.ID }, func(*Artifact, *Artifact) {})
	s.carryLedger(next.Ledger)
}

// carryRequests adds the requests of next. A newer task ends the one before.
func (s *Structured) carryRequests(next *Structured) {
	s.Requests = latest(s.Requests, next.Requests, func(x *Request) thread.ID { return x.From.ID }, func(*Request, *Request) {})
	if next.Task != nil {
		s.EndTask()
	}
}

// carryOpen adds the open items of next. What next tells of the task list in a file takes the
// place of what was told of it before.
func (s *Structured) carryOpen(next *Structured) {
	s.Open = slices.DeleteFunc(slices.Clone(s.Open), func(o OpenItem) bool {
		return o.File != "" && slices.ContainsFunc(next.Open, func(x OpenItem) bool { return x.File == o.File })
	})
	type key struct{ file, text string }
	keyOf := func(o OpenItem) key { return key{o.File, oneline.Fold(o.Text)} }
	at := map[key]int{}
	for i, o := range s.Open {
		at[keyOf(o)] = i
	}
	put := func(o OpenItem) {
		key := keyOf(o)
		if i, ok := at[key]; ok {
			s.Open[i] = o
			return
		}
		at[key] = len(s.Open)
		s.Open = append(s.Open, o)
	}
	for _, o := range next.Open {
		put(o)
	}
	for _, p := range next.Plan {
		if i, ok := at[key{text: oneline.Fold(p.Text)}]; ok && p.Status == Done {
			s.Open[i].Status = Done
		}
	}
	s.Open = slices.DeleteFunc(s.Open, func(o OpenItem) bool { return o.Status == Done })
}

// latest merges two lists by key: the newer item takes the older one's place,
// after join has looked at both; order is that of the last item.
func latest[T any, K comparable](old, next []T, key func(*T) K, join func(old *T, now *T)) []T {
	out := make([]T, 0, len(old)+len(next))
	at := make(map[K]int, len(old)+len(next))
	gone := 0
	dead := map[int]bool{}
	for _, list := range [2][]T{old, next} {
		for i := range list {
			x := list[i]
			if j, ok := at[key(&x)]; ok {
				join(&out[j], &x)
				dead[j] = true
				gone++
			}
			at[key(&x)] = len(out)
			out = append(out, x)
		}
	}
	kept := make([]T, 0, len(out)-gone)
	for i := range out {
		if !dead[i] {
			kept = append(kept, out[i])
		}
	}
	return kept
}

func (s *Structured) carryCommands(next []Command) {
	s.Commands = latest(s.Commands, next, (*Command).Key, func(old, now *Command) {
		if now.From == old.From { // the same run, of which the agent spoke later
			now.Times, now.Failed, now.Filtered = old.Times, old.Failed+now.Failed, old.Filtered
			return
		}
		now.Times = max(old.Times, 1) + max(now.Times, 1)
		now.Failed += old.Failed
		now.Filtered += old.Filtered
	})
}

// carryFiles keeps the last change: reading a file again does not undo it.
func (s *Structured) carryFiles(next []File) {
	s.Files = latest(s.Files, next, func(f *File) string { return strings.TrimPrefix(f.Path, "./") }, func(old, now *File) {
		now.Times += old.Times
		if now.Undone == nil {
			if now.Undone = old.Undone; !now.Anew {
				now.Edits += old.Edits
			}
		}
		now.Anew = now.Anew || old.Anew
		if now.Made.N < old.Made.N {
			now.Made, now.Opens, now.Prints, now.Alone = old.Made, old.Opens, old.Prints, old.Alone
		}
		if old.First.N > 0 {
			now.First = old.First
		}
		if old.Swept.N > now.Swept.N {
			now.Swept = old.Swept
		}
		now.Restores = newest(slices.Concat(old.Restores, now.Restores), MaxRestores)
		now.About = cmp.Or(now.About, old.About)
		now.Tracked = now.Tracked || old.Tracked
		old.Tracked = now.Tracked
		state := old.Then(now.State)
		if now.State == FileRead && state != FileRead {
			now.From, now.Of = old.From, old.Of
		}
		now.State = state
	})
}

func (s *Structured) carryErrors(next *Structured) {
	type key struct {
		CommandKey
		text  string
		aside bool
	}
	s.Errors = latest(s.Errors, next.Errors, func(f *Failure) key { return key{f.Key(), oneline.Fold(f.Text), f.Aside} }, func(*Failure, *Failure) {})
	s.Errors = newest(slices.DeleteFunc(s.Errors, func(f Failure) bool { // it failed again since
		return f.Stands() && slices.ContainsFunc(next.Errors, func(x Failure) bool { return x.From.N > f.From.N && x.Aside == f.Aside && f.Again(&x) })
	}), maxErrors)
	succeeded := map[CommandKey]*Command{}
	for i := range s.Commands {
		if c := &s.Commands[i]; c.Outcome == "success" && !c.Aside {
			succeeded[c.Key()] = c
		}
	}
	changed := newest(slices.DeleteFunc(slices.Clone(next.Files), func(f File) bool { return f.State == FileRead || f.State == FileGone }), maxFiles)
	for i := range s.Errors {
		if f := &s.Errors[i]; f.Stands() && !f.Aside {
			f.resolve(succeeded, changed)
		}
	}
}

// mostUntilFix is how many messages after an error a change of a file that it names may be
// about it.
const mostUntilFix = 30

func (f *Failure) resolve(succeeded map[CommandKey]*Command, changed []File) {
	if c, ok := succeeded[f.Key()]; ok && c.From.N > max(f.From.N, f.Fixed.N) {
		fix := c.Resolution()
		if f.NotRun {
			fix = f.Fix + ", then " + fix
		}
		f.Settle(fix, c.From, false)
	}
	if f.Fixed.N > 0 {
		return
	}
	for i := range changed {
		if x := &changed[i]; x.From.N > f.From.N && x.From.N <= f.From.N+mostUntilFix && names(f.Text, x.Path) {
			did := x.State
			if x.Reworked() {
				did = FileEdited
			}
			f.Settle(string(did)+" "+x.Path, x.From, true)
			return
		}
	}
}

// names reports whether a text names a path, in full or by its last two elements.
func names(text, path string) bool {
	if len(path) < 4 {
		return false
	}
	if strings.Contains(text, strings.TrimPrefix(path, "./")) {
		return true
	}
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return false
	}
	j := strings.LastIndexByte(path[:i], '/')
	return len(path)-j > 6 && strings.Contains(text, path[j+1:])
}

func (s *Structured) carryOutcomes(next []ToolOutcome) {
	key := func(o *ToolOutcome) string {
		switch {
		case len(o.Fields) == 0:
			return o.Tool
		case tool.ActsByName(o.Tool): // each of them was done, or was not
			text := o.Tool + "\x00" + o.Outcome
			for _, f := range o.Fields {
				text += "\x00" + f.Value
			}
			return text
		case tool.LooksByName(o.Tool) && o.Fields[0].Result(): // what it came to tells no two calls apart
			return o.Tool
		}
		return o.Tool + "\x00" + o.Fields[0].Name + "\x00" + o.Fields[0].Value
	}
	s.Outcomes = latest(s.Outcomes, next, key, func(old, now *ToolOutcome) {
		if now.Repeats(old) && now.From != old.From {
			now.Times = max(old.Times, 1) + max(now.Times, 1)
			now.First = cmp.Or(old.First, old.From)
		}
		now.Named = max(now.Named, old.Named)
	})
}

func (s *Structured) carryLedger(next []Mention) {
	for i := range s.Ledger {
		s.Ledger[i].Score *= fade
	}
	s.Ledger = latest(s.Ledger, next, func(m *Mention) string { return m.Value }, func(old, now *Mention) {
		now.Score = max(now.Score, old.Score)
	})
}

// maxOutdatedTask is the bytes from which a task asks for more than the one value
// that was taken back.
const maxOutdatedTask = 90

// dropOutdated drops what speaks of a superseded value: identifiers, open items and
// plan steps older than what superseded it.
func (s *Structured) dropOutdated(b *statementSet) {
	s.Ledger = slices.DeleteFunc(s.Ledger, func(m Mention) bool { return b.Outdated(m.Line, m.From.N) })
	s.Open = slices.DeleteFunc(s.Open, func(o OpenItem) bool { return o.File == "" && b.Outdated(o.Text, o.From.N) })
	s.Requests = slices.DeleteFunc(s.Requests, func(x Request) bool { return b.Outdated(x.Text, x.From.N) })
	s.Plan = slices.DeleteFunc(s.Plan, func(p Step) bool { return p.Status != Done && b.Outdated(p.Text, p.From.N) })
	if s.Task != nil && len(s.Task.Text) < maxOutdatedTask && b.Outdated(s.Task.Text, s.Task.From.N) {
		s.Task = nil
	}
}

// bound keeps the newest, or best, of each kind.
func (s *Structured) bound(b *statementSet) {
	s.Facts = boundFacts(s.Facts, b)
	s.Decisions = boundDecisions(s.Decisions)
	s.Open = boundOpen(s.Open)
	s.Requests = newest(s.Requests, MaxRequests)
	s.Files = boundFiles(s.Files)
	s.Commands = newest(s.Commands, maxCommands)
	s.Errors = newest(s.Errors, maxErrors)
	s.Outcomes = newest(s.Outcomes, maxOutcomes)
	s.dropChanged()
	s.Effects = boundEffects(s)
	s.Artifacts = newest(s.Artifacts, maxArtifacts)
	slices.SortStableFunc(s.Ledger, func(a, b Mention) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.From.N, b.From.N), cmp.Compare(a.Value, b.Value))
	})
	s.Ledger = s.Ledger[:min(len(s.Ledger), maxLedger)]
}

func newest[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

// boundFacts lets findings go first, those of least substance before the rest,
// then plain facts, preferences, constraints, each as withoutLeast says. Pinned ones stay.
func boundFacts(fs []Fact, b *statementSet) []Fact {
	drop := func(over int, is func(Fact) bool) {
		fs = without(fs, over, func(f *Fact) bool { return !f.Pinned && is(*f) })
	}
	finding := func(f Fact) bool { return f.Kind == Finding }
	if count(fs, finding) > maxFindings {
		worth := map[string]int{}
		for at, it := range b.items {
			if b.Stands(at) && it.fact != nil && finding(*it.fact) {
				worth[it.fact.Text] = b.At(at).Substance()
			}
		}
		for least := range 3 {
			drop(count(fs, finding)-maxFindings, func(f Fact) bool { return finding(f) && worth[f.Text] <= least })
		}
	}
	for _, kind := range []FactKind{Plain, Preference, Constraint} {
		fs = withoutLeast(fs, kind, len(fs)-count(fs, finding)-maxFacts)
	}
	return fs
}

// boundOpen keeps of the task lists in files the first steps, which come next, and of all else
// the newest items.
func boundOpen(all []OpenItem) []OpenItem {
	steps, over := 0, -maxOpen
	for i := range all {
		if all[i].File == "" {
			over++
		}
	}
	return slices.DeleteFunc(all, func(o OpenItem) bool {
		if o.File != "" {
			steps++
			return steps > maxUnticked
		}
		over--
		return over >= 0
	})
}

// without drops the oldest of a kind, at most so many.
func without[T any](list []T, most int, is func(*T) bool) []T {
	return slices.DeleteFunc(list, func(x T) bool {
		if most <= 0 || !is(&x) {
			return false
		}
		most--
		return true
	})
}

// boundDecisions lets those that the agent doubts go first.
func boundDecisions(ds []Decision) []Decision {
	return newest(without(ds, len(ds)-maxDecisions, func(d *Decision) bool { return d.Doubted }), maxDecisions)
}

// MaxRestores is how often taking a file back is remembered.
const MaxRestores = 16

// effectHead is how many bytes of a command line tell what kind of thing it does.
const effectHead = 64

// EffectsAgain says of each of the effects whether a newer one in the same folder begins alike and made
// no other commit: such ones go first where there is no room for all.
func (s *Structured) EffectsAgain() []bool {
	again, seen := make([]bool, len(s.Effects)), map[string]bool{}
	for i := len(s.Effects) - 1; i >= 0; i-- {
		x := &s.Effects[i]
		head := x.Text[:min(len(x.Text), effectHead)] + "\x00" + x.Commit + "\x00" + x.In
		again[i], seen[head] = seen[head], true
	}
	return again
}

// effectKey is equal for effects that are the same: of what is told in part it is not known.
func effectKey(n *Effect) string {
	if n.Commit != "" || strings.Contains(n.Text, oneline.Ellipsis) {
		return n.Text + string(n.From.ID)
	}
	return n.Text + "\x00" + n.In
}

// boundEffects lets those go first that begin as a newer one in their folder does.
func boundEffects(s *Structured) []Effect {
	i, again := -1, s.EffectsAgain()
	return newest(without(s.Effects, len(s.Effects)-maxEffects, func(*Effect) bool { i++; return again[i] }), maxEffects)
}

func count(fs []Fact, is func(Fact) bool) int {
	n := 0
	for _, f := range fs {
		if is(f) {
			n++
		}
	}
	return n
}

// boundFiles lets files that were only read go before changed ones.
func boundFiles(fs []File) []File {
	return newest(without(fs, len(fs)-maxFiles, func(f *File) bool { return f.State == FileRead }), maxFiles)
}
