package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
)

// What a release was built from: the linker sets them (-X main.releaseVersion=v1.2.3). Where
// they are empty, the go command's own record stands.
var releaseVersion, releaseCommit, releaseTime string

// buildData identifies the program and the build it comes from.
type buildData struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// version is the release's, or the module's, as the build recorded it.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return builtAs(info).Version
}

// builtAs reads what the linker and the go command recorded; info is nil where that has none.
func builtAs(info *debug.BuildInfo) buildData {
	b := buildData{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info != nil {
		b.Version = info.Main.Version
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
	}
	b.Version = cmp.Or(releaseVersion, b.Version, "unknown")
	b.Commit, b.Time = cmp.Or(releaseCommit, b.Commit), cmp.Or(releaseTime, b.Time)
	return b
}

func versionCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version, and what it was built from", Args: arguments(0, 0),
		Long:    "Version prints the program's version, the commit it was built from, and with what.\nWithout a commit it was built outside of a clone.",
		Example: "  precis version\n  precis version --json | jq -r .commit",
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			b := builtAs(info)
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
