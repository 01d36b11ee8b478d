package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis/internal/doctor"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

const doctorLong = `Doctor checks everything precis depends on and says how to repair what is broken.
It hashes every message of every thread again, every version of every plan, and
whatever else is kept. It changes nothing; with --repair it takes what is damaged
out of plans and caches. What a plan had left out is in the prompt then, until the
next compaction: the conversation itself has lost nothing.

Of a sealed database it takes passages of everything that was said and looks for them
in the raw files, where none may stand. --look-for TEXT does that with a text of your
own, in any database: also after precis erase.

With --config or --proxy it checks the proxy, too: the file, the address to
listen on, and whether the providers answer. It needs no key for that, and asks
the providers for nothing.

It exits with 0 if every check passes, else with 1.`

func doctorCommand(a *app) *cobra.Command {
	var path string
	var network bool
	var db doctor.Database
	cmd := &cobra.Command{
		Use: "doctor", Short: "check the database, its folder, the token counters, and the proxy", Long: doctorLong,
		Example: "  precis doctor\n  precis doctor --config precis.toml --json",
		Args:    arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			var s *server
			var err error
			if path != "" || network {
				s, err = configured(a, path, c.Flags()) // it may set --db
			}
			all := installation(c.Context(), a, db)
			switch {
			case err != nil:
				all = append(all, configFault(err))
			case s != nil:
				all = append(all, proxied(c.Context(), s)...)
			}
			return printFindings(a.streams, all)
		},
	}
	cmd.Flags().StringVar(&path, "config", "", "check what precis serve with this `file` needs, too")
	cmd.Flags().BoolVar(&db.Repair, "repair", false, "take damaged plans and cached summaries out of the database")
	cmd.Flags().StringVar(&db.LookFor, "look-for", "", "say whether this `text` stands in the conversations, and in the raw files")
	cmd.Flags().BoolVar(&network, "proxy", false, "check what precis serve without a file needs, too")
	return cmd
}

// fixFor is the advice for an error without that of asking the doctor.
func fixFor(err error) string {
	said := strings.Split(hintFor(err), "; ")
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return strings.HasPrefix(s, "precis doctor says") }), "; ")
}

// installation checks what every command needs.
func installation(ctx context.Context, a *app, db doctor.Database) []doctor.Finding {
	var all []doctor.Finding
	keys, err := a.keys()
	if err != nil {
		all = append(all, doctor.Finding{Check: "key", Found: err.Error(), Fix: fixFor(err)})
	} else if keys != nil {
		all = append(all, doctor.KeyFile(a.keyPath()))
	}
	db.Keys = keys
	if path, err := a.path(); err != nil {
		all = append(all, doctor.Finding{Check: "data folder", Found: err.Error(), Fix: "set HOME or XDG_DATA_HOME, or use --db PATH"})
	} else if postgres.IsURL(path) {
		s, err := a.open(ctx, path)
		all = append(all, doctor.Server(ctx, shown(path), s, err, db.Repair, fixFor)...)
		if db.LookFor != "" {
			all = append(all, doctor.Finding{Check: "look for", Found: "the files of a PostgreSQL database are its server's", Fix: "leave --look-for out"})
		}
		if err == nil {
			_ = s.Close() // it was checked
		}
	} else {
		db.Path = path
		defer a.noteWaiting("checking", path)()
		all = slices.Concat(all, doctor.Installation(ctx, db, fixFor), []doctor.Finding{doctor.Limits(path+limitsSuffix, time.Now()), doctor.Budgets(path + limitsSuffix)})
	}
	table, err := a.tablePath()
	if err != nil {
		table = ""
	}
	return append(all, doctor.Program(table, a.models != "")...)
}

// proxied checks what a proxy needs: the config file, the address to listen on,
// and its providers.
func proxied(ctx context.Context, s *server) []doctor.Finding {
	f := doctor.Finding{Check: "config", OK: true, Found: "flags are as built in"}
	o, err := s.options()
	if err == nil {
		err = s.checkOptions(o)
	}
	if err == nil {
		err = s.checkParts(ctx)
	}
	if err != nil {
		return []doctor.Finding{configFault(err)}
	}
	if s.file != nil {
		f.Found = fmt.Sprintf("%s: %s, %s, %s", s.configFile, term.Count(len(s.file.ModelTables), "model"),
			term.Count(len(o.Engine.Tools), "tool"), term.Count(len(o.Tenancy.Named), "tenant"))
	}
	return append([]doctor.Finding{f}, doctor.Proxy(ctx, s.listen, o.Providers)...)
}

func configFault(err error) doctor.Finding {
	return doctor.Finding{Check: "config", Found: err.Error(), Fix: fixFor(err)}
}

// configured is serve's own view of a config file, for a command that does not
// have its flags. What flags names is taken from there.
func configured(a *app, path string, flags *pflag.FlagSet) (*server, error) {
	s := &server{app: a}
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.flags(f)
	for _, name := range []string{"db", "blobs", "key", "models"} {
		f.AddFlag(flags.Lookup(name))
	}
	s.configFile = path
	return s, s.configure(f)
}

// printFindings prints findings, and fails where one is not well.
func printFindings(std *streams, all []doctor.Finding) error {
	bad := 0
	for i := range all {
		all[i].Fix = std.again(all[i].Fix)
		if !all[i].OK {
			bad++
		}
	}
	if std.json {
		if err := std.object(map[string]any{"ok": bad == 0, "checks": all}); err != nil {
			return err
		}
	} else {
		for _, f := range all {
			mark := term.Green("ok  ")
			if !f.OK {
				mark = term.Red("BAD ")
			}
			fmt.Fprint(std.page, std.paper.Item(fmt.Sprintf("%s %-12s", mark, f.Check), f.Found))
			if f.Fix != "" {
				fmt.Fprint(std.page, std.paper.Item("     fix:", f.Fix))
			}
		}
	}
	if bad > 0 {
		std.json = false // the object is written
		return fail("", "check installation: %s failed", term.Count(bad, "check"))
	}
	return nil
}
