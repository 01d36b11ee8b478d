//go:build unix

package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-3db51b0e/precis/internal/testpostgres"
)

// SPEC: B14
func TestScriptOnPostgreSQL(t *testing.T) {
	server := testpostgres.Start(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/postgres",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "data"))
			e.Setenv("PG", server.URL("postgres"))
			e.Setenv("SEALED", server.Database(t, "sealed"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "json": jsonField, "session": session},
	})
}
