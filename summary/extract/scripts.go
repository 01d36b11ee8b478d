package extract

import (
	"cmp"
	"path"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
	"github.com/seed-3db51b0e/precis/tool/shell"
	"github.com/seed-3db51b0e/precis/tool/testrun"
)

// mostScriptOpens is how many files are known that a script opens.
const mostScriptOpens = 8

// scriptExt and shellExt are the extensions of the scripts that are read for what they open.
const (
	scriptExt = ".py"
	shellExt  = ".sh"
)

// isPatch reports whether a file is by its name a patch, which is to edit what it names.
func isPatch(name string) bool {
	ext := path.Ext(name)
	return ext == ".patch" || ext == ".diff"
}

// unescaped reads the escapes of JSON that stand beside names and quotes.
var unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t")

// patchOf returns the patch that a line applies from a file, "" for none.
func patchOf(line string) string {
	words := shell.Program(strings.Fields(line))
	git, _ := program.GitOf(words)
	if len(words) == 0 || words[0] != "patch" && git.Name != "apply" {
		return ""
	}
	for _, w := range words {
		if w = strings.Trim(w, `<'"`); isPatch(w) {
			return w
		}
	}
	return ""
}

// mostScriptPrints is how many lines are known that a script always prints, the last ones.
const mostScriptPrints = 32

// printingExts are the extensions of the scripts that are read for what they always print.
var printingExts = wordSet(`.py .sh .bash .js .mjs .ts`)

// alwaysPrinted returns what is printed whatever happens by the scripts that a line runs, or holds.
func (f *files) alwaysPrinted(e *tool.Reading) []string {
	always := tool.AlwaysPrints(e.Command)
	action := e.Action()
	if script := scriptOf(action, programOf(action)); script != "" {
		if x := f.touched.get(f.names.nameIn(e.RunsIn(), script)); x != nil && !x.Reworked() {
			always = append(always, x.Prints...)
		}
	}
	return always
}

// writtenBy returns what a call holds that writes a file, which is a script or a patch.
func writtenBy(e *tool.Reading, args, file string) string {
	switch added := e.Adds(file); {
	case added != "":
		return added
	case e.Command != "":
		return e.Command
	}
	return unescaped.Replace(args)
}

// textWritten returns the text that a call writes to a file, "" where it is not told whole.
func textWritten(e *tool.Reading, file string) (text string) {
	if added := e.Adds(file); added != "" {
		return added
	}
	if e.Command != "" {
		return tool.WrittenTo(file, e.Command)
	}
	for _, t := range e.Texts() {
		if len(t.Text) > len(text) {
			text = t.Text
		}
	}
	return text
}

// standsAlone reports whether a file is a script of the agent's that reaches nothing but itself.
func (f *files) standsAlone(name string) bool {
	x := f.touched.get(name)
	return x != nil && x.Alone && x.State == summary.FileCreated && !x.Reworked()
}

// wrotePrinting notes what a script that a call writes will print whatever it finds.
func (f *files) wrotePrinting(e *tool.Reading, args string) {
	for _, t := range e.Touched {
		x := f.touched.byPath[f.names.nameIn(t.In, t.Path)]
		if x == nil || !printingExts[path.Ext(t.Path)] {
			continue
		}
		switch t.Access {
		case tool.Creates:
			x.Alone = path.Ext(t.Path) == scriptExt && tool.StandsAlone(textWritten(e, t.Path))
			x.Prints = lastOf(tool.AlwaysPrints(writtenBy(e, args, t.Path)), mostScriptPrints)
		case tool.Edits:
			x.Prints, x.Alone = nil, false
		}
	}
}

// shellText returns the script of a shell that a call writes to a file, as far as it stands alone: behind the
// first line, which in a tool's arguments is not.
func shellText(e *tool.Reading, file, text string) string {
	if added := e.Adds(file); added != "" {
		return added
	}
	if e.Command != "" {
		return tool.WrittenTo(file, e.Command)
	}
	_, script, _ := strings.Cut(text, "\n")
	return script
}

// openedBy returns what reads of the text of a file which files it opens when it runs, or is applied; nil for
// another file.
func openedBy(name string) func(text string) []tool.Touch {
	switch {
	case isPatch(name):
		return tool.PatchedBy
	case path.Ext(name) == scriptExt:
		return tool.OpenedBy
	case path.Ext(name) == shellExt:
		return tool.ChangedByShell
	}
	return nil
}

// wrote notes what a script or a patch that a call writes will open when it runs, or is applied.
func (f *files) wrote(e *tool.Reading, args string) {
	f.wrotePrinting(e, args)
	for _, t := range e.Touched {
		opened := openedBy(t.Path)
		if opened == nil || t.Access != tool.Creates && t.Access != tool.Edits {
			continue
		}
		text := writtenBy(e, args, t.Path)
		if path.Ext(t.Path) == shellExt {
			text = shellText(e, t.Path, text)
		}
		if x := f.touched.byPath[f.names.nameIn(t.In, t.Path)]; x != nil {
			x.Opens = lastOf(opened(text), mostScriptOpens)
		}
	}
}

// ran notes what a script that the agent wrote has changed by running, and returns it.
func (f *files) ran(e *tool.Reading, at summary.Source) (changed []string) {
	action := e.Action()
	for word := range strings.FieldsSeq(action) {
		script := (*summary.File)(nil)
		if ext := path.Ext(word); ext == scriptExt || ext == shellExt && strings.TrimPrefix(word, "./") == scriptOf(action, programOf(action)) {
			script = f.touched.get(f.names.nameIn(e.RunsIn(), word))
		}
		if script == nil {
			continue
		}
		for _, t := range script.Opens {
			if t.Access == tool.Reads {
				continue
			}
			name, state := f.names.nameIn(e.RunsIn(), t.Path), summary.FileCreated
			switch {
			case t.Access == tool.Edits:
				state = summary.FileEdited
			case !succeeded(e):
				continue // it may have ended before
			}
			f.put(name, state, at).Edits-- // it may have found nothing to change
			changed = append(changed, name)
		}
	}
	return changed
}

// toEdit returns the files that a line in a folder is to edit by the script that it runs, "" for none, or
// by a patch that it applies.
func (f *files) toEdit(line, in, script string) (names []string) {
	by := cmp.Or(script, patchOf(line))
	if by == "" {
		return nil
	}
	file := f.touched.get(f.names.nameIn(in, by))
	if file == nil {
		return nil
	}
	for _, t := range file.Opens {
		if t.Access == tool.Edits {
			names = append(names, f.names.nameIn(in, t.Path))
		}
	}
	return names
}

// wasToEdit notes that the script or the patch of an error was to edit files. One of tests came behind its work.
func (f *failures) wasToEdit(x *summary.Failure, names []string) {
	for _, name := range names {
		for _, i := range f.byProgram[programRun{x.Ran, programOf(x.Command)}] {
			if f.all[i].Key() == x.Key() && f.all[i].From == x.From && !testrun.IsVerdict(f.all[i].Text) {
				f.meant[name] = append(lastOf(f.meant[name], mostOpenErrors-1), i)
			}
		}
	}
}

// editedOtherwise resolves the errors of scripts and patches that were to edit a file, which was edited
// without them.
func (f *failures) editedOtherwise(name string, at summary.Source) {
	for _, i := range f.meant[name] {
		if x := &f.all[i]; x.Fixed.N == 0 && x.From.N < at.N {
			x.Settle(string(summary.FileEdited)+" "+name+" without it", at, false)
		}
	}
	delete(f.meant, name)
}
