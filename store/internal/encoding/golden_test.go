package encoding

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/message"
)

// earlier is the message that an earlier program wrote to testdata/message.
func earlier() message.Message {
	part := `{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a \u00e9"}]}`
	return message.Message{
		Role: message.User, Dialect: "anthropic", Name: "ann \xff", Meta: true,
		Raw:  json.RawMessage(`{ "role": "user", "content": [` + part + `] }`),
		Time: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC),
		Parts: []message.Part{
			{
				Kind: message.Result, CallID: "t1", Raw: json.RawMessage(part), Declared: json.RawMessage(`{"v":1}`), Failed: true,
				Parts: []message.Part{{Kind: message.Text, Text: "a é"}},
			},
			{Kind: message.Media, MediaType: "image/png", Size: 7, Raw: json.RawMessage(`{"type":"image"}`), Parts: []message.Part{}},
			{Kind: message.Text, Text: "not \xfe UTF-8"},
		},
	}
}

// SPEC: V1: what an earlier program wrote is read, and written in the same bytes.
func TestEarlierForm(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "message"))
	if err != nil {
		t.Fatal(err)
	}
	have, err := ParseMessage(data)
	if err != nil {
		t.Fatal(err)
	}
	same(t, earlier(), have)
	again, err := Message(have)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, data) {
		t.Errorf("written as %q, not %q", again, data)
	}
}
