package discover_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/discover"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/transcript"
)

// write puts files, path and text in turn, below a new folder.
func write(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i+1 < len(files); i += 2 {
		path := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read is the one session of a folder.
func read(t testing.TB, dir string) *discover.Session {
	t.Helper()
	found, faults := discover.Find(context.Background(), []discover.Place{{Dir: dir, Asked: true}}, time.Time{})
	if len(found) != 1 || len(faults) > 0 {
		t.Fatalf("found %v, faults %v", found, faults)
	}
	s, err := found[0].Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// SPEC: B10. Default places, and where environment variables move them.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		home string
		goos string
		want []string
	}{
		{"linux", nil, "/h", "linux", []string{
			"/h/.claude/projects", "/h/.config/claude/projects", "/h/.codex/sessions", "/h/.codex/archived_sessions",
			"/h/.pi/agent/sessions", "/h/.local/share/opencode", "/h/.gemini/tmp",
		}},
		{"windows", map[string]string{"LOCALAPPDATA": "/l", "APPDATA": "/r"}, "/h", "windows", []string{
			"/h/.claude/projects", "/h/.config/claude/projects", "/h/.codex/sessions", "/h/.codex/archived_sessions",
			"/h/.pi/agent/sessions", "/h/.local/share/opencode", "/l/opencode", "/r/opencode", "/h/.gemini/tmp",
		}},
		{"variables, no home", map[string]string{
			"CLAUDE_CONFIG_DIR": "/c1,/c2", "CODEX_HOME": "/x", "PI_CODING_AGENT_DIR": "/p", "XDG_DATA_HOME": "/d",
			"OPENCODE_DB": "/o/opencode-dev.db", "GEMINI_CLI_HOME": "/g",
		}, "", "linux", []string{
			"/c1/projects", "/c2/projects", "/x/sessions", "/x/archived_sessions", "/p/sessions", "/d/opencode",
			"/o/opencode-dev.db", "/g/.gemini/tmp",
		}},
		{"nothing", nil, "", "linux", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range discover.Places(discover.Env{Home: c.home, GOOS: c.goos, Getenv: func(k string) string { return c.env[k] }}) {
				got = append(got, filepath.ToSlash(p.Dir))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

const claudeLine = `{"type":"user","uuid":"u1","sessionId":"s","cwd":"/srv/shop","message":{"role":"user","content":"hi"}}` + "\n"

// SPEC: B10. Folders and files that may not be read are named, and the rest is
// found.
func TestDenied(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	if runtime.GOOS == "windows" {
		t.Skip("modes of files mean little here")
	}
	dir := write(t, "open/one.jsonl", claudeLine, "shut/two.jsonl", claudeLine, "open/shut.jsonl", claudeLine)
	shut := filepath.Join(dir, "shut")
	if err := errors.Join(os.Chmod(shut, 0), os.Chmod(filepath.Join(dir, "open/shut.jsonl"), 0)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(shut, 0o700) })
	found, faults := discover.Find(context.Background(), []discover.Place{{Dir: dir, Asked: true}}, time.Time{})
	if len(found) != 2 || len(faults) != 1 || faults[0].Why != "permission denied" {
		t.Fatalf("found %v, faults %v", found, faults)
	}
	for _, f := range found {
		_, err := f.Read(context.Background())
		if denied := errors.Is(err, os.ErrPermission); denied != (filepath.Base(f.Path) == "shut.jsonl") {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
}

// SPEC: B10. Errors say why and not what: no word of a session is in them.
func TestRefused(t *testing.T) {
	huge := write(t, "h.jsonl", "")
	if err := os.Truncate(filepath.Join(huge, "h.jsonl"), discover.MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		dir  string
		want error
	}{
		{"huge", huge, discover.ErrLarge},
		{"empty", write(t, "e.jsonl", ""), transcript.ErrNoMessages},
		{"nothing said", write(t, "n.jsonl", `{"type":"summary","summary":"sesame","leafUuid":"x"}`), transcript.ErrNoMessages},
		{"not JSON", write(t, "t.jsonl", "sesame, open\n"), transcript.ErrFormat},
		{"another format", write(t, "o.jsonl", `{"role":"user","content":"sesame"}`), discover.ErrOther},
		{"no database", write(t, "opencode.db", "sesame"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, faults := discover.Find(context.Background(), []discover.Place{{Dir: c.dir, Asked: true}}, time.Time{})
			if c.want == nil {
				if len(found) != 0 || len(faults) != 1 || strings.Contains(faults[0].Why, "sesame") {
					t.Fatalf("found %v, faults %v", found, faults)
				}
				return
			}
			_, err := found[0].Read(context.Background())
			if !errors.Is(err, c.want) || strings.Contains(err.Error(), "sesame") {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// the sessions of the five agents: each says the same and compacts once.
var sessions = map[string][]string{
	transcript.ClaudeCode: {"projects/-srv-shop/s.jsonl", `{"type":"user","uuid":"u1","sessionId":"s","cwd":"/srv/shop","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":"Fix /srv/shop/total.go and order_881234 now"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","requestId":"r1","timestamp":"2026-05-01T10:00:01Z","message":{"id":"m1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"Reading"}],"usage":{"input_tokens":3,"output_tokens":1,"cache_read_input_tokens":0,"cache_creation_input_tokens":1000}}}
{"type":"assistant","uuid":"a2","parentUuid":"a1","sessionId":"s","requestId":"r1","timestamp":"2026-05-01T10:00:02Z","message":{"id":"m1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"it"}],"usage":{"input_tokens":3,"output_tokens":9,"cache_read_input_tokens":0,"cache_creation_input_tokens":1000,"cache_creation":{"ephemeral_1h_input_tokens":400}}}}
{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":"a2","sessionId":"s","compactMetadata":{"trigger":"auto","preTokens":9}}
{"type":"user","uuid":"c1","parentUuid":"b1","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"We fixed order_881234"}}
{"type":"assistant","uuid":"a3","parentUuid":"c1","sessionId":"s","requestId":"r2","timestamp":"2026-05-01T10:00:03Z","message":{"id":"m2","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"Now /srv/shop/total.go again"}],"usage":{"input_tokens":5,"output_tokens":2,"cache_read_input_tokens":900,"cache_creation_input_tokens":0}}}
`},
	transcript.Codex: {"sessions/2026/05/01/rollout-x.jsonl", `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"x","cwd":"/srv/shop"}}
{"timestamp":"2026-05-01T10:00:00Z","type":"turn_context","payload":{"model":"gpt-5.2"}}
{"timestamp":"2026-05-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix /srv/shop/total.go and order_881234 now"}]}}
{"timestamp":"2026-05-01T10:00:02Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Reading it"}]}}
{"timestamp":"2026-05-01T10:00:02Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":1010},"last_token_usage":{"input_tokens":1000,"cached_input_tokens":200,"output_tokens":10}}}}
{"timestamp":"2026-05-01T10:00:03Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":1010},"last_token_usage":{"input_tokens":1000,"cached_input_tokens":200,"output_tokens":10}}}}
{"timestamp":"2026-05-01T10:00:04Z","type":"compacted","payload":{"message":"We fixed order_881234","replacement_history":[]}}
{"timestamp":"2026-05-01T10:00:05Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Now /srv/shop/total.go again"}]}}
`},
	transcript.Pi: {"p.jsonl", `{"type":"session","version":3,"id":"p-1","cwd":"/srv/shop"}
{"type":"message","id":"01","parentId":null,"timestamp":"2026-05-01T10:00:01Z","message":{"role":"user","content":"Fix /srv/shop/total.go and order_881234 now"}}
{"type":"message","id":"02","parentId":"01","timestamp":"2026-05-01T10:00:02Z","message":{"role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"Reading it"}],"usage":{"input":3,"output":9,"cacheRead":10,"cacheWrite":20,"cost":{"total":0.25}}}}
{"type":"compaction","id":"03","parentId":"02","summary":"We fixed order_881234","firstKeptEntryId":"02","tokensBefore":9}
{"type":"message","id":"04","parentId":"03","timestamp":"2026-05-01T10:00:03Z","message":{"role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"Now /srv/shop/total.go again"}]}}
`},
	transcript.OpenCode: {
		"opencode/storage/session/prj/ses_1.json", `{"id":"ses_1","directory":"/srv/shop"}`,
		"opencode/storage/message/ses_1/msg_1.json", `{"id":"msg_1","role":"user","time":{"created":1767300001000}}`,
		"opencode/storage/part/msg_1/prt_1.json", `{"id":"prt_1","type":"text","text":"Fix /srv/shop/total.go and order_881234 now"}`,
		"opencode/storage/message/ses_1/msg_2.json", `{"id":"msg_2","role":"assistant","modelID":"claude-opus-4-5","cost":0.25,"tokens":{"input":1,"output":1,"reasoning":1,"cache":{"read":1,"write":1}},"time":{"created":1767300002000}}`,
		"opencode/storage/part/msg_2/prt_2.json", `{"id":"prt_2","type":"text","text":"Reading it"}`,
		"opencode/storage/message/ses_1/msg_3.json", `{"id":"msg_3","role":"user","time":{"created":1767300003000}}`,
		"opencode/storage/part/msg_3/prt_3.json", `{"id":"prt_3","type":"compaction","auto":true}`,
		"opencode/storage/message/ses_1/msg_4.json", `{"id":"msg_4","role":"assistant","summary":true,"time":{"created":1767300004000}}`,
		"opencode/storage/part/msg_4/prt_4.json", `{"id":"prt_4","type":"text","text":"We fixed order_881234"}`,
		"opencode/storage/message/ses_1/msg_5.json", `{"id":"msg_5","role":"assistant","modelID":"claude-opus-4-5","time":{"created":1767300005000}}`,
		"opencode/storage/part/msg_5/prt_5.json", `{"id":"prt_5","type":"text","text":"Now /srv/shop/total.go again"}`,
	},
	transcript.GeminiCLI: {".gemini/tmp/shop/.project_root", "/srv/shop\n", ".gemini/tmp/shop/chats/session-1.jsonl", `{"sessionId":"g-1","projectHash":"ab12"}
{"id":"m1","timestamp":"2026-05-01T10:00:01Z","type":"user","content":"Fix /srv/shop/total.go and order_881234 now"}
{"id":"m2","timestamp":"2026-05-01T10:00:02Z","type":"gemini","content":"Reading it","model":"gemini-2.5-pro","tokens":null}
{"id":"m2","timestamp":"2026-05-01T10:00:02Z","type":"gemini","content":"Reading it","model":"gemini-2.5-pro","tokens":{"input":1000,"output":5,"cached":200,"thoughts":5,"tool":0,"total":1010}}
{"$set":{"messages":[{"id":"s1","type":"user","content":"We fixed order_881234"}]}}
{"id":"m3","timestamp":"2026-05-01T10:00:03Z","type":"gemini","content":"Now /srv/shop/total.go again","model":"gemini-2.5-pro"}
`},
}

// SPEC: B10, B12. Project, cost and loss are read off each agent's own records.
func TestRead(t *testing.T) {
	claude := discover.Charge{Key: "claude-code m1 r1", Model: "claude-sonnet-4-5", Input: 3, Output: 9, Write: 600, WriteLong: 400}
	for agent, want := range map[string][]discover.Charge{
		transcript.ClaudeCode: {claude, {Key: "claude-code m2 r2", Model: "claude-sonnet-4-5", Input: 5, Output: 2, Read: 900}},
		transcript.Codex:      {{Key: "codex 2026-05-01T10:00:02Z 1010", Model: "gpt-5.2", Input: 800, Read: 200, Output: 10}},
		transcript.Pi:         {{Key: "pi 02 2026-05-01T10:00:02Z", Model: "claude-opus-4-5", Input: 3, Output: 9, Read: 10, Write: 20, Cost: 0.25}},
		transcript.OpenCode:   {{Key: "opencode msg_2", Model: "claude-opus-4-5", Input: 1, Output: 2, Read: 1, Write: 1, Cost: 0.25}},
		transcript.GeminiCLI:  {{Key: "gemini-cli m2", Model: "gemini-2.5-pro", Input: 800, Read: 200, Output: 10}},
	} {
		t.Run(agent, func(t *testing.T) {
			s := read(t, write(t, sessions[agent]...))
			if s.Agent != agent || s.Project != "/srv/shop" || s.Sub || s.Lost != 0 || s.Start.IsZero() || s.End.Before(s.Start) {
				t.Errorf("agent %s, project %s, sub %t, lost %d, %v–%v", s.Agent, s.Project, s.Sub, s.Lost, s.Start, s.End)
			}
			if d := cmp.Diff(want, s.Charges); d != "" {
				t.Error(d)
			}
			if len(s.Compactions) != 1 {
				t.Fatalf("compactions %+v", s.Compactions)
			}
			loss := discover.Loss{
				Stood: map[string]int{"path": 1, "id": 1}, Lost: map[string]int{"path": 1}, Used: map[string]int{"path": 1},
				Again: []string{"/srv/shop/total.go"},
			}
			if d := cmp.Diff(loss, s.Compactions[0].Loss); d != "" {
				t.Error(d)
			}
			prompt := s.Prompt(s.Messages)
			if all := len(s.Messages); len(prompt) != 2+b2i(agent == transcript.Pi) || len(s.Prompt(s.Messages[:1])) != 1 || all < 3 {
				t.Errorf("prompt of %d, %d messages", len(prompt), all)
			}
			if !strings.Contains(prompt[0].Parts[0].Text, "We fixed order_881234") {
				t.Errorf("prompt begins with %q", prompt[0].Parts[0].Text)
			}
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// SPEC: B10. A request that two files hold costs once.
func TestBill(t *testing.T) {
	cs := []discover.Charge{
		{Key: "a", Model: "claude-sonnet-4-5", Input: 1e6, Output: 1e6, Read: 1e6, Write: 1e6, WriteLong: 1e6},
		{Key: "b", Cost: 0.5},
		{Model: "nobody-knows", Input: 7},
		{Model: "nobody-knows", Input: 7},
	}
	var b discover.Bill
	seen := map[string]bool{}
	b.Add(cs[:3], seen)
	b.Add(cs, seen)
	want := discover.Bill{
		Requests: 5, Input: 1e6 + 21, Output: 1e6, Read: 1e6, Write: 2e6, Reported: 0.5, Unpriced: 3, Copied: 2, Peak: 4e6,
	}
	usd, ok := cs[0].Price()
	if !ok || usd <= 0 {
		t.Fatalf("price %v, %t", usd, ok)
	}
	want.Priced = usd
	if d := cmp.Diff(want, b); d != "" {
		t.Error(d)
	}
}

// SPEC: B10. Kept messages: by id, by range, none; marks that follow each other;
// what is compacted stands in no file.
func TestCompactions(t *testing.T) {
	head := `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"order_881234"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"order_770000"}]}}
`
	mark := `{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":"a1","sessionId":"s","compactMetadata":{"preservedMessages":{"uuids":["a1"]}}}
{"type":"user","uuid":"c1","parentUuid":"b1","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"so far"}}
`
	tail := `{"type":"user","uuid":"u2","parentUuid":"c1","sessionId":"s","message":{"role":"user","content":"on"}}
`
	for _, c := range []struct {
		name, data string
		want       []discover.Compaction
	}{
		{"kept", head + mark + tail, []discover.Compaction{{At: 2, From: 1}}},
		{"no past", mark + tail, []discover.Compaction{{Blind: true}}},
		{"none", head + tail, nil},
		{"masked only", `{"sessionId":"g","projectHash":"a"}
{"id":"m1","type":"user","content":"order_881234"}
{"$set":{"messages":[{"id":"m1","type":"user","content":"masked"}]}}
`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := read(t, write(t, "s.jsonl", c.data)).Compactions
			for i := range got {
				got[i].Summary, got[i].Loss = "", discover.Loss{}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// database writes opencode's database: two sessions of its first form, one of
// its second.
func database(t testing.TB, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		`CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, revert TEXT, time_updated INTEGER)`,
		`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT)`,
		`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)`,
		`CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, time_created INTEGER, data TEXT)`,
		`INSERT INTO session VALUES ('ses_1', NULL, '/srv/shop', NULL, 1767300009000), ('ses_2', 'ses_1', '/srv/shop', '{"messageID":"msg_9"}', 1767300008000), ('ses_3', NULL, '/srv/new', NULL, 1767300007000)`,
		`INSERT INTO message VALUES ('msg_2','ses_1',2,'{"role":"assistant","modelID":"gpt-5.2"}'), ('msg_1','ses_1',1,'{"role":"user"}'), ('msg_3','ses_2',1,'{"role":"user"}'), ('msg_4','ses_2',2,'half a rec')`,
		`INSERT INTO part VALUES ('prt_3','msg_2','ses_1','{"type":"tool","callID":"c","tool":"ls","state":{"status":"completed","input":{},"output":"a.go"}}'), ('prt_2','msg_2','ses_1','{"type":"text","text":"Hello"}'), ('prt_1','msg_1','ses_1','{"type":"text","text":"Hi"}'), ('prt_4','msg_3','ses_2','{"type":"text","text":"Sub"}')`,
		`INSERT INTO session_message VALUES ('e2','ses_3','assistant',2,'{"content":[{"type":"text","id":"t","text":"Yes"}],"model":{"id":"gpt-5.2"}}'), ('e1','ses_3','user',1,'{"text":"New?"}')`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// SPEC: B10. opencode's database is read and nothing is left beside it.
func TestDatabase(t *testing.T) {
	dir := write(t, "storage/session/p/ses_1.json", `{"id":"ses_1"}`, "storage/message/ses_1/msg_1.json", `{"id":"msg_1","role":"user"}`)
	path := filepath.Join(dir, "opencode.db")
	database(t, path)
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found, faults := discover.Find(context.Background(), []discover.Place{{Agent: transcript.OpenCode, Dir: dir}}, time.Time{})
	if len(found) != 3 || len(faults) > 0 {
		t.Fatalf("found %v, faults %v", found, faults)
	}
	var got []string
	for _, f := range found {
		s, err := f.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%s %s %s sub=%t lost=%d", s.ID, s.Project, s.Model, s.Sub, s.Lost)
		for _, m := range s.Messages {
			text += " " + string(m.Role)
			for _, p := range m.Parts {
				text += ":" + string(p.Kind)
			}
		}
		got = append(got, text)
	}
	if d := cmp.Diff([]string{
		"ses_1 /srv/shop gpt-5.2 sub=false lost=0 user:text assistant:text:tool_call tool:tool_result",
		"ses_1/ses_2 /srv/shop  sub=true lost=1 user:text",
		"ses_3 /srv/new gpt-5.2 sub=false lost=0 user:text assistant:text",
	}, got); d != "" {
		t.Error(d)
	}
	after, err := os.ReadDir(dir)
	if err != nil || len(after) != len(before) {
		t.Errorf("%d entries, then %d: %v", len(before), len(after), err)
	}
}

// SPEC: B10. A database that opencode is writing is read as it is now.
func TestDatabaseInUse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "opencode.db")
	database(t, path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		`PRAGMA journal_mode = WAL`, `DELETE FROM session WHERE id <> 'ses_1'`,
		`INSERT INTO message VALUES ('msg_8','ses_1',3,'{"role":"user"}')`, `INSERT INTO part VALUES ('prt_8','msg_8','ses_1','{"type":"text","text":"More"}')`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if s := read(t, dir); len(s.Messages) != 4 {
		t.Errorf("%d messages", len(s.Messages))
	}
}

// SPEC: B1. A folder or a database stands for the session in it.
func TestLoad(t *testing.T) {
	store := write(t, sessions[transcript.OpenCode]...)
	dbs := t.TempDir()
	database(t, filepath.Join(dbs, "opencode.db"))
	for _, c := range []struct {
		path string
		n    int // messages
		want error
	}{
		{filepath.Join(store, "opencode"), 3, nil},
		{filepath.Join(store, "opencode/storage/session/prj/ses_1.json"), 3, nil},
		{filepath.Join(store, "opencode/storage/message/ses_1"), 3, nil},
		{filepath.Join(dbs, "opencode.db#ses_3"), 2, nil},
		{filepath.Join(dbs, "opencode.db"), 0, discover.ErrChoice},
		{filepath.Join(dbs, "opencode.db#ses_4"), 0, sql.ErrNoRows},
		{filepath.Join(dbs, "nothing"), 0, os.ErrNotExist},
		{t.TempDir(), 0, discover.ErrChoice},
	} {
		data, err := discover.Load(context.Background(), c.path)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.path, err, c.want)
		}
		if c.want != nil {
			continue
		}
		tr, err := transcript.Read(data, "")
		if err != nil || tr.Format != transcript.OpenCode || len(tr.Messages) != c.n {
			t.Errorf("%s: %v: %+v", c.path, err, tr)
		}
	}
}

// SPEC: B10. Pieces of one reply are one request; what is compacted stays apart.
func TestRequests(t *testing.T) {
	for agent, want := range map[string]string{
		transcript.ClaudeCode: "user1 assistant2 assistant1, compacted at 2 from 2",
		transcript.Codex:      "user1 assistant1 assistant1, compacted at 2 from 2",
		transcript.Pi:         "user1 assistant1 assistant1, compacted at 2 from 1",
	} {
		s := read(t, write(t, sessions[agent]...)).Requests()
		got := ""
		for _, m := range s.Messages {
			got += fmt.Sprintf("%s%d ", m.Role, len(m.Parts))
		}
		got = strings.TrimSpace(got) + fmt.Sprintf(", compacted at %d from %d", s.Compactions[0].At, s.Compactions[0].From)
		if got != want {
			t.Errorf("%s: %s, want %s", agent, got, want)
		}
	}
}

// SPEC: B10. A reply of twice the pieces takes little more than twice the memory, and leaves
// the session's own messages as they are.
func TestRequestsAreLinear(t *testing.T) {
	taken := func(n int) float64 {
		s := discover.Session{Found: discover.Found{Agent: transcript.Codex}}
		for range n {
			m := message.TextOf(message.Assistant, "piece")
			m.Parts = append(make([]message.Part, 0, 4), m.Parts...)
			s.Messages = append(s.Messages, m)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out := s.Requests()
		runtime.ReadMemStats(&after)
		if len(out.Messages) != 1 || len(out.Messages[0].Parts) != n || s.Messages[0].Parts[:2][1].Text != "" {
			t.Fatalf("%d messages, %d parts, %d of the first piece", len(out.Messages), len(out.Messages[0].Parts), len(s.Messages[0].Parts))
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	if few, many := taken(1000), taken(2000); many > 2.6*few {
		t.Errorf("twice the pieces take %.1f times the memory", many/few)
	}
}

// SPEC: B10. Without usage the cost is estimated: more said costs more, a known
// model is needed.
func TestEstimate(t *testing.T) {
	s := read(t, write(t, sessions[transcript.ClaudeCode]...))
	count := func(m message.Message) int { return 100 * len(m.Parts) }
	usd, ok := s.Estimate(count)
	// 100, 200 and, after the summary, 100 tokens of prompt; 3 replies of 100. USD
	// per million: write 3.75, read 0.3, output 15.
	want := (300*3.75 + 100*0.3 + 300*15) / 1e6
	if !ok || usd < want*0.999 || usd > want*1.001 {
		t.Errorf("estimate %v, want %v", usd, want)
	}
	s.Model = "nobody-knows"
	if _, ok := s.Estimate(count); ok {
		t.Error("a model without a price has an estimate")
	}
}
