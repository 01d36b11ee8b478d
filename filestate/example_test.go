package filestate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/filestate"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/tool"
)

// A tool that reads files declares its results as replayable and what they were
// read from. Under pressure the result of a file that is still the same gives
// way to a placeholder; one whose file changed shows what nobody can read again,
// and stays.
func ExampleFiles() {
	dir, err := os.MkdirTemp("", "drift")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	reader := tool.Declaration{
		Name: "read_file", Policy: tool.Policy{Durability: tool.Replayable},
		Capture: filestate.Files(dir), // what the file is now, for every result
	}
	history := []message.Message{message.TextOf(message.User, "Compare the charts.")}
	for i, name := range []string{"north.txt", "south.txt"} {
		write(name, strings.Repeat(name+": 12 fathoms\n", 80))
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			panic(err)
		}
		call := message.Part{Kind: message.Call, CallID: fmt.Sprint("call_", i), Name: reader.Name, Args: fmt.Sprintf(`{"path":%q}`, name)}
		result, err := reader.Result(call, string(data), tool.Envelope{})
		if err != nil {
			panic(err)
		}
		history = append(history, message.Message{Role: message.Assistant, Parts: []message.Part{call}}, message.Message{Role: message.Tool, Parts: []message.Part{result}})
	}
	history = append(history, message.TextOf(message.Assistant, "They agree."), message.TextOf(message.User, "And now?"))

	write("south.txt", "south.txt: 3 fathoms, mind the wreck\n") // meanwhile

	p, err := policy.Named("ladder")
	if err != nil {
		panic(err)
	}
	p.Name, p.RecentTurns, p.Rungs = "clear", 1, []policy.Rung{{Strategy: "clear", Above: 100}}
	engine, err := precis.New(precis.Options{
		Store: memory.New(), Policy: p,
		Tools:  tool.Declarations{reader}.Policies(),
		Source: filestate.Files(dir), // what the file is when a plan is made
	})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	turn, err := engine.Prepare(context.Background(), precis.Input{Thread: "t", Messages: history, Budget: 4000, Mode: precis.Mode{Force: true}})
	if err != nil {
		panic(err)
	}
	for _, m := range turn.Messages {
		for _, n := range m.Results() {
			first, _, _ := strings.Cut(m.Parts[n].Body(), "\n")
			fmt.Printf("%s, %d bytes\n", first, len(m.Parts[n].Body()))
		}
	}
	// Output:
	// [read_file: success], 52 bytes
	// south.txt: 12 fathoms, 1760 bytes
}
