package install

import (
	"cmp"
	"os"
	"path/filepath"
)

// Agent is a program that Précis can be installed in.
type Agent struct {
	Name, Title string
	// Gives says what the agent has afterwards, and Else what its seams do not allow.
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
		Gives: "after each compaction, what the session had said of rules, files, commands and errors, and the tools to read back all of it",
		Else:  "the compaction itself stays Claude Code's; precis wrap claude makes it",
		targets: func(at Place, program string) []target {
			return []target{
				{filepath.Join(claudeFolder(at), "settings.json"), []entry{element{
					path: []string{"hooks", "SessionStart"}, has: hookCommand,
					value: object{{"matcher", "compact"}, {"hooks", []any{object{{"type", "command"}, {"command", quoted(program) + hookCommand}, {"timeout", 10}}}}},
				}}},
				{claudeState(at), []entry{member{path: []string{"mcpServers", "precis"}, value: object{{"type", "stdio"}, {"command", program}, {"args", []any{"mcp"}}}}}},
			}
		},
	},
	{
		Name: "pi", Title: "pi", folder: piFolder,
		Gives: "compactions made by precis without a model, and the commands /precis-read, /precis-grep and /precis-why",
		Else:  "pi keeps its newest messages itself",
		targets: func(at Place, program string) []target {
			return []target{{filepath.Join(piFolder(at), "extensions", "precis.ts"), []entry{script{"an extension", piScript(program)}}}}
		},
	},
	{
		Name: "codex", Title: "Codex CLI", folder: codexFolder,
		Gives: "the tools to read back what a session of precis wrap or precis serve left out",
		Else:  "Codex has no seam for its compaction: precis wrap codex makes it",
		targets: func(at Place, program string) []target {
			return []target{{filepath.Join(codexFolder(at), "config.toml"), []entry{table{
				name: "mcp_servers.precis", fields: object{{"command", program}, {"args", []any{"mcp", "--proxied"}}},
			}}}}
		},
	},
	{
		Name: "gemini-cli", Title: "Gemini CLI", folder: geminiFolder,
		Gives: "the tools to read back what a session of precis wrap or precis serve left out",
		Else:  "Gemini CLI's PreCompress hook only observes: precis wrap gemini makes the compaction",
		targets: func(at Place, program string) []target {
			return []target{{filepath.Join(geminiFolder(at), "settings.json"), []entry{member{
				path: []string{"mcpServers", "precis"}, value: object{{"command", program}, {"args", []any{"mcp", "--proxied"}}},
			}}}}
		},
	},
	{
		Name: "opencode", Title: "opencode", folder: opencodeFolder,
		Gives: "the tools to read back what a session of precis wrap or precis serve left out",
		Else:  "opencode adds to its own prompt for a compaction, and keeps the result: precis wrap opencode makes it",
		targets: func(at Place, program string) []target {
			return []target{{opencodeConfig(at), []entry{member{
				path: []string{"mcp", "precis"}, value: object{{"type", "local"}, {"command", []any{program, "mcp", "--proxied"}}, {"enabled", true}},
			}}}}
		},
	},
}

// hookCommand follows the program's path in the hook of Claude Code, and tells it from
// the hooks of others.
const hookCommand = " handover --hook"

// quoted is a path as a shell takes it.
func quoted(path string) string {
	for _, c := range path {
		if c != '/' && c != '.' && c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return `"` + path + `"`
		}
	}
	return path
}

func claudeFolder(at Place) string {
	return cmp.Or(at.Env("CLAUDE_CONFIG_DIR"), filepath.Join(at.Home, ".claude"))
}

// claudeState is where Claude Code keeps the servers of all projects.
func claudeState(at Place) string {
	return filepath.Join(cmp.Or(at.Env("CLAUDE_CONFIG_DIR"), at.Home), ".claude.json")
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

// opencodeConfig is the file that is there, of the two names that opencode reads.
func opencodeConfig(at Place) string {
	commented := filepath.Join(opencodeFolder(at), "opencode.jsonc")
	if _, err := os.Stat(commented); err == nil {
		return commented
	}
	return filepath.Join(opencodeFolder(at), "opencode.json")
}
