package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestDiscover runs precis discover in homes made up for it.
//
// SPEC: B10
func TestDiscover(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/discover",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			for _, name := range []string{"XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR", "OPENCODE_DB", "GEMINI_CLI_HOME"} {
				e.Setenv(name, "")
			}
			return nil
		},
		Condition: func(cond string) (bool, error) { return cond == "root" && os.Geteuid() == 0, nil },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "json": jsonField, "narrow": narrow, "session": session, "sparse": sparse, "opencode": opencode, "recalls": recalls,
		},
	})
}

// sparse FILE MB makes a file of so many megabytes that takes no room.
func sparse(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	path := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(path, nil, 0o600))
	ts.Check(os.Truncate(path, n<<20))
}

// recalls FILE writes a session of pi that comes back at its end to what its
// first results said.
func recalls(ts *testscript.TestScript, neg bool, args []string) {
	var b strings.Builder
	n := 0
	put := func(message string) {
		parent := "null"
		if n > 0 {
			parent = fmt.Sprintf(`"%08d"`, n-1)
		}
		fmt.Fprintf(&b, `{"type":"message","id":"%08d","parentId":%s,"timestamp":"2026-05-01T10:%02d:%02dZ","message":%s}`+"\n", n, parent, n/60, n%60, message)
		n++
	}
	fmt.Fprintln(&b, `{"type":"session","version":3,"id":"p-2","cwd":"/srv/ledger"}`)
	put(`{"role":"user","content":"Reconcile the ledger."}`)
	for i := range 50 {
		said := ""
		if i > 40 {
			said = fmt.Sprintf("booking_%d of /srv/ledger/part%d.csv", 4711*(i-40), i-40)
		}
		put(fmt.Sprintf(`{"role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"%s"},{"type":"toolCall","id":"c%d","name":"read","arguments":{"n":%d}}]}`, said, i, i))
		put(fmt.Sprintf(`{"role":"toolResult","toolCallId":"c%d","toolName":"read","content":[{"type":"text","text":%s}]}`, i,
			quoted(lines(20, func(n int) string { return fmt.Sprintf("booking_%d in /srv/ledger/part%d.csv, line %d", 4711*i, i, n) }))))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o600))
}

// opencode FILE writes a database of opencode with one session.
func opencode(ts *testscript.TestScript, neg bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	for _, q := range []string{
		`CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, revert TEXT, time_updated INTEGER)`,
		`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT)`,
		`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)`,
		`INSERT INTO session VALUES ('ses_1', NULL, '/srv/booking', NULL, 4102444800000)`,
		`INSERT INTO message VALUES ('msg_1','ses_1',1,'{"role":"user"}'), ('msg_2','ses_1',2,'{"role":"assistant","modelID":"gpt-5.2","cost":0.5,"tokens":{"input":9,"output":9,"reasoning":0,"cache":{"read":0,"write":0}}}')`,
		`INSERT INTO part VALUES ('prt_1','msg_1','ses_1','{"type":"text","text":"sesame"}'), ('prt_2','msg_2','ses_1','{"type":"text","text":"Open."}')`,
	} {
		_, err := db.Exec(q)
		ts.Check(err)
	}
	ts.Check(db.Close())
}
