package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/install"
	"github.com/seed-3db51b0e/precis/internal/term"
)

const installLong = `Install puts what an agent needs to reach precis into the agent's own files, and
says which entries of which files these are; --dry-run says it and changes
nothing. It adds entries and changes no others: comments, order and everything
else stay, and the file as it was lies beside it. Doing it again changes nothing;
precis uninstall takes the entries out again.

Claude Code gets a plugin: from version 2.1.287 on precis makes its compactions,
before that it is told after each of them what the session had said (precis
handover); /precis, and the tools to read back all of it. pi's compactions are made
by precis handover. opencode's model is told what its summary should hold. Where
precis fails or takes longer than two seconds, each agent compacts by itself. Codex
CLI, Gemini CLI and opencode get the tools; their conversations are compacted, and
kept, by precis wrap.`

const uninstallLong = `Uninstall takes the entries that precis install made out of an agent's own files,
and says which these are; --dry-run says it and changes nothing. A file that nobody
changed meanwhile is then byte for byte what it was; of any other the entries go and
everything else stays. Conversations that were kept stay in the database.`

// agentNames are those that precis can be installed in.
func agentNames() (names []string) {
	for _, a := range install.Agents {
		names = append(names, a.Name)
	}
	return names
}

// installed is an agent as the commands print it.
type installed struct {
	Agent string          `json:"agent"`
	Title string          `json:"title"`
	Found bool            `json:"found"` // it has been used on this machine
	Files []installedFile `json:"files"`
	Gives string          `json:"gives,omitempty"`
	Else  string          `json:"else,omitempty"`
	Fault string          `json:"fault,omitempty"` // why its files cannot be looked into
}

type installedFile struct {
	File    string        `json:"file"`
	Entries []string      `json:"entries"`
	State   install.State `json:"state"` // before the command did anything
	Backup  string        `json:"backup,omitempty"`
	change  install.Change
}

// shown are the files for people: those of a plugin are its folder, which differs if one
// of them is not as the others are.
func (is installed) shown() (all []installedFile) {
	for _, f := range is.Files {
		last := len(all) - 1
		if f.change.Folder == "" || last < 0 || all[last].File != f.change.Folder {
			if f.change.Folder != "" {
				f.File = f.change.Folder
			}
			all = append(all, f)
			continue
		}
		if all[last].State != f.State {
			all[last].State = install.Differs
		}
	}
	return all
}

func installCommand(std *streams) *cobra.Command {
	return installing(std, "install", "put precis into an agent, by entries in its files", installLong,
		"  precis install claude-code --dry-run\n  precis install claude-code\n  precis status", install.Change.Apply)
}

func uninstallCommand(std *streams) *cobra.Command {
	return installing(std, "uninstall", "take precis out of an agent again", uninstallLong, "  precis uninstall claude-code", install.Change.Undo)
}

