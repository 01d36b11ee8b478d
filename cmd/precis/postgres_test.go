//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-3db51b0e/precis/internal/testpostgres"
)

// SPEC: B14
func TestScriptOnPostgreSQL(t *testing.T) {
	server := testpostgres.Start(t)
	databases := map[string]string{"PG": server.URL("postgres")}
	for _, name := range []string{"sealed", "first", "second"} { // each is of one script
		databases[strings.ToUpper(name)] = server.Database(t, name)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/postgres",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "data"))
			for name, url := range databases {
				e.Setenv(name, url)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "json": jsonField, "session": session},
	})
}
