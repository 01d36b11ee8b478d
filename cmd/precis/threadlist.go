package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// threadLine is a thread for programs.
type threadLine struct {
	Thread   string    `json:"thread"`
	Messages int       `json:"messages"`
	Version  int       `json:"plan_version"`
	Source   string    `json:"source,omitempty"`
	Parent   string    `json:"parent,omitempty"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
	outset
}

// outset tells one conversation from another; what is not known is "".
type outset struct {
	Begins  string `json:"begins,omitempty"` // what the user said first
	Model   string `json:"model,omitempty"`
	Project string `json:"project,omitempty"` // the last name of the folder that the agent worked in
}

func lineOf(h store.Head, a outset) threadLine {
	return threadLine{h.Key.Thread, h.Len, h.PlanVersion, h.Source, h.Parent, h.Created, h.Updated, a}
}

const (
	maxOutsets     = 1000 // of how many threads a list reads the beginning
	outsetMessages = 8    // messages of each that are read
	outsetColumns  = 160  // of what a user said
)

func threadList(ctx context.Context, db *database, s store.Store) error {
	heads, err := s.Heads(ctx, db.whose)
	if err != nil {
		return err
	}
	all := make([]threadLine, len(heads))
	for i, h := range heads {
		var a outset
		if i < maxOutsets {
			a = outsetOf(ctx, s, h)
		}
		all[i] = lineOf(h, a)
	}
	if db.json {
		return db.object(all)
	}
	t := term.Table{Right: []bool{false, true, true}, Names: true}
	t.Add("updated", "msgs", "plan", "source", "thread")
	for _, n := range families(all) {
		l, indent := &all[n.at], strings.Repeat("  ", n.depth)
		t.Add(l.Updated.Local().Format("Jan _2 15:04"), term.Comma(l.Messages), strconv.Itoa(l.Version), l.Source, indent+term.Clean(l.Thread))
		if said := l.outset.String(); said != "" {
			if db.paper.Excerpts {
				said = term.Cut(said, max(db.paper.Columns-48, 32))
			}
			t.Add("", "", "", "", indent+"  "+term.Faint(said))
		}
	}
	fmt.Fprint(db.page, db.paper.Table(&t))
	if len(heads) == 0 {
		if whose, hint := others(ctx, s); whose != "" {
			db.note("%s: %s", whose, hint)
		}
	}
	return nil
}

// String is one line, "" where nothing is known.
func (a *outset) String() string {
	known := slices.DeleteFunc([]string{a.Project, a.Model, a.Begins}, func(s string) bool { return s == "" })
	return term.Line(strings.Join(known, " · "))
}

// node is a thread of a list, with how many threads it is a branch of.
type node struct{ at, depth int }

// families puts what was forked from a thread below it. The order is otherwise that of
// the list.
func families(all []threadLine) (out []node) {
	named := map[string]bool{}
	for i := range all {
		named[all[i].Thread] = true
	}
	below := map[string][]int{}
	for i := range all {
		parent := all[i].Parent
		if !named[parent] || parent == all[i].Thread {
			parent = ""
		}
		below[parent] = append(below[parent], i)
	}
	var add func(parent string, depth int)
	add = func(parent string, depth int) {
		for _, i := range below[parent] {
			out = append(out, node{i, depth})
			if all[i].Thread != "" {
				add(all[i].Thread, depth+1)
			}
		}
	}
	add("", 0)
	return out
}

// outsetOf reads the beginning of a thread. A thread that cannot be read has none.
func outsetOf(ctx context.Context, s store.Store, h store.Head) (a outset) {
	es, err := store.LoadRange(ctx, s, h.Key, 0, outsetMessages)
	if err != nil {
		return a
	}
	if request, err := s.Envelope(ctx, h.Key); err == nil {
		a.read(request)
	}
	for i := range es {
		a.read(es[i].Message.Raw)
		if a.Begins == "" && thread.Speaks(es[i].Message) {
			a.Begins = term.Cut(term.Line(own(es[i])), outsetColumns)
		}
	}
	return a
}

// read takes model and folder from a request or a record of a session file.
func (a *outset) read(raw []byte) {
	var r struct {
		Model   string `json:"model"`
		Cwd     string `json:"cwd"`
		Message struct {
			Model string `json:"model"`
		} `json:"message"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return
	}
	for _, m := range []string{r.Model, r.Message.Model} {
		if a.Model == "" {
			a.Model = m
		}
	}
	if a.Project == "" && r.Cwd != "" {
		a.Project = path.Base(strings.ReplaceAll(r.Cwd, `\`, "/"))
	}
}

// own is what a user said, without what the agent's program put in the user's name.
func own(e thread.Entry) string {
	var said []string
	w := thread.WordsOf(&e.Message)
	for i, p := range e.Message.Parts {
		switch {
		case w.Note(i):
		case p.Kind == message.Text:
			said = append(said, w.Said(i))
		case p.Kind == message.Media:
			said = append(said, recall.Named(p))
		default:
			said = append(said, recall.Text(p))
		}
	}
	return strings.Join(said, " ")
}