func installing(std *streams, name, short, long, example string, do func(install.Change) error) *cobra.Command {
	dry, status := false, false
	c := &cobra.Command{
		Use: name + " AGENT", Short: short, Long: long, Example: example, Args: arguments(1, 1), ValidArgs: agentNames(),
		RunE: func(_ *cobra.Command, args []string) error {
			a, ok := install.Named(args[0])
			if !ok {
				return usage("there are "+strings.Join(agentNames(), ", "), "unknown agent %q", args[0])
			}
			at, err := place()
			if err != nil {
				return err
			}
			var pieces []string
			if status {
				if !a.Offers(at, install.StatusLine) {
					return usage("leave --statusline out", "run precis install: %s has no status line for --statusline", a.Title)
				}
				pieces = []string{install.StatusLine}
			}
			cs, err := a.Installed(at, program())
			if name == "install" {
				cs, err = a.Plan(at, program(), pieces...)
			}
			if err != nil {
				return fail("mend the file, or move it away", "%s: %w", a.Name, err)
			}
			is := lookedInto(a, at, cs)
			if !is.Found && name == "install" && !dry {
				return fail("start it once, so that it makes its files", "%s has not been used on this machine", a.Title)
			}
			for i, f := range is.Files {
				if dry {
					break
				}
				if err := do(f.change); err != nil {
					hint := "nothing was changed: see that it can be written, and run it again"
					if i > 0 {
						hint = "files before it were changed; run it again, or precis uninstall " + a.Name
					}
					return fail(hint, "%s: write %s: %w", name, f.File, err)
				}
			}
			if name == "uninstall" && !dry {
				is.tidy()
			}
			if !is.Found && dry && name == "install" {
				std.note("%s has not been used on this machine: start it once, so that it makes its files", a.Title)
			}
			return std.changed(name, dry, is)
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would change, and change nothing")
	if name == "install" {
		c.Flags().BoolVar(&status, "statusline", false, "Claude Code: show in its status line what was left out")
	}
	return c
}

// tidy removes empty folders that installing made.
func (is installed) tidy() {
	var all []install.Change
	for _, f := range is.Files {
		all = append(all, f.change)
	}
	install.Tidy(all)
}

// changed prints what a command did, or would do.
func (std *streams) changed(name string, dry bool, is installed) error {
	if std.json {
		return std.object(map[string]any{"command": name, "dry_run": dry, "agent": is})
	}
	did := map[string]string{"install": "added to", "uninstall": "taken out of"}[name]
	if dry {
		did = map[string]string{"install": "would be added to", "uninstall": "would be taken out of"}[name]
	}
	idle := map[string]install.State{"install": install.Present, "uninstall": install.Absent}[name]
	same := map[string]string{"install": "has precis already", "uninstall": "holds nothing of precis"}[name]
	for _, f := range is.shown() {
		if f.State == idle {
			fmt.Fprintf(std.page, "%s %s\n", f.File, same)
			continue
		}
		fmt.Fprintf(std.page, "%s %s %s\n", strings.Join(f.Entries, ", "), did, f.File)
	}
	if name == "install" {
		fmt.Fprint(std.page, std.paper.Paragraph(fmt.Sprintf("%s gets %s.", is.Title, is.Gives)), std.paper.Paragraph("Not more: "+is.Else+"."))
		if !dry {
			fmt.Fprint(std.page, std.paper.Paragraph(fmt.Sprintf("It is in force when %s starts the next time. If you do not want it any more: precis uninstall %s", is.Title, is.Agent)))
		}
	}
	return nil
}

// inWords are the states for people.
var inWords = map[install.State]string{install.Absent: "no", install.Present: "yes", install.Differs: "in part"}

func statusCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "say which agents precis is installed in", Args: arguments(0, 0),
		Long:    "Status looks into the files of all agents that precis can be installed in, and\nsays of each whether it is there and whether its entries are. A file that cannot\nbe read, or holds an entry of the same name by somebody else, is a fault; the\nother agents are listed all the same.",
		Example: "  precis status\n  precis status --json | jq '.agents[] | select(.found)'",
		RunE: func(*cobra.Command, []string) error {
			all := []installed{}
			at, err := place()
			if err != nil {
				return err
			}
			for _, a := range install.Agents {
				cs, err := a.Installed(at, program())
				is := lookedInto(a, at, cs)
				if err != nil {
					is.Fault = err.Error()
				}
				all = append(all, is)
			}
			if std.json {
				return std.object(map[string]any{"agents": all})
			}
			rows := &term.Table{Names: true}
			rows.Add(term.Faint("agent"), term.Faint("used here"), term.Faint("precis in it"), term.Faint("file"))
			for _, is := range all {
				name, used := is.Agent, map[bool]string{true: "yes", false: "no"}[is.Found]
				if is.Fault != "" {
					rows.Add(name, used, "fault", is.Fault)
				}
				for _, f := range is.shown() {
					rows.Add(name, used, inWords[f.State], f.File)
					name, used = "", "" // a second file
				}
			}
			_, err = fmt.Fprint(std.page, std.paper.Table(rows))
			return err
		},
	}
}

// place is where the agents of this user keep their files.
func place() (install.Place, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return install.Place{}, fail("", "find home folder: %w", err)
	}
	return install.Place{Home: home, Env: os.Getenv}, nil
}

// lookedInto is an agent with the state of its files.
func lookedInto(a install.Agent, at install.Place, cs []install.Change) installed {
	is := installed{Agent: a.Name, Title: a.Title, Found: a.Found(at), Files: []installedFile{}, Gives: a.Gives, Else: a.Else}
	for _, c := range cs {
		f := installedFile{File: c.File, Entries: c.Entries, State: c.State, change: c}
		if _, err := os.Stat(c.Backup()); err == nil {
			f.Backup = c.Backup()
		}
		is.Files = append(is.Files, f)
	}
	return is
}

// program is the path by which an agent calls this program: where it is found by its name,
// which stays when the program is updated, else where it is.
func program() string {
	self, err := os.Executable()
	if err != nil {
		return "precis"
	}
	if found, err := exec.LookPath("precis"); err == nil {
		if a, err := os.Stat(found); err == nil {
			if b, err := os.Stat(self); err == nil && os.SameFile(a, b) {
				return found
			}
		}
	}
	return self
}
