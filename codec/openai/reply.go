package openai

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Reply implements codec.Replier. Of several choices it reads the first.
func (Codec) Reply(status int, body []byte) (*codec.Reply, error) {
	var a answer
	err := convert.Answer(Name, status, body, func(name string, v []byte) {
		if name == "choices" {
			for _, c := range jsonedit.Elements(v) {
				a.choose(c)
			}
		}
		a.set(name, v)
	}, func() string {
		if !jsonedit.IsObject(a.message) {
			return "message"
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	return a.reply(true)
}

// answer holds the members of a completion, raw.
type answer struct {
	id, model, usage []byte
	message, reason  []byte
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
	case "usage":
		a.usage = v
	}
}

// choose takes a choice if it is the first.
func (a *answer) choose(raw []byte) {
	if index := jsonedit.Get(raw, "index"); !jsonedit.IsNull(index) && jsonedit.Int(index) != 0 || a.message != nil {
		return
	}
	a.message, a.reason = jsonedit.Get(raw, "message"), jsonedit.Get(raw, "finish_reason")
}

// reply reads the answer. Clients send the message back as it is.
func (a *answer) reply(complete bool) (*codec.Reply, error) {
	if role := jsonedit.Get(a.message, "role"); jsonedit.TextOf(role) != "assistant" { // some leave it out
		a.message = jsonedit.Set(a.message, convert.String("role", "assistant"))
	}
	m, err := ParseMessage(a.message)
	if err != nil {
		return nil, fmt.Errorf("read openai reply: %w", err)
	}
	r := &codec.Reply{
		ID:      jsonedit.TextOf(a.id),
		Model:   jsonedit.TextOf(a.model),
		Message: m,
		Reason:  jsonedit.TextOf(a.reason),
		Usage:   usage(a.usage),
		Refusal: jsonedit.TextOf(jsonedit.Get(a.message, "refusal")),
	}
	r.Stop = stop(r)
	if r.Stop == "" && complete {
		r.Stop = codec.StopOther
	}
	return r, nil
}

// stop reads the reason, also as the copies of the API word it. A tool that the
// request demanded is called under the reason stop.
func stop(r *codec.Reply) codec.Stop {
	switch r.Reason {
	case "":
		return ""
	case "stop", "eos", "end_turn", "stop_sequence":
		switch {
		case r.Message.Has(message.Call):
			return codec.StopCalls
		case r.Refusal != "":
			return codec.StopRefusal
		}
		return codec.StopEnd
	case "tool_calls", "function_call", "tool_use":
		return codec.StopCalls
	case "length", "max_tokens":
		return codec.StopLength
	case "model_length", "model_context_window_exceeded":
		return codec.StopWindow
	case "content_filter", "refusal":
		return codec.StopRefusal
	}
	return codec.StopOther
}

// usage reads the counts.
func usage(raw []byte) codec.Usage {
	u := convert.Usage(raw, "prompt", "completion")
	if u.CacheRead == 0 { // DeepSeek
		u.CacheRead = jsonedit.Int(jsonedit.Get(raw, "prompt_cache_hit_tokens"))
	}
	return u
}
