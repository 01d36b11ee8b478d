package timeline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/internal/testthread"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

func worked(t testing.TB) *thread.Thread {
	t.Helper()
	return testthread.Of(t,
		said(message.User, "find the handler and fix it"),
		of(message.Assistant, call("c1", "grep", `{"pattern":"func Handle","path":"src"}`)),
		of(message.Tool, result("c1", "src/server/handler.go:12: func Handle()\nsrc/server/mux.go:9: func HandleAll()")),
		of(message.Assistant, call("c2", "write_file", `{"path":"src/server/new.go","content":"package server"}`), call("c3", "bash", `{"command":"go test ./..."}`)),
		of(message.Tool, result("c2", "ok")), of(message.Tool, result("c3", "--- FAIL: TestX\nFAIL\nexit status 1")),
		of(message.Assistant, call("c4", "edit", `{"path":"src/server/new.go","old_string":"a","new_string":"b"}`)),
		of(message.Tool, result("c4", "done")),
		of(message.Assistant, call("c5", "bash", `{"command":"rg -n retry src/client"}`)),
		of(message.Tool, result("c5", "src/client/retry.go:3: const retry = 4")),
	)
}

func all(t *thread.Thread, from, until int) (at []int) {
	for i := from; i < until; i++ {
		at = append(at, i)
	}
	return at
}

// collect is Collect where results are internal.
func collect(t *thread.Thread, at []int, record func(i, n int) *plan.Record) Digest {
	return Collect(Covered{Thread: t, At: at, Record: record, Sensitivity: func(string) string { return "internal" }})
}

func none(int, int) *plan.Record { return nil }

// SPEC: T4
func TestDigest(t *testing.T) {
	th := worked(t)
	records := map[[2]int]*plan.Record{
		{2, 1}: {Action: plan.Replace, Kind: plan.Hidden, Text: "[2 lines left out; precis_read(\"#3\") returns all]"},
		{5, 1}: {Action: plan.Clear, Tool: "bash", Outcome: "failure", Fields: json.RawMessage(`{"exit_code":1}`)},
		{7, 1}: {Action: plan.Externalize, Artifact: "a17", Text: "done"},
		{9, 1}: {Action: plan.Replace, Kind: plan.Repaired, CallID: "x"},
	}
	d := collect(th, all(th, 0, th.Len()), func(i, n int) *plan.Record { return records[[2]int{i, n}] })
	got, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
 "produced_artifacts": [
  {
   "path": "src/server/new.go",
   "done": "create",
   "tool": "edit",
   "call": "#7",
   "mime": "text/x-go",
   "visibility": "internal",
   "sources_used": [
    "src"
   ]
  }
 ],
 "tool_outputs": [
  {
   "tool": "grep",
   "count": 1,
   "last_outcome": "success",
   "refs": [
    "#3"
   ]
  },
  {
   "tool": "write_file",
   "count": 1,
   "last_outcome": "success",
   "refs": [
    "#5"
   ]
  },
  {
   "tool": "edit",
   "count": 1,
   "last_outcome": "success",
   "refs": [
    "#8"
   ]
  },
  {
   "tool": "bash",
   "count": 2,
   "failed": 1,
   "last_outcome": "success",
   "refs": [
    "#6",
    "#10"
   ]
  }
 ],
 "search_hits": [
  {
   "tool": "grep",
   "query": "func Handle",
   "paths": [
    "src/server/handler.go",
    "src/server/mux.go"
   ],
   "call": "#2"
  },
  {
   "tool": "bash",
   "query": "rg -n retry src/client",
   "paths": [
    "src/client/retry.go"
   ],
   "call": "#9"
  }
 ],
 "hidden_blocks": [
  {
   "path": "tc:1.c1.result",
   "type": "react.tool.result",
   "how": "hidden",
   "text": "[2 lines left out; precis_read(\"#3\") returns all]",
   "ref": "#3"
  },
  {
   "path": "tc:2.c3.result",
   "type": "react.tool.result",
   "how": "clear",
   "text": "[bash: failure]\nKey data: {\"exit_code\": 1}",
   "ref": "#6"
  },
  {
   "path": "tc:3.c4.result",
   "type": "react.tool.result",
   "how": "externalize",
   "text": "done",
   "ref": "#8",
   "artifact": "a17"
  }
 ]
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// A digest that is continued says what one reading of all would say, and what
// it says survives being written.
//
// SPEC: T4
func TestDigestContinues(t *testing.T) {
	th := worked(t)
	whole := collect(th, all(th, 0, th.Len()), none)
	for _, cut := range []int{1, 3, 6, 8} {
		data, err := json.Marshal(collect(th, all(th, 0, cut), none))
		if err != nil {
			t.Fatal(err)
		}
		var first Digest
		if err := json.Unmarshal(data, &first); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, first.Then(collect(th, all(th, cut, th.Len()), none))); diff != "" {
			t.Errorf("cut at %d: %s", cut, diff)
		}
	}
}

// However much is compacted, a digest stays small, keeps the newest and counts
// the rest; what is not UTF-8 does no harm.
//
// SPEC: T4
func TestDigestIsBounded(t *testing.T) {
	ms := []message.Message{said(message.User, "go")}
	long := strings.Repeat("\xffé/deep", 500)
	for i := range 400 {
		id := fmt.Sprintf("c%d", i)
		ms = append(ms,
			of(message.Assistant, call(id, fmt.Sprintf("write_file__tool%d", i), "{}"), call("s"+id, "grep", fmt.Sprintf(`{"pattern":"p%d"}`, i)), call("w"+id, "write_file", fmt.Sprintf(`{"path":"out/%d.txt"}`, i))),
			of(message.Tool, result(id, long)), of(message.Tool, result("s"+id, strings.Repeat("a/b/c.go x/y.go ", 50))), of(message.Tool, result("w"+id, "ok")))
	}
	th := testthread.Of(t, ms...)
	hide := func(i, n int) *plan.Record {
		if n == 0 {
			return nil
		}
		return &plan.Record{Action: plan.Replace, Kind: plan.Hidden, Text: long}
	}
	var d Digest
	for at := 1; at < th.Len(); at += 200 { // whole rounds
		d = d.Then(collect(th, all(th, at, min(at+200, th.Len())), hide))
	}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 100_000 {
		t.Errorf("a digest of %d bytes", len(data))
	}
	if n := len(d.Produced); n != 64 || d.Produced[n-1].Path != "out/399.txt" || d.Left < 1000 {
		t.Errorf("%d produced, %d left out, last %+v", n, d.Left, d.Produced[n-1])
	}
}
