package extract

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// checklists are the task lists that the agent keeps in files, by file. A list that a call may
// have changed in a way that is not understood is forgotten: what it says now is not known.
type checklists struct {
	byFile map[string]*checklist
	order  []string
	old    []summary.OpenItem // those of an earlier summary
}

// newChecklists starts from the steps that an earlier summary tells of.
func newChecklists(old []summary.OpenItem) checklists {
	c := checklists{byFile: map[string]*checklist{}}
	for _, o := range old {
		if o.File != "" {
			c.old = append(c.old, o)
			l := c.of(o.File)
			l.worked, l.committed = o.Priority != summary.Low, o.Committed
			l.steps = append(l.steps, checkStep{text: o.Text, tried: o.Context == perhapsDone && (isTriedByHand(o.Text) || startsAny(lowered(o.Text), making)), from: o.From})
		}
	}
	return c
}

func (c *checklists) of(file string) *checklist {
	l := c.byFile[file]
	if l == nil {
		l = &checklist{double: map[string]bool{}}
		c.byFile[file] = l
		if c.order = append(c.order, file); len(c.order) > mostLists {
			c.forget(c.order[0])
		}
	}
	return l
}

// mostLists is how many lists are followed: the newest.
const mostLists = 64

func (c *checklists) forget(files ...string) {
	n := len(c.byFile)
	for _, file := range files {
		delete(c.byFile, file)
	}
	if len(c.byFile) < n {
		c.order = slices.DeleteFunc(c.order, func(file string) bool { return c.byFile[file] == nil })
	}
}

// read takes up what a call did to the files that it changed. args are the call's arguments.
func (c *checklists) read(e *tool.Reading, args string, changed []string, at summary.Source) {
	if e.Command != "" {
		c.readLine(e, changed, at)
		return
	}
	if len(changed) != 1 || !isList(changed[0]) {
		c.forget(changed...)
		return
	}
	file := changed[0]
	var same []string // it may be, under another path
	for _, other := range c.order {
		if other != file && path.Base(other) == path.Base(file) {
			same = append(same, other)
		}
	}
	c.forget(same...)
	if c.byFile[file] == nil && !anyMark.MatchString(args) {
		return
	}
	l := c.of(file)
	l.committed = false
	if !succeeded(e) || !l.edit(e, args, at) {
		c.forget(file)
	}
}

// unrecorded takes up what a call was to do of which no result is known. What it was to make is perhaps made.
func (c *checklists) unrecorded(e *tool.Reading, names *names) {
	var gone []string
	for _, t := range e.Touched {
		name := names.nameIn(t.In, t.Path)
		if t.Access != tool.Reads && c.byFile[name] != nil {
			gone = append(gone, name)
		}
		if t.Access != tool.Creates && t.Access != tool.Makes {
			continue
		}
		for _, l := range c.byFile {
			for i := range l.steps {
				l.steps[i].tried = l.steps[i].tried || isNamed(l.steps[i].toMake(), path.Clean(t.Path))
			}
		}
	}
	c.forget(gone...)
}

// isNamed reports whether a path ends as a name does, "" for none.
func isNamed(name, at string) bool { return name != "" && strings.HasSuffix("/"+at, "/"+name) }

// readLine takes up what a command line did.
func (c *checklists) readLine(e *tool.Reading, changed []string, at summary.Source) {
	body, written := heredoc(e.Command)
	if written = written && len(changed) == 1 && isList(changed[0]) && succeeded(e); written && anyMark.MatchString(body) {
		c.of(changed[0])
	}
	if len(c.order) == 0 {
		return
	}
	does, gone := effectOf(e), []string(nil)
	for _, file := range c.order {
		l := c.byFile[file]
		switch {
		case written && file == changed[0]:
			l.committed = false
			if !l.rewrite(checkSteps(body, at)) {
				gone = append(gone, file)
			}
		case slices.Contains(changed, file) || does.mayChange(file, l.committed):
			gone = append(gone, file)
		case does.commits(file):
			l.committed = true
		}
	}
	c.forget(gone...)
}

// lineEffect is what a command line may do to files beside those that it is known to have changed,
// read once for all lists.
type lineEffect struct {
	*tool.Reading
	tree   [2]bool  // it changes what it does not name; the second is of what git has as it is
	moving []string // words of what it changes by folders or variables
	swept  []string
	staged []string // by a commit
	all    bool     // that git knows is in it
}

