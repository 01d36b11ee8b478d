// Package plugins holds what agents load to reach Précis, in the agents' own languages.
//
// Use: Files of an agent's folder, in which the program is called by its name; with
// another path they are what is installed. Law: what is published here and what precis
// install writes are the same files. Promise: they need nothing but the program, and leave
// the agent to itself where it fails, takes longer than two seconds or has nothing to say.
package plugins

import (
	"embed"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
)

//go:embed all:claude-code all:pi all:opencode
var files embed.FS

// File is a file of a plugin.
type File struct {
	Path string // below the plugin's folder, with slashes
	Text string
}

// Files are the files of the folder of an agent, sorted, which call the program by this
// path; for the path "precis" they are the embedded ones.
func Files(agent, program string) (all []File) {
	_ = fs.WalkDir(files, agent, func(name string, d fs.DirEntry, err error) error { // an embedded folder can be read
		if err == nil && !d.IsDir() {
			text, _ := files.ReadFile(name) // it was listed
			rel := strings.TrimPrefix(name, agent+"/")
			all = append(all, File{rel, called(rel, string(text), program)})
		}
		return err
	})
	return all
}

// called puts the program's path where a file calls it.
func called(name, text, program string) string {
	quoted, err := json.Marshal(program)
	if err != nil || program == "precis" {
		return text
	}
	shell, err := json.Marshal(Shell(program) + " ")
	if err != nil {
		return text
	}
	inJSON := strings.Trim(string(shell), `"`)
	calls := map[string]map[string]string{
		".js":   {`const program = "precis";`: "const program = " + string(quoted) + ";"},
		".ts":   {`const program = "precis";`: "const program = " + string(quoted) + ";"},
		".json": {`"command": "precis"`: `"command": ` + string(quoted), `"command": "precis `: `"command": "` + inJSON},
		".md":   {"!`precis ": "!`" + Shell(program) + " ", "Bash(precis ": "Bash(" + Shell(program) + " "},
	}[path.Ext(name)]
	for _, old := range slices.Sorted(maps.Keys(calls)) {
		text = strings.ReplaceAll(text, old, calls[old])
	}
	return text
}

// Shell is a path as a shell of this system takes it.
func Shell(program string) string {
	for _, c := range program {
		if !strings.ContainsRune("/.-_", c) && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			if runtime.GOOS == "windows" {
				return `"` + program + `"`
			}
			return "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
		}
	}
	return program
}
