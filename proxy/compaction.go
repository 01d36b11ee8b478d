package proxy

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/message"
)

// answerCompaction makes the compaction that the client asked its provider for:
// a plan in the log, and an item that stands for what the log holds. The prompt
// of the next request that has the item is what that plan says.
func (c *call) answerCompaction() error {
	in := c.in
	in.Thread, in.Mode.NoCompact, in.Mode.Force, in.Mode.Trigger = c.compacted(), false, true, event.Manual
	if c.native.known != "" {
		in.Thread = c.native.known
	}
	turn, _ := c.compact(in)
	var v compaction
	ok := turn != nil && turn.Outcome != precis.Failed && turn.Thread != nil
	if ok {
		v, ok = c.compaction(turn)
	}
	if !ok {
		c.status = http.StatusInternalServerError
		fail(c.w, c.side.Name, c.status, "server_error", "precis: the conversation could not be compacted")
		return nil
	}
	c.turn, c.sent, c.status = turn, turn.Compacted, http.StatusOK
	if c.native.asks == byTrigger && c.req.Stream {
		return c.write("text/event-stream", v.events())
	}
	return c.write("application/json", written(v.whole()))
}

// compaction is an answer that holds a compaction item.
type compaction struct {
	id     string
	model  string
	at     int64
	item   object
	output []json.RawMessage
	kind   string
	input  int // tokens
}

// compaction makes the answer; it fails where the item would stand for nothing,
// because the log could not be written.
func (c *call) compaction(turn *precis.Turn) (v compaction, ok bool) {
	last := string(turn.Thread.Tip())
	sealed := itemPrefix + last + strings.TrimPrefix(turn.Key.Thread, c.compacted())
	if _, _, err := c.logged(turn.Key.Tenant, strings.TrimPrefix(sealed, itemPrefix)); err != nil {
		c.failed("native", err)
		return v, false
	}
	v = compaction{
		id: "resp_precis_" + last, model: c.req.Model, at: c.p.now().Unix(), kind: "response", input: turn.Before,
		item: object{"type": written(compactionKind), "id": written("cmp_" + last), "encrypted_content": written(sealed)},
	}
	if c.native.asks == byPath {
		v.kind = "response.compaction"
		for _, m := range c.native.own {
			if m.Role == message.User && len(m.Results()) == 0 && len(m.Raw) > 0 && m.Raw[0] == '{' {
				v.output = append(v.output, m.Raw)
			}
		}
	}
	v.output = append(v.output, written(v.item))
	return v, true
}

// whole is the response.
func (v compaction) whole() object {
	o := v.begun("completed")
	o.set("output", v.output)
	o.set("usage", map[string]any{
		"input_tokens": v.input, "input_tokens_details": map[string]int{"cached_tokens": 0},
		"output_tokens": 0, "output_tokens_details": map[string]int{"reasoning_tokens": 0}, "total_tokens": v.input,
	})
	return o
}

func (v compaction) begun(status string) object {
	o := object{}
	o.set("id", v.id)
	o.set("object", v.kind)
	o.set("created_at", v.at)
	o.set("output", []string{})
	if v.kind == "response" {
		o.set("status", status)
		o.set("model", v.model)
		o.set("error", nil)
		o.set("incomplete_details", nil)
	}
	return o
}

// events is the response as a stream.
func (v compaction) events() []byte {
	var b bytes.Buffer
	n := 0
	put := func(kind string, members object) {
		members.set("type", kind)
		members.set("sequence_number", n)
		b.Write(encoded(kind, written(members)))
		n++
	}
	put("response.created", object{"response": written(v.begun("in_progress"))})
	put("response.in_progress", object{"response": written(v.begun("in_progress"))})
	for _, kind := range []string{"response.output_item.added", "response.output_item.done"} {
		put(kind, object{"output_index": written(0), "item": written(v.item)})
	}
	put("response.completed", object{"response": written(v.whole())})
	return b.Bytes()
}

// write answers the client.
func (c *call) write(kind string, body []byte) error {
	c.w.Header().Set("Content-Type", kind)
	if kind != "text/event-stream" {
		c.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	c.w.WriteHeader(c.status)
	_, err := c.w.Write(body)
	return err
}