func effectOf(e *tool.Reading) lineEffect {
	does := lineEffect{Reading: e, tree: [2]bool{e.ChangesTree(false), e.ChangesTree(true)}, moving: e.Moving(), swept: e.Swept()}
	if e.Commits() && succeeded(e) {
		does.staged, does.all = e.Stages()
		does.all = does.all || e.CommitsAll()
	}
	return does
}

// mayChange reports whether the line may have changed a file. committed says that git has it as it is.
func (does *lineEffect) mayChange(file string, committed bool) bool {
	i := 0
	if committed {
		i = 1
	}
	if does.tree[i] || mayName(does.moving, file) {
		return true
	}
	base := path.Base(file)
	for _, pattern := range does.swept {
		if ok, err := path.Match(path.Base(pattern), base); ok || err != nil {
			return true
		}
	}
	if !does.Mentions(base) {
		return false
	}
	return !slices.ContainsFunc(does.Touched, func(t tool.Touch) bool { return path.Base(t.Path) == base && !t.Access.Changes() })
}

// commits reports whether the line commits a file as it is.
func (does *lineEffect) commits(file string) bool {
	return does.all || slices.ContainsFunc(does.staged, func(p string) bool { return tool.SameFile(p, file) })
}

// mayName reports whether one of some words of a command line may be a file or a folder that it
// lies in.
func mayName(words []string, file string) bool {
	folder := "" // that relative words are of, as far as it is known
	if path.IsAbs(file) && len(words) > 1 && words[0] == "cd" && path.IsAbs(words[1]) {
		folder, words = words[1], words[2:]
	}
	return slices.ContainsFunc(words, func(w string) bool {
		known, pattern := w, strings.IndexAny(w, "*?$[{")
		if pattern >= 0 {
			known = w[:strings.LastIndexByte(w[:pattern], '/')+1]
		}
		if folder != "" && !path.IsAbs(known) {
			known = path.Join(folder, known)
		}
		switch {
		case w == "cd":
			return true
		case path.IsAbs(known):
			return isWithin(file, path.Clean(known))
		case pattern >= 0, strings.HasPrefix(w, ".."), strings.Contains(w, "/../"):
			return true
		}
		w = path.Clean(w)
		return w == "." || slices.Contains(strings.Split(file, "/"), path.Base(w))
	})
}

// heredoc returns what a line writes anew, which does nothing else with here-documents; false if
// it does not.
func heredoc(line string) (body string, ok bool) {
	head, rest, ok := strings.Cut(line, "<<")
	mark, rest, found := strings.Cut(rest, "\n")
	mark = strings.Trim(strings.TrimPrefix(strings.TrimSpace(mark), "-"), `'"`)
	appends := strings.Contains(line, ">>") || strings.Contains(line, "tee -a")
	if !ok || !found || appends || strings.Contains(rest, "<<") || !strings.Contains(head, ">") {
		return "", false
	}
	body, rest, ok = strings.Cut("\n"+rest, "\n"+mark)
	return body, ok && strings.TrimSpace(rest) == ""
}

// isList reports whether a file of this name may hold a list that somebody works by: no code does.
func isList(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case "", ".md", ".mdx", ".markdown", ".txt", ".org", ".rst":
		return true
	}
	return false
}

// mostStepsTold is how many steps of one file are kept: the next ones.
const mostStepsTold = 100

// perhapsDone says of the steps of a list that one before them was done, and is not ticked, that the user says
// that what was to be tried by hand works, or that a call of which no result is known was to do them.
const perhapsDone = "perhaps done"

// write hands over the steps to be done of each list, and which old lists have none any more.
func (c *checklists) write(out *summary.Structured, f *files) {
	told, made := map[string]int{}, f.touched.madeLast()
	for _, file := range c.order {
		l, priority := c.byFile[file], summary.Low
		if l.worked {
			priority = summary.Medium
		}
		behind := false
		for _, s := range l.steps {
			if !f.touched.stands(file) || s.done || isSkipped(s.text) || told[file] == mostStepsTold {
				continue
			}
			told[file]++
			isMade, gone := s.makes(made)
			o := summary.OpenItem{Text: s.text, File: file, Made: isMade, Committed: l.committed, Priority: priority, Status: summary.Pending, From: s.from}
			behind = !gone && (behind || isMade)                          // what was done to a file went with it
			if s.tried || behind && !startsAny(lowered(s.text), making) { // what is to be made is known not to be
				o.Context = perhapsDone
			}
			out.Open = append(out.Open, o)
		}
	}
	for _, o := range c.old {
		if told[o.File] == 0 {
			o.Status = summary.Done
			out.Open = append(out.Open, o)
		}
	}
}
