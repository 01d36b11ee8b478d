package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

func TestMain(m *testing.M) {
	handoverTime, lastsAfter = time.Hour, time.Hour // a busy machine fails no test
	testscript.Main(m, map[string]func(){"precis": main})
}

// TestScript runs the program as its users do.
//
// SPEC: B1, B8, B12, B16, V1, V3, V4, V8, V11
func TestScript(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	dir, files := "testdata/script", []string(nil)
	if testing.Short() { // under the race detector: those that do several things at a time
		for _, name := range []string{"compact", "db", "grow", "inspect", "mcp", "replay", "seal", "serve", "two", "wrap"} {
			files = append(files, filepath.Join(dir, name+".txtar"))
		}
		dir = ""
	}
	testscript.Run(t, testscript.Params{
		Dir: dir, Files: files,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "data"))
			e.Setenv("EXAMPLES", examples)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "examples":
				_, err := os.Stat(filepath.Join(examples, "session.jsonl"))
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "json": jsonField, "wire": wire, "narrow": narrow, "session": session, "request": request, "same": same, "nasty": nasty, "chop": chop, "scribble": scribble, "pack": pack,
			"rows": rows, "steps": steps, "linked": linked, "runs": printed,
		},
	})
}

// code N [ARG…] runs precis and wants the exit code N.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N [ARG…]")
	}
	got := 0
	if err := ts.Exec("precis", args[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("run precis: %v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("precis %s: exit code %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// json FILE PATH [WANT] wants a value at a dotted path; without WANT, that it is
// there and neither null nor empty. An array's length is at ".len".
func jsonField(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: json FILE PATH [WANT]")
	}
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		ts.Fatalf("%s is not JSON: %v", args[0], err)
	}
	got := fmt.Sprint(walk(v, strings.Split(args[1], ".")))
	ok := got != "<nil>" && got != "" && got != "[]" && got != "map[]"
	if len(args) > 2 {
		ok = got == args[2]
	}
	if ok == neg {
		ts.Fatalf("%s at %s is %.200q", args[0], args[1], got)
	}
}

func walk(v any, path []string) any {
	for _, name := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[name]
		case []any:
			if name == "len" {
				v = len(at)
				continue
			}
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// runs N FILE runs the N commands of precis that stand in a text, each at the beginning
// of a line and before two spaces or the end.
func printed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: runs N FILE")
	}
	found := regexp.MustCompile(`(?m)^ +(precis .*?)(?:   *[^ ].*)?$`).FindAllStringSubmatch(ts.ReadFile(args[1]), -1)
	if strconv.Itoa(len(found)) != args[0] {
		ts.Fatalf("%d commands in %s, want %s: %q", len(found), args[1], args[0], found)
	}
	for _, f := range found {
		if err := ts.Exec("sh", "-c", f[1]); err != nil {
			ts.Fatalf("%s: %v", f[1], err)
		}
	}
}

// wire PROVIDER FILE wants a request that the provider would take.
func wire(ts *testscript.TestScript, neg bool, args []string) {
	faults := wirecheck.Check(args[0], []byte(ts.ReadFile(args[1])), wirecheck.Options{})
	if (len(faults) > 0) != neg {
		ts.Fatalf("%s: %v", args[1], faults)
	}
}

// narrow FILE wants text for people: at most 80 columns, no control characters.
func narrow(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	for n, l := range strings.Split(text, "\n") {
		if w := ansi.StringWidth(l); w > term.Columns {
			ts.Fatalf("%s line %d has %d columns: %s", args[0], n+1, w, l)
		}
		if strings.HasSuffix(l, " ") {
			ts.Fatalf("%s line %d ends in spaces: %q", args[0], n+1, l)
		}
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }); i >= 0 {
		ts.Fatalf("%s holds a control character: %q", args[0], text[max(0, i-20):i+1])
	}
}

// same FILE FILE wants equal bytes; cmp would not show what differs in one line.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if (ts.ReadFile(args[0]) == ts.ReadFile(args[1])) == neg {
		ts.Fatalf("%s and %s: same is %t", args[0], args[1], neg)
	}
}

// nasty FILE writes messages with escape sequences, NULs, bytes that are no
// UTF-8 and characters that turn the direction of writing.
func nasty(ts *testscript.TestScript, neg bool, args []string) {
	var b strings.Builder
	b.WriteString(`{"role":"user","content":"find order \u001b[31m8812345\u001b[0m \u0000 \u202e"}` + "\n")
	b.WriteString("{\"role\":\"assistant\",\"content\":\"\xff\xfe order_\xc3\x28 9912345\"}\n\x00\x00\x00\n")
	for i := range 40 {
		fmt.Fprintf(&b, `{"role":"user","content":"order \u001b]0;title\u0007 77%05d \u001b[2J and \u009b31m path/\u001b[31m/file%d.go"}`+"\n", i, i)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o600))
}

