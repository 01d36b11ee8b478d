package program

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/tool/shell"
)

// Acts reports whether a command line does what is not done twice without consequences:
// installs, commits, moves, sends.
func (l *Line) Acts() bool {
	return l.runsAny(func(c shell.Command) bool { return acts(c.Words) })
}

// ActsOnFiles reports whether all that a command line does in the sense of Acts is to copy, move
// or delete files: the paths that it touches tell of those.
func (l *Line) ActsOnFiles() bool {
	found := false
	for _, s := range l.commands {
		for c := range s.Commands() {
			if !acts(c.Words) {
				continue
			}
			if name := path.Base(c.Words[0]); c.Fed || name != "cp" && name != "mv" && name != "rm" && name != "rmdir" {
				return false
			}
			found = true
		}
	}
	return found
}

// installers are the programs that install packages by name.
const installers = "pip pip3 pipx pipenv npm pnpm yarn bun apt apt-get apk dnf yum brew cargo go gem conda mamba poetry uv"

// acting holds the programs that act: all that they do, or what the words name.
var acting = func() map[string][]string {
	m := map[string][]string{}
	for _, line := range []string{
		"mkdir rmdir mv cp rm ln patch:", installers + " make: install add get i ci publish uninstall remove",
		"git: commit push merge rebase tag reset stash apply am cherry-pick revert checkout restore switch branch", "docker podman: run rm build push", "kubectl: apply delete create",
		"curl: -d --data --data-raw --json -XPOST -XPUT -XPATCH -XDELETE POST PUT PATCH DELETE",
	} {
		programs, words, _ := strings.Cut(line, ":")
		for name := range strings.FieldsSeq(programs) {
			m[name] = strings.Fields(words)
		}
	}
	return m
}()

// Installs returns what a command line tells installers to install: the words behind "install" and
// the like, its options among them. ok is false where it installs nothing.
func (l *Line) Installs() (named []string, ok bool) {
	for _, s := range l.commands {
		for c := range s.Commands() {
			if words, found := installed(c.Words); found {
				named, ok = append(named, words...), true
			}
		}
	}
	return named, ok
}

// Installing returns the first command of a line that installs something, "" for none.
func (l *Line) Installing() string {
	for _, s := range l.commands {
		if s.RunsAny(func(c shell.Command) bool { _, found := installed(c.Words); return found }) {
			return l.text[s.Start:s.End]
		}
	}
	return ""
}

// installed returns what one program is to install.
func installed(words []string) (named []string, ok bool) {
	words = ofModule(words)
	if !isInstaller[path.Base(words[0])] {
		return nil, false
	}
	for i, w := range words[1:min(len(words), 4)] { // what it is to do stands first
		switch w {
		case "install", "add", "get", "i", "sync":
			return words[i+2:], true
		case "run", "exec": // another program
			return nil, false
		}
	}
	return nil, false
}

var isInstaller = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(installers) {
		m[name] = true
	}
	return m
}()

// ofModule drops the interpreter before a program that is a module of Python's.
func ofModule(words []string) []string {
	if len(words) > 2 && strings.HasPrefix(path.Base(words[0]), "python") && words[1] == "-m" {
		return words[2:]
	}
	return words
}

func acts(words []string) bool {
	if len(words) == 0 {
		return false
	}
	words = ofModule(words)
	name := path.Base(words[0])
	what, ok := acting[name]
	switch name {
	case "git":
		g, ok := GitOf(words)
		return ok && slices.Contains(what, g.Name) && !g.onlyLooks()
	case "find":
		return slices.Contains(words, "-delete")
	}
	if !ok || len(what) == 0 {
		return ok
	}
	if name != "curl" {
		words = words[:min(len(words), 4)] // what it is to do stands first
	}
	return slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(what, w) })
}
