package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
)

// buildData is what the program knows of its own making.
type buildData struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// builtAs reads it from the program itself.
func builtAs() buildData {
	b := buildData{Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func versionCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "say which precis this is, and what it was built from", Args: arguments(0, 0),
		Long:    "Version prints the program's version, the commit it was built from, and with what.\nWithout a commit it was built outside of a clone.",
		Example: "  precis version\n  precis version --json | jq -r .commit",
		RunE: func(*cobra.Command, []string) error {
			b := builtAs()
			if std.json {
				return std.object(b)
			}
			t := &term.Table{Names: true}
			t.Add("precis", b.Version)
			if b.Commit != "" {
				changed := ""
				if b.Modified {
					changed = ", with changes"
				}
				t.Add("commit", b.Commit+" of "+b.Time+changed)
			}
			t.Add("built by", b.Go+" for "+b.Platform)
			_, err := fmt.Fprint(std.page, std.paper.Table(t))
			return err
		},
	}
}
