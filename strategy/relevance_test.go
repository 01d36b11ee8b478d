package strategy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Of what the agent never used, the values of a text that has many on a line are needed again
// less often than those of sparse lines. JSON is no such text for standing in one line.
//
// SPEC: L10
func TestValuesOfACrowdRankLower(t *testing.T) {
	names := func(prefix string, n int, between string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("%s_handler_%03d", prefix, i))
		}
		return strings.Join(all, between)
	}
	table := strings.ReplaceAll(names("table", 400, " "), "9 ", "9\n") // ten on each of 40 lines
	texts := []string{                                                 // what is older is worth less, so that nothing is more for being newer
		names("lines", 40, "\n"), table + " table_used_by_agent",
		`{"names": ["` + names("quoted", 40, `", "`) + `"]}`, "calls " + names("plain", 40, " "),
	}
	messages := []message.Message{{Role: message.User, Parts: []message.Part{{Kind: message.Text, Text: "go on"}}}}
	for _, text := range texts {
		messages = append(messages, message.Message{Role: message.User, Parts: []message.Part{{Kind: message.Text, Text: text}}})
	}
	messages = append(messages, message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Text, Text: "It is table_used_by_agent."}}})
	th, err := thread.New(thread.Extend("", messages))
	if err != nil {
		t.Fatal(err)
	}
	r := &Relevance{t: th}
	of := func(v string) int {
		n := r.Of(v)
		if n == 0 {
			t.Errorf("%s is worth nothing", v)
		}
		return n
	}
	for _, c := range []struct{ more, less, why string }{
		{"lines_handler_007", "table_handler_007", "alone on its line"},
		{"quoted_handler_007", "plain_handler_007", "one of the items of JSON"},
		{"table_used_by_agent", "lines_handler_007", "used by the agent, in however crowded a text"},
	} {
		if more, less := of(c.more), of(c.less); more <= less {
			t.Errorf("%s, %s, is worth %d, %s %d", c.more, c.why, more, c.less, less)
		}
	}
}
