package tool

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// touches collects the files that a call names or its command lines touch.
type touches struct {
	list      []Touch
	ofShell   bool   // a shell tells which files it did not write
	output    string // what it says
	in        string // where the command line stands that is read: see Touch.In
	patchText string // what apply_patch applies
}

// named adds a path, or a list of them, that is a value of the arguments.
func (t *touches) named(v jsontext.Value, a Access) {
	if v.Kind() == '[' {
		for _, p := range elements(v) {
			t.named(p, a)
		}
		return
	}
	if m := memberOf("", v); m.quoted {
		t.path(m.text, a)
	}
}

// nested adds the paths that an object among the arguments names.
func (t *touches) nested(v jsontext.Value, a Access) {
	for _, m := range membersOf(v) {
		if isPathKey(strings.ToLower(m.name)) {
			t.named(m.raw, a)
		}
	}
}

// path adds a path.
func (t *touches) path(path string, a Access) { t.add(Touch{Path: path, Access: a}) }

// add adds a touch; a change of a path seen before replaces a mere reading.
func (t *touches) add(x Touch) {
	path, a := x.Path, x.Access
	if path == "" || a == "" || len(path) > 1024 || strings.ContainsAny(path, "\n\x00") || t.ofShell && a.Changes() && isDenied(path, t.output) {
		return
	}
	if !strings.HasPrefix(path, "/") {
		x.In = t.in
	}
	i := slices.IndexFunc(t.list, func(y Touch) bool {
		return y.Path == path && y.In == x.In && !(x.Aside && y.Access.Changes()) // what is put aside may be put back
	})
	switch {
	case i < 0 && len(t.list) < maxTouched:
		t.list = append(t.list, x)
	case i >= 0 && a.Changes():
		t.list[i] = x
	}
}

// maxTouched bounds the paths of one call: beyond it they are a listing.
const maxTouched = 64

// patch adds the files of a patch.
func (t *touches) patch(text string) {
	t.patchText = text
	patchTouches(text, t.add)
}
