package strategy

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
)

// shellThread is a thread of messages that call a shell, each followed by one with the results.
func shellThread(t *testing.T, lines ...[]string) *thread.Thread {
	t.Helper()
	ms := []message.Message{message.TextOf(message.User, "go")}
	n := 0
	for _, beside := range lines {
		said, back := message.Message{Role: message.Assistant}, message.Message{Role: message.Tool}
		for _, line := range beside {
			n++
			args, err := json.Marshal(map[string]string{"command": line})
			if err != nil {
				t.Fatal(err)
			}
			said.Parts = append(said.Parts, message.Part{Kind: message.Call, CallID: fmt.Sprint(n), Name: "bash", Args: string(args)})
			back.Parts = append(back.Parts, message.Part{Kind: message.Result, CallID: fmt.Sprint(n)})
		}
		ms = append(ms, said, back)
	}
	th, err := thread.New(thread.Extend("", ms))
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// The calls that changed the three files edited last are known among calls beside them, and a
// script by its name in the part of a command line that runs something.
//
// SPEC: B18
func TestStandingEditsAreKnown(t *testing.T) {
	th := shellThread(t,
		[]string{"cat > a.py <<'EOF'\nprint(1)\nEOF"},                       // 2, 3
		[]string{"sed -i s/a/b/ src/oldest.py"},                             // 4, 5
		[]string{"sed -i s/a/b/ src/older.py"},                              // 6, 7
		[]string{"cat src/one.py", "sed -i s/a/b/ src/one.py"},              // 8, 9
		[]string{"cat > src/data.py <<'EOF'\nopen('src/new.py', 'w')\nEOF"}, // 10, 11
		[]string{"echo no; python src/data.py"},                             // 12, 13
	)
	at := func(n int) summary.Source { return summary.Source{ID: th.ID(n - 1), N: n} }
	edited := func(name string, n int) summary.File {
		return summary.File{Path: name, State: summary.FileEdited, From: at(n)}
	}
	files := []summary.File{
		{Path: "a.py", State: summary.FileCreated, From: at(3), Made: at(3)},
		{Path: "src/data.py", State: summary.FileCreated, From: at(11), Made: at(11)},
		edited("src/oldest.py", 5), edited("src/older.py", 7), edited("src/one.py", 9), edited("src/new.py", 13),
		{Path: "src/read.py", State: summary.FileRead, From: at(13)},
	}
	want := []thread.Place{{Index: 11, Part: 1}, {Index: 9, Part: 1}, {Index: 7, Part: 2}, {Index: 5, Part: 1}}
	if diff := cmp.Diff(want, standingEdits(th, files)); diff != "" {
		t.Error(diff)
	}
	if got := standingEdits(th, []summary.File{{Path: "src/gone.py", State: summary.FileEdited, From: summary.Source{N: 99}}, edited("src/other.py", 7), {}}); got != nil {
		t.Errorf("of files that no call names: %v", got)
	}
}
