// Package discover finds the sessions that coding agents left on this machine
// and reads off them what they cost and what the agents' own compactions lost.
//
// Use: Find in Places, then Found.Read. Law: it only reads; nothing it opens is
// changed or written beside, and nothing is sent anywhere. Promise: a file that
// cannot be read is named with the reason and costs nothing else; no error's
// text holds what was said in a session.
package discover

import (
	"path/filepath"
	"strings"

	"github.com/seed-3db51b0e/precis/transcript"
)

// agents returns those whose sessions are known, by the names of their formats.
func agents() []string {
	return []string{transcript.ClaudeCode, transcript.Codex, transcript.Pi, transcript.OpenCode, transcript.GeminiCLI}
}

// Place is a folder to look in.
type Place struct {
	Agent string // a format that transcript names; "" looks for sessions of all agents
	Dir   string
	// Asked says that a person named it: then it is a fault if it is not there.
	Asked bool
}

// Env holds what decides where agents keep their sessions.
type Env struct {
	Home   string
	GOOS   string
	Getenv func(string) string
}

// Places are the folders where the agents keep sessions by default, or where
// their own environment variables say.
func Places(e Env) []Place {
	var places []Place
	add := func(agent string, elem ...string) {
		if elem[0] != "" {
			places = append(places, Place{Agent: agent, Dir: filepath.Join(elem...)})
		}
	}
	for _, dir := range e.claude() {
		add(transcript.ClaudeCode, dir, "projects")
	}
	codex := e.folder("CODEX_HOME", ".codex")
	add(transcript.Codex, codex, "sessions")
	add(transcript.Codex, codex, "archived_sessions")
	add(transcript.Pi, e.folder("PI_CODING_AGENT_DIR", ".pi", "agent"), "sessions")
	for _, dir := range e.openCode() {
		add(transcript.OpenCode, dir)
	}
	home := e.Getenv("GEMINI_CLI_HOME")
	if home == "" {
		home = e.Home
	}
	add(transcript.GeminiCLI, home, ".gemini", "tmp")
	return places
}

// folder is a variable's folder, else one below the home folder; "" if there is none.
func (e Env) folder(variable string, below ...string) string {
	if dir := e.Getenv(variable); dir != "" {
		return dir
	}
	if e.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{e.Home}, below...)...)
}

func (e Env) claude() []string {
	if list := e.Getenv("CLAUDE_CONFIG_DIR"); list != "" {
		return strings.Split(list, ",")
	}
	dirs := []string{e.folder("", ".claude")}
	if config := e.folder("XDG_CONFIG_HOME", ".config"); config != "" {
		dirs = append(dirs, filepath.Join(config, "claude"))
	}
	return dirs
}

func (e Env) openCode() []string {
	var dirs []string
	if data := e.folder("XDG_DATA_HOME", ".local", "share"); data != "" {
		dirs = append(dirs, filepath.Join(data, "opencode"))
	}
	if db := e.Getenv("OPENCODE_DB"); filepath.IsAbs(db) {
		dirs = append(dirs, db)
	}
	if e.GOOS != "windows" {
		return dirs
	}
	for _, name := range []string{"LOCALAPPDATA", "APPDATA"} {
		if dir := e.Getenv(name); dir != "" {
			dirs = append(dirs, filepath.Join(dir, "opencode"))
		}
	}
	return dirs
}
