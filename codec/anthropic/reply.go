package anthropic

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Reply implements codec.Replier.
func (Codec) Reply(status int, body []byte) (*codec.Reply, error) {
	var a answer
	err := convert.Answer(Name, status, body, a.set, func() string {
		if len(a.content) == 0 || a.content[0] != '[' {
			return "content"
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	rep, err := a.reply()
	if err != nil {
		return nil, err
	}
	return completed(rep), nil
}

// completed sets Stop on a reply that came to its end.
func completed(r *codec.Reply) *codec.Reply {
	if r.Stop == "" {
		r.Stop = codec.StopOther
	}
	return r
}

// answer holds the members of a message object, raw.
type answer struct {
	id, model, reason       []byte
	content, usage          []byte
	details, transformation []byte
	management              []byte
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
	case "content":
		a.content = v
	case "stop_reason":
		a.reason = v
	case "stop_details":
		a.details = v
	case "usage":
		a.usage = v
	case "input_transformations":
		a.transformation = v
	case "context_management":
		a.management = v
	}
}

// reply reads the answer. Clients send the content back as it is.
func (a *answer) reply() (*codec.Reply, error) {
	m, err := ParseMessage(jsonedit.Build(
		jsonedit.Member{Name: "role", Value: []byte(`"assistant"`)},
		jsonedit.Member{Name: "content", Value: a.content}))
	if err != nil {
		return nil, fmt.Errorf("read anthropic reply: %w", err)
	}
	reason := jsonedit.TextOf(a.reason)
	used := usage(a.usage)
	if cleared(a.management) {
		used.Context = 0
	}
	return &codec.Reply{
		ID:              jsonedit.TextOf(a.id),
		Model:           servedBy(m, jsonedit.TextOf(a.model)),
		Message:         m,
		Stop:            stop(reason),
		Reason:          reason,
		Usage:           used,
		Refusal:         jsonedit.TextOf(jsonedit.Get(a.details, "explanation")),
		Transformations: transformations(a.transformation),
	}, nil
}

// servedBy returns the model that answered: a stream begins with the name of the one
// asked, and a fallback block names the one that took over.
func servedBy(m message.Message, model string) string {
	for _, p := range m.Parts {
		if p.Kind == message.Opaque && jsonedit.TextOf(jsonedit.Get(p.Raw, "type")) == "fallback" {
			if s := jsonedit.TextOf(jsonedit.Get(jsonedit.Get(p.Raw, "to"), "model")); s != "" {
				model = s
			}
		}
	}
	return model
}

func stop(reason string) codec.Stop {
	switch reason {
	case "":
		return ""
	case "end_turn", "stop_sequence":
		return codec.StopEnd
	case "tool_use":
		return codec.StopCalls
	case "max_tokens":
		return codec.StopLength
	case "model_context_window_exceeded":
		return codec.StopWindow
	case "refusal":
		return codec.StopRefusal
	case "pause_turn":
		return codec.StopPause
	case "compaction":
		return codec.StopCompaction
	}
	return codec.StopOther
}

// usage adds up the iterations, if the provider lists them: the totals leave
// out those that compacted, and the context is that of the last one that wrote
// the message (WU2).
func usage(raw []byte) codec.Usage {
	u := step(raw)
	if its := jsonedit.Elements(jsonedit.Get(raw, "iterations")); len(its) > 0 {
		u = codec.Usage{}
		for _, it := range its {
			s := step(it)
			u.Input += s.Input
			u.CacheRead += s.CacheRead
			u.CacheWrite += s.CacheWrite
			u.Output += s.Output
			if kind := jsonedit.TextOf(jsonedit.Get(it, "type")); kind == "message" || kind == "fallback_message" {
				u.Context = s.Context
			}
		}
	}
	u.Reasoning = jsonedit.Int(jsonedit.Get(jsonedit.Get(raw, "output_tokens_details"), "thinking_tokens"))
	return u
}

// step reads the counts of one iteration, or of all. The input that is reported
// leaves out what a cache had or got (WU1).
func step(raw []byte) codec.Usage {
	var u codec.Usage
	var input int
	for _, m := range jsonedit.Members(raw) {
		switch n := jsonedit.Int(m.Value); m.Name {
		case "input_tokens":
			input = n
		case "cache_read_input_tokens":
			u.CacheRead = n
		case "cache_creation_input_tokens":
			u.CacheWrite = n
		case "output_tokens":
			u.Output = n
		}
	}
	u.Input = input + u.CacheRead + u.CacheWrite
	u.Context = u.Input
	return u
}

// cleared reports whether the API took something out of the prompt before the model read it.
func cleared(management []byte) bool {
	for _, e := range jsonedit.Elements(jsonedit.Get(management, "applied_edits")) {
		if jsonedit.Int(jsonedit.Get(e, "cleared_input_tokens")) > 0 {
			return true
		}
	}
	return false
}

func transformations(raw []byte) []codec.Transformation {
	var ts []codec.Transformation
	for _, e := range jsonedit.Elements(raw) {
		ts = append(ts, codec.Transformation{
			Type:   jsonedit.TextOf(jsonedit.Get(e, "type")),
			Path:   jsonedit.TextOf(jsonedit.Get(e, "path")),
			Reason: jsonedit.TextOf(jsonedit.Get(e, "reason")),
		})
	}
	return ts
}
