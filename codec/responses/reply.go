package responses

import (
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Reply implements codec.Replier. It reads the answers of /responses/compact,
// too.
func (Codec) Reply(status int, body []byte) (*codec.Reply, error) {
	var a answer
	err := convert.Answer(Name, status, body, a.set, func() string {
		if !a.failed() && (len(a.output) == 0 || a.output[0] != '[') {
			return "output"
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	if a.failed() {
		return nil, a.failure(status)
	}
	return a.reply(jsonedit.Elements(a.output))
}

// answer holds the members of a response object, raw.
type answer struct {
	id, model, object, status []byte
	incomplete, output, usage []byte
	err                       []byte
}

// set takes a member; null is ignored.
func (a *answer) set(name string, v []byte) {
	if jsonedit.IsNull(v) {
		return
	}
	switch name {
	case "id":
		a.id = v
	case "model":
		a.model = v
	case "object":
		a.object = v
	case "status":
		a.status = v
	case "incomplete_details":
		a.incomplete = v
	case "output":
		a.output = v
	case "usage":
		a.usage = v
	case "error":
		a.err = v
	}
}

func (a *answer) failed() bool { return jsonedit.TextOf(a.status) == "failed" }

// failure returns the error of a failed response, which need not give a reason.
func (a *answer) failure(status int) *codec.Failure {
	if f := codec.ReadFailure(status, jsonedit.Build(jsonedit.Member{Name: "error", Value: a.err})); f != nil {
		return f
	}
	return &codec.Failure{Status: status, Message: "the response failed"}
}

// reply reads the answer. Clients send the items back as they are, or without
// their ids.
func (a *answer) reply(items [][]byte) (*codec.Reply, error) {
	r := &codec.Reply{
		ID:    jsonedit.TextOf(a.id),
		Model: jsonedit.TextOf(a.model),
		Items: make([]message.Message, 0, len(items)),
		Usage: convert.Usage(a.usage, "input", "output"),
	}
	for _, raw := range items {
		m, err := ParseItem(raw)
		if err != nil {
			return nil, fmt.Errorf("read responses reply: %w", err)
		}
		r.Items = append(r.Items, m)
	}
	r.Message = joined(r.Items)
	r.Refusal = refusal(r.Message.Parts)
	r.Reason = jsonedit.TextOf(jsonedit.Get(a.incomplete, "reason"))
	if r.Reason == "" {
		r.Reason = jsonedit.TextOf(a.status)
	}
	r.Stop = a.stop(r)
	return r, nil
}

// joined is the answer in one piece.
func joined(items []message.Message) message.Message {
	if len(items) == 1 {
		return items[0]
	}
	m := message.Message{Role: message.Assistant}
	for _, it := range items {
		if it.Role == message.Assistant {
			m.Parts = append(m.Parts, it.Parts...)
		}
	}
	return m
}

func refusal(ps []message.Part) string {
	var b strings.Builder
	for _, p := range ps {
		if p.Kind == message.Opaque && itemType(p.Raw) == "refusal" {
			line(&b, jsonedit.TextOf(jsonedit.Get(p.Raw, "refusal")))
		}
	}
	return b.String()
}

func (a *answer) stop(r *codec.Reply) codec.Stop {
	switch status := jsonedit.TextOf(a.status); {
	case jsonedit.TextOf(a.object) == "response.compaction":
		return codec.StopCompaction
	case status == "incomplete" && r.Reason == "max_output_tokens":
		return codec.StopLength
	case status == "incomplete" && r.Reason == "content_filter":
		return codec.StopRefusal
	case status != "completed":
		return codec.StopOther
	case r.Message.Has(message.Call):
		return codec.StopCalls
	case r.Refusal != "":
		return codec.StopRefusal
	}
	return codec.StopEnd
}
