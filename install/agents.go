package install

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-3db51b0e/precis/plugins"
)

// Agent is a program that Précis can be installed in.
type Agent struct {
	Name, Title string
	// Gives says what the agent has afterwards, and Else what the agent does not allow.
	Gives, Else string
	folder      func(Place) string // in which it keeps its files
	targets     func(at Place, program string) []target
}

// Found reports whether the agent has been used on this machine.
func (a Agent) Found(at Place) bool {
	i, err := os.Stat(a.folder(at))
	return err == nil && i.IsDir()
}

// Named is the agent of a name.
func Named(name string) (Agent, bool) {
	for _, a := range Agents {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// Agents are all that Précis can be installed in.
var Agents = []Agent{
	{
		Name: "claude-code", Title: "Claude Code", folder: claudeFolder,
		Gives: "a plugin: its compactions made by precis without a model (from 2.1.287 on; before, what the session had said added to them), /precis, and the tools to read back all of it",
		Else:  "what a request has around the conversation stays Claude Code's; precis wrap claude compacts before it is full",
		targets: func(at Place, program string) []target {
			folder := filepath.Join(claudeFolder(at), "skills", "precis")
			all := scripts(folder, "claude-code", program)
			return append(all, target{file: filepath.Join(claudeFolder(at), "settings.json"), piece: StatusLine, entries: []entry{member{
				path: []string{"statusLine"}, value: object{{"type", "command"}, {"command", plugins.Shell(program) + statusCommand}}, ours: ourStatus,
			}}})
		},
	},
	{
		Name: "pi", Title: "pi", folder: piFolder,
		Gives: "compactions made by precis without a model, and commands: /precis-left, -why, -read, -grep, -pin, -undo",
		Else:  "pi keeps its newest messages itself",
		targets: func(at Place, program string) []target {
			return []target{{file: filepath.Join(piFolder(at), "extensions", "precis.ts"), entries: []entry{script{what: "an extension", text: source("pi", "precis.ts", program), mark: written}}}}
		},
	},
	{
		Name: "codex", Title: "Codex CLI", folder: codexFolder,
		Gives: "the tools to read back what a session of precis wrap or precis serve left out",
		Else:  "Codex lets nothing else make its compaction: precis wrap codex makes it",
		targets: func(at Place, program string) []target {
			return []target{{file: filepath.Join(codexFolder(at), "config.toml"), entries: []entry{table{
				name: "mcp_servers.precis", fields: object{{"command", program}, {"args", []any{"mcp", "--proxied"}}},
			}}}}
		},
	},
	{
		Name: "gemini-cli", Title: "Gemini CLI", folder: geminiFolder,
		Gives: "the tools to read back what a session of precis wrap or precis serve left out",
		Else:  "Gemini CLI's PreCompress hook only observes: precis wrap gemini makes the compaction",
		targets: func(at Place, program string) []target {
			return []target{{file: filepath.Join(geminiFolder(at), "settings.json"), entries: []entry{member{
				path: []string{"mcpServers", "precis"}, value: object{{"command", program}, {"args", []any{"mcp", "--proxied"}}}, ours: proxied,
			}}}}
		},
	},
	{
		Name: "opencode", Title: "opencode", folder: opencodeFolder,
		Gives: "a plugin that gives its compactions what the session said, and the tools to read back what precis wrap or precis serve left out",
		Else:  "opencode's model still writes the summary: precis wrap opencode makes the compaction",
		targets: func(at Place, program string) []target {
			server := []entry{member{
				path: []string{"mcp", "precis"}, value: object{{"type", "local"}, {"command", []any{program, "mcp", "--proxied"}}, {"enabled", true}}, ours: proxied,
			}}
			file, other := opencodeConfigs(at)
			return []target{
				{file: file, entries: server},
				{file: other, entries: server, piece: earlier},
				{file: filepath.Join(opencodeFolder(at), "plugins", "precis.js"), entries: []entry{script{what: "a plugin", text: source("opencode", "precis.js", program), mark: written}}},
			}
		},
	},
}

// StatusLine is the piece of Claude Code that shows in its status line what was left out.
const StatusLine = "statusline"

// earlier is the piece that is an entry in a second file: it is not asked for, and found
// where it is.
const earlier = "earlier"

// statusCommand follows the program's path in a status line of ours.
const statusCommand = " statusline"

// ourStatus reports whether a status line calls this program, wherever it lies, and nothing else.
func ourStatus(value []byte) bool {
	var line struct{ Command string }
	if json.Unmarshal(value, &line) != nil {
		return false
	}
	word, ok := strings.CutSuffix(line.Command, statusCommand)
	if n := len(word) - 1; n > 0 && word[0] == word[n] && strings.ContainsAny(word[:1], `'"`) {
		word = strings.ReplaceAll(word[1:n], `'\''`, "'")
	}
	return ok && line.Command == plugins.Shell(word)+statusCommand && strings.HasPrefix(filepath.Base(word), "precis")
}

// proxied reports whether a server is one of ours: others have no such argument.
func proxied(value []byte) bool { return bytes.Contains(value, []byte(`"--proxied"`)) }

// manifest is the file of a plugin's folder that names whose plugin it is.
const manifest = ".claude-plugin/plugin.json"

// scripts are the files of a plugin below a folder of its own.
func scripts(folder, agent, program string) (all []target) {
	there, _ := os.ReadFile(filepath.Join(folder, filepath.FromSlash(manifest))) // without it, the folder is not ours
	of := repository(there)
	ours := of != "" && of == repository([]byte(source(agent, manifest, program)))
	for _, f := range plugins.Files(agent, program) {
		all = append(all, target{
			file: filepath.Join(folder, filepath.FromSlash(f.Path)), folder: folder,
			entries: []entry{script{what: "a plugin", text: f.Text, inOurs: ours}},
		})
	}
	return all
}

// repository is the one that a plugin's manifest names, "" for none.
func repository(manifest []byte) string {
	var m struct{ Repository string }
	if json.Unmarshal(manifest, &m) != nil {
		return ""
	}
	return m.Repository
}

// source is one file of a plugin.
func source(agent, name, program string) string {
	for _, f := range plugins.Files(agent, program) {
		if f.Path == name {
			return f.Text
		}
	}
	return ""
}

func claudeFolder(at Place) string {
	return cmp.Or(at.Env("CLAUDE_CONFIG_DIR"), filepath.Join(at.Home, ".claude"))
}

func piFolder(at Place) string {
	return cmp.Or(at.Env("PI_CODING_AGENT_DIR"), filepath.Join(at.Home, ".pi", "agent"))
}

func codexFolder(at Place) string {
	return cmp.Or(at.Env("CODEX_HOME"), filepath.Join(at.Home, ".codex"))
}

func geminiFolder(at Place) string {
	return filepath.Join(cmp.Or(at.Env("GEMINI_CLI_HOME"), at.Home), ".gemini")
}

func opencodeFolder(at Place) string {
	return filepath.Join(cmp.Or(at.Env("XDG_CONFIG_HOME"), filepath.Join(at.Home, ".config")), "opencode")
}

// opencodeConfigs are the two files that opencode reads: the one that the server belongs
// into, and the one that may have it from before the first came to be there.
func opencodeConfigs(at Place) (file, other string) {
	plain, commented := filepath.Join(opencodeFolder(at), "opencode.json"), filepath.Join(opencodeFolder(at), "opencode.jsonc")
	if _, err := os.Stat(commented); err == nil {
		return commented, plain
	}
	return plain, commented
}
