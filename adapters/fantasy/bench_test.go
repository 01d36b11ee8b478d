package fantasy

import (
	"context"
	"strconv"
	"testing"

	charm "charm.land/fantasy"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/errand"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// silent is a model that costs no time.
type silent struct{ charm.LanguageModel }

func (silent) Provider() string { return "silent" }
func (silent) Model() string    { return "silent-1" }

func (silent) Generate(context.Context, charm.Call) (*charm.Response, error) {
	return &charm.Response{}, nil
}

// The time that the adapter adds to a call: 400 messages of 100,000 tokens, of which the
// newest two are new, under a plan that is in force.
func BenchmarkStep(b *testing.B) {
	e, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	m := New(e, Options{Thread: "bench", Budget: 32000}).Wrap(silent{})
	pages := errand.Errand{Pages: 1 << 20, Lines: 30}
	history := charm.Prompt{charm.NewUserMessage(pages.Task())}
	grow := func() {
		n := len(history)/2 + 1
		id := strconv.Itoa(n)
		history = append(history,
			charm.Message{Role: charm.MessageRoleAssistant, Content: []charm.MessagePart{
				charm.ToolCallPart{ToolCallID: id, ToolName: errand.ReadPage, Input: `{"page":1}`},
			}},
			charm.Message{Role: charm.MessageRoleTool, Content: []charm.MessagePart{
				charm.ToolResultPart{ToolCallID: id, Output: charm.ToolResultOutputContentText{Text: pages.Page(n)}},
			}})
	}
	for range 200 {
		grow()
	}
	if _, err := m.Generate(b.Context(), charm.Call{Prompt: history}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		grow()
		if _, err := m.Generate(b.Context(), charm.Call{Prompt: history}); err != nil {
			b.Fatal(err)
		}
	}
}
