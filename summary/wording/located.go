package wording

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/summary"
)

// located returns a state whose files and commands name their folders, where the shell stands outside of
// the one that they are told from: without it they would read as those of another. A folder that is no
// absolute path does not say where it is.
func located(s *summary.Structured) *summary.Structured {
	if !path.IsAbs(s.Folder) || s.Stands == "" || strings.HasPrefix(s.Stands+"/", strings.TrimSuffix(s.Folder, "/")+"/") {
		return s
	}
	at := func(name *string) {
		if *name != "" && !path.IsAbs(*name) {
			*name = path.Join(s.Folder, *name)
		}
	}
	ran := func(in *string) {
		if *in == "" {
			*in = s.Folder
		}
		at(in)
	}
	to := *s
	to.Effects = slices.Clone(s.Effects)
	for i := range to.Effects {
		ran(&to.Effects[i].In)
	}
	to.Files, to.Commands, to.Errors = slices.Clone(s.Files), slices.Clone(s.Commands), slices.Clone(s.Errors)
	for i := range to.Files {
		at(&to.Files[i].Path)
		at(&to.Files[i].Of)
	}
	for i := range to.Commands {
		ran(&to.Commands[i].In)
		to.Commands[i].Changed = slices.Clone(to.Commands[i].Changed)
		for n := range to.Commands[i].Changed {
			at(&to.Commands[i].Changed[n])
		}
	}
	for i := range to.Errors {
		if to.Errors[i].Command != "" {
			ran(&to.Errors[i].Ran)
		}
	}
	return &to
}
