package native

import (
	"bytes"
	"encoding/json"

	"github.com/seed-3db51b0e/precis/internal/jsonobject"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/message"
)

// Answer is a compaction that is made here.
type Answer struct {
	Item   Item
	Model  string
	At     int64 // in seconds since 1970
	Tokens int   // of the prompt that was compacted
	// Users are the messages that go before the item: see UserItems.
	Users []json.RawMessage
	// ByPath makes it what POST /v1/responses/compact returns.
	ByPath bool
}

// UserItems returns what the user said among messages, as it came: the provider's
// answer by path repeats it before its item.
func UserItems(ms []message.Message) (items []json.RawMessage) {
	for _, m := range ms {
		if m.Role == message.User && len(m.Results()) == 0 && len(m.Raw) > 0 && m.Raw[0] == '{' {
			items = append(items, m.Raw)
		}
	}
	return items
}

func (a Answer) item() []byte {
	return jsonobject.Marshal(jsonobject.Object{
		"type": jsonobject.Marshal(compactionKind), "id": jsonobject.Marshal("cmp_" + string(a.Item.Last)),
		"encrypted_content": jsonobject.Marshal(a.Item.sealed()),
	})
}

// Body is the answer as one response.
func (a Answer) Body() []byte { return jsonobject.Marshal(a.response()) }

func (a Answer) response() jsonobject.Object {
	o := a.begun("completed")
	o.Set("output", append(a.Users[:len(a.Users):len(a.Users)], a.item()))
	o.Set("usage", map[string]any{
		"input_tokens": a.Tokens, "input_tokens_details": map[string]int{"cached_tokens": 0},
		"output_tokens": 0, "output_tokens_details": map[string]int{"reasoning_tokens": 0}, "total_tokens": a.Tokens,
	})
	return o
}

func (a Answer) begun(status string) jsonobject.Object {
	o := jsonobject.Object{}
	o.Set("id", "resp_precis_"+string(a.Item.Last))
	o.Set("object", "response")
	o.Set("created_at", a.At)
	o.Set("output", []string{})
	if a.ByPath {
		o.Set("object", "response.compaction")
		return o
	}
	o.Set("status", status)
	o.Set("model", a.Model)
	o.Set("error", nil)
	o.Set("incomplete_details", nil)
	return o
}

// Events is the answer as a stream.
func (a Answer) Events() []byte {
	var b bytes.Buffer
	n := 0
	put := func(kind string, members jsonobject.Object) {
		members.Set("type", kind)
		members.Set("sequence_number", n)
		b.Write(sse.Encode(kind, jsonobject.Marshal(members)))
		n++
	}
	begun := jsonobject.Marshal(a.begun("in_progress"))
	put("response.created", jsonobject.Object{"response": begun})
	put("response.in_progress", jsonobject.Object{"response": begun})
	for _, kind := range []string{"response.output_item.added", "response.output_item.done"} {
		put(kind, jsonobject.Object{"output_index": jsonobject.Marshal(0), "item": a.item()})
	}
	put("response.completed", jsonobject.Object{"response": a.Body()})
	return b.Bytes()
}
