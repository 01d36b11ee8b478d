package eino_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/schema"

	"github.com/seed-3db51b0e/precis/adapters/eino"
)

// A stream reaches its reader chunk by chunk, as without Précis.
//
// SPEC: B26
func TestStreamIsHandedOn(t *testing.T) {
	m := &scripted{Errand: long()}
	a := agent(t, m, m.Errand, eino.New(engine(t), eino.Options{Budget: 6000}))
	events := adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, EnableStreaming: true}).Query(t.Context(), m.Task())
	var heard []string
	for e, more := events.Next(); more; e, more = events.Next() {
		if e.Err != nil {
			t.Fatal(e.Err)
		}
		if e.Output == nil || e.Output.MessageOutput == nil || e.Output.MessageOutput.Role != schema.Assistant {
			continue
		}
		stream := e.Output.MessageOutput.MessageStream
		heard = nil
		for {
			chunk, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			heard = append(heard, chunk.Content)
		}
		stream.Close()
	}
	if m.refused > 0 || len(heard) < 5 || strings.Join(heard, "") != m.Answer() {
		t.Errorf("%d refused; heard %q", m.refused, heard)
	}
}
