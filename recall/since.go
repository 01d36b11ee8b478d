package recall

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// touch is a file that a call named.
type touch struct {
	path  string
	index int // of the call's message
	tool.Access
}

// touches are the files that the calls of a thread named, by the last name of their paths.
func touches(t *thread.Thread) map[string][]touch {
	out := map[string][]touch{}
	for i := range t.Len() {
		m := t.At(i).Message
		for _, n := range m.Calls() {
			for _, f := range tool.Parse(m.Parts[n], nil).Touched {
				name := path.Clean(f.Path)
				out[path.Base(name)] = append(out[path.Base(name)], touch{name, i, f.Access})
			}
		}
	}
	return out
}

// since tells what became of what a message shows: of the files that its call names, else
// of the value that a line of it sets.
func (r *Reader) since(i int, line string) string {
	var said []string
	for _, f := range r.filesOf(i) {
		if s := r.fileSince(f); s != "" && !slices.Contains(said, s) && len(said) < 2 {
			said = append(said, s)
		}
	}
	if len(said) == 0 {
		if s := r.valueSince(i, line); s != "" {
			said = append(said, s)
		}
	}
	return strings.Join(said, "; ")
}

// filesOf are the files that the calls of a message named, or those that its results
// answer.
func (r *Reader) filesOf(i int) []touch {
	m := r.Thread.At(i).Message
	at := i
	if m.Has(message.Result) {
		for at = i - 1; at >= 0 && !r.Thread.At(at).Message.Has(message.Call); at-- {
			if !r.Thread.At(at).Message.Has(message.Result) {
				return nil
			}
		}
	}
	if at < 0 {
		return nil
	}
	var out []touch
	m = r.Thread.At(at).Message
	for _, n := range m.Calls() {
		for _, f := range tool.Parse(m.Parts[n], nil).Touched {
			out = append(out, touch{path.Clean(f.Path), at, f.Access})
		}
	}
	return out
}

// fileLabel is the label of a file: of a long path, its end.
func fileLabel(name string) string {
	const most = 48
	if len(name) <= most {
		return label(name)
	}
	end := name[len(name)-most:]
	if i := strings.IndexByte(end, '/'); i >= 0 && i < len(end)-1 {
		end = end[i:]
	}
	return "…" + label(strings.ToValidUTF8(end, ""))
}

// fileSince tells which message holds a newer state of a file, or that none does.
func (r *Reader) fileSince(f touch) string {
	if f.Access == tool.Lists {
		return ""
	}
	all := r.words.files[path.Base(f.path)]
	for n := len(all) - 1; n >= 0 && all[n].index > f.index; n-- {
		if later := all[n]; tool.SameFile(later.path, f.path) && later.Changes() {
			did := map[tool.Access]string{tool.Deletes: "deleted", tool.Creates: "written"}[later.Access]
			if did == "" {
				did = "changed"
			}
			return fmt.Sprintf("%s was %s later, in %s", fileLabel(f.path), did, r.nameOf(Place{Index: later.index}))
		}
	}
	for n := len(all) - 1; n >= 0 && all[n].index > f.index; n-- {
		if later := all[n]; tool.SameFile(later.path, f.path) && later.Access == tool.Reads && f.Access == tool.Reads {
			return fmt.Sprintf("%s was read again in %s", fileLabel(f.path), r.nameOf(Place{Index: later.index}))
		}
	}
	if r.label != "" {
		return "" // the threads after this one are not looked at
	}
	return "the newest of " + fileLabel(f.path) + " in the log"
}

// assigns matches a line that gives a name a value.
var assigns = regexp.MustCompile(`^[\s>+"'-]*(?:(?:export|const|let|var|set)\s+)?([A-Za-z_][\w.-]{2,60})["']?\s*(?::=|=>|=|:)\s*([^=\s].*)$`)

// mostLater is how many later messages that name a value are looked at.
const mostLater = 8

// valueSince tells which later message gives the name that a line sets another value.
func (r *Reader) valueSince(i int, line string) string {
	m := assigns.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	name, value := m[1], strings.TrimRight(m[2], " ,;\"'")
	whole := ""
	terms(name, func(t string) {
		if whole == "" {
			whole = t
		}
	})
	posts := r.words.posts[whole]
	for n, looked := len(posts)-1, 0; n >= 0 && looked < mostLater; n-- {
		d := r.words.docs[posts[n].doc]
		if d.artifact >= 0 {
			continue
		}
		if d.index <= i {
			break
		}
		looked++
		if now, ok := r.sets(d.index, name); ok {
			if now == value {
				return ""
			}
			return fmt.Sprintf("%s is %s in %s", label(name), window(oneLine(now), 0, 0, 60), r.nameOf(Place{Index: d.index}))
		}
	}
	return ""
}

// sets returns the last value that a message gives a name.
func (r *Reader) sets(i int, name string) (value string, ok bool) {
	for _, p := range r.Thread.At(i).Message.Parts {
		for line := range strings.Lines(asRead(p)) {
			if !strings.Contains(line, name) {
				continue
			}
			if m := assigns.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil && m[1] == name {
				value, ok = strings.TrimRight(m[2], " ,;\"'"), true
			}
		}
	}
	return value, ok
}
