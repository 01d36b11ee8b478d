package summary

import (
	"path"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

// holdsPath reports whether the span holds a path as it is, or names it in two parts: a command line
// changes to a folder and then names what is in it, or runs a script there that does.
func (v *verifier) holdsPath(x string, from int) bool {
	if v.holdsText(x, from) {
		return true
	}
	if v.apart == nil {
		v.readFolders()
	}
	if v.apart[x] || v.ranIn[x] {
		return true
	}
	for i := 1; i < len(x)-1; i++ {
		if x[i] == '/' && v.ranIn[x[:i]] && v.holdsText(x[i+1:], from) {
			return true
		}
	}
	return false
}

// readFolders reads the folders in which command lines of the span run something, and the paths that
// they name in two parts.
func (v *verifier) readFolders() {
	v.apart, v.ranIn = map[string]bool{}, map[string]bool{}
	for _, x := range v.reach {
		for i := x.From; i < x.To; i++ {
			for _, p := range v.t.At(i).Message.Parts {
				if p.Kind == message.Call {
					v.readCall(tool.Parse(p, nil))
				}
			}
		}
	}
}

func (v *verifier) readCall(did *tool.Reading) {
	if in := did.RunsIn(); in != "" {
		addEnds(v.ranIn, in)
	}
	for _, t := range did.Touched {
		for _, name := range []string{t.Path, t.From, t.Copy} {
			if name != "" && t.In != "" {
				addEnds(v.apart, path.Join(t.In, name))
			}
		}
	}
}

// addEnds adds a path and its ends from each folder and each word on, and up to the next blank: it may be
// named from any folder above it, and a value in a text ends at a blank.
func addEnds(set map[string]bool, p string) {
	for p = oneline.Of(p); ; {
		word, _, _ := strings.Cut(p, " ")
		set[p], set[word] = true, true
		p = strings.TrimPrefix(p, "/")
		i := strings.IndexAny(p, "/ ")
		if i < 0 {
			set[p] = true
			return
		}
		p = p[i+1:]
	}
}