// pack FILE PACKED writes a file packed by gzip.
func pack(ts *testscript.TestScript, neg bool, args []string) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(errors.Join(err, z.Close()))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o600))
}

// chop N FILE cuts N bytes from the end of a file.
func chop(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	data := ts.ReadFile(args[1])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(data[:len(data)-n]), 0o600))
}

// scribble N FILE overwrites the page that begins N bytes before the end of a file.
func scribble(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	data := []byte(ts.ReadFile(args[1]))
	copy(data[len(data)-n:], bytes.Repeat([]byte{7}, 4096))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}

// session ROUNDS FILE writes a session file of a coding agent; a longer one
// begins as the shorter ones do.
func session(ts *testscript.TestScript, neg bool, args []string) {
	rounds, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), sessionFile(rounds), 0o600))
}

func sessionFile(rounds int) []byte {
	var b bytes.Buffer
	n, parent := 0, "null"
	put := func(kind, message string) {
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", n)
		fmt.Fprintf(&b, `{"parentUuid":%s,"isSidechain":false,"sessionId":"5f2c9a10-1111-4222-8333-944445555666","type":%q,"message":%s,"uuid":%q,"timestamp":"2026-03-01T10:00:%02dZ"}`+"\n",
			parent, kind, message, id, n%60)
		parent = strconv.Quote(id)
		n++
	}
	put("user", `{"role":"user","content":"The checkout test fails. Find out why. You must not touch db/migrations."}`)
	for i := range rounds {
		call := fmt.Sprintf(`{"type":"tool_use","id":"toolu_%04d","name":"Bash","input":{"command":"go test ./shop/part%d"}}`, i, i)
		if i%3 == 2 {
			call = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%04d","name":"Write","input":{"file_path":"/shop/part%d.go","content":%s}}`,
				i, i, quoted(lines(40, func(n int) string { return fmt.Sprintf("func step%d() int { return %d }", i*100+n, i*7919+n) })))
		}
		put("assistant", fmt.Sprintf(`{"id":"msg_%d","type":"message","role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"Step %d."},%s]}`, i, i, call))
		out := lines(40, func(n int) string {
			return fmt.Sprintf("shop/part%d/file_%d_test.go:%d: total %d.%02d", i, n, n+1, i*1000+n, n)
		})
		put("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%04d","content":%s}]}`, i, quoted(out)))
	}
	return b.Bytes()
}

func lines(n int, f func(int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = f(i)
	}
	return strings.Join(all, "\n")
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// request PROVIDER ROUNDS FILE writes a request body in a spacing of its own,
// with members nobody knows.
func request(ts *testscript.TestScript, neg bool, args []string) {
	rounds, err := strconv.Atoi(args[1])
	ts.Check(err)
	var ms []string
	for i := range rounds {
		out := quoted(lines(30, func(n int) string { return fmt.Sprintf("row %d of part%d: order_%d", n, i, i*1000+n) }))
		switch args[0] {
		case "openai":
			ms = append(ms,
				fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"query","arguments":"{\"part\": %d}"}}]}`, i, i),
				fmt.Sprintf(`{"role":"tool", "tool_call_id":"call_%d","content":%s}`, i, out))
		case "anthropic":
			ms = append(ms,
				fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"query","input":{"part": %d}}]}`, i, i),
				fmt.Sprintf(`{"role":"user", "content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":%s}]}`, i, out))
		case "responses":
			ms = append(ms,
				fmt.Sprintf(`{"type":"function_call","call_id":"call_%d","name":"query","arguments":"{\"part\": %d}"}`, i, i),
				fmt.Sprintf(`{"type":"function_call_output", "call_id":"call_%d","output":%s}`, i, out))
		}
	}
	head := map[string]string{
		"openai":    `{ "model" : "gpt-5.2",` + "\n" + `  "x_unknown": 1.50, "messages": [ {"role":"system","content":"Be brief."}, {"role":"user","content":"Sum the parts."}`,
		"anthropic": `{ "model" : "claude-opus-4-5",` + "\n" + `  "x_unknown": 1.50, "max_tokens": 99, "system": [{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}], "messages": [ {"role":"user","content":"Sum the parts."}`,
		"responses": `{ "model" : "gpt-5.2",` + "\n" + `  "x_unknown": 1.50, "instructions": "Be brief.", "input": [ {"role":"user","content":"Sum the parts."}`,
	}[args[0]]
	body := head + ",\n" + strings.Join(ms, ",\n") + " ] }\n"
	if len(ms) == 0 {
		body = head + " ] }\n"
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(body), 0o600))
}
