package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-3db51b0e/precis/wirecheck"
)

// rows N FILE writes N recorded runs, one a line.
func rows(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var b strings.Builder
	for r := range n {
		fmt.Fprintf(&b, `{"id":"run-%d","messages":[{"role":"system","content":"You keep shop."},{"role":"user","content":"Count. You must not open crate-77-b."}`, n-r)
		for i := range 40 + 5*r {
			out := quoted(lines(8, func(l int) string {
				return fmt.Sprintf("shelf item-%04d-x of part%d/list_%d.txt holds %d", i*10+l, i, l, i*7919+l)
			}))
			fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"look","arguments":"{\"shelf\":\"item-%04d-x\"}"}}]}`, i, max(0, i-25)*10+3)
			fmt.Fprintf(&b, `,{"role":"tool","tool_call_id":"call_%d","content":%s}`, i, out)
		}
		b.WriteString(`,{"role":"assistant","content":"done"}]}` + "\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}

// linked PAGE wants every page that a page leads to, and one at least.
func linked(ts *testscript.TestScript, neg bool, args []string) {
	found := regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(ts.ReadFile(args[0]), -1)
	for _, m := range found {
		if _, err := os.Stat(ts.MkAbs(filepath.Join(filepath.Dir(args[0]), m[1]))); err != nil {
			ts.Fatalf("%s leads nowhere: %v", args[0], err)
		}
	}
	if len(found) == 0 {
		ts.Fatalf("%s leads to nothing", args[0])
	}
}

// steps FILE N wants a dump whose requests a provider would take, of at most N
// tokens each.
func steps(ts *testscript.TestScript, neg bool, args []string) {
	most, err := strconv.Atoi(args[1])
	ts.Check(err)
	n := 0
	for d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0]))); d.More(); n++ {
		var l struct {
			ID      string
			Step    int
			Tokens  int `json:"prompt_tokens"`
			Request json.RawMessage
		}
		ts.Check(d.Decode(&l))
		faults := wirecheck.Check("openai", l.Request, wirecheck.Options{})
		if len(faults) > 0 || l.Tokens > most || l.Tokens == 0 || l.ID == "" || l.Step < 2 {
			ts.Fatalf("%s: run %q step %d has %d tokens: %v", args[0], l.ID, l.Step, l.Tokens, faults)
		}
	}
	if n != 41+46+51 {
		ts.Fatalf("%s: %d steps", args[0], n)
	}
}
