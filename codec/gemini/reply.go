package gemini

import (
	"errors"
	"fmt"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Reply implements codec.Replier. It reads an array of chunks, too: a stream that no
// client asked to have as events.
func (c Codec) Reply(status int, body []byte) (*codec.Reply, error) {
	if chunks := jsonedit.Elements(body); len(chunks) > 0 {
		return c.chunks(status, chunks)
	}
	var a reply
	err := convert.Answer(Name, status, body, a.set, func() string {
		if a.content == nil && a.finish == nil && a.blocked == nil {
			return "candidates"
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	return a.reply()
}

func (c Codec) chunks(status int, chunks [][]byte) (*codec.Reply, error) {
	a := c.Stream()
	for _, raw := range chunks {
		if f := codec.ReadFailure(status, raw); f != nil {
			return nil, f
		}
		if err := a.Event("", raw); err != nil {
			return nil, err
		}
	}
	r, err := a.Reply()
	if errors.Is(err, codec.ErrCut) {
		return nil, fmt.Errorf("read gemini reply: %w: no reason to end", codec.ErrMalformed)
	}
	return r, err
}

// reply holds the members of an answer, raw.
type reply struct {
	id, model              []byte
	content, finish, said  []byte // of the first candidate, and what it says of its end
	blocked, blockedReason []byte // of a prompt that was refused
	usage                  []byte
}

// set takes a member; null is ignored.
func (a *reply) set(name string, v []byte) {
	if jsonedit.IsNull(v) {
		return
	}
	switch camel([]byte(name)) {
	case "responseId":
		a.id = v
	case "modelVersion":
		a.model = v
	case "usageMetadata":
		a.usage = v
	case "candidates":
		a.take(first(v))
	case "promptFeedback":
		if reason := get(v, "blockReason"); !jsonedit.IsNull(reason) {
			a.blocked, a.blockedReason = reason, get(v, "blockReasonMessage")
		}
	}
}

// first is the candidate that clients go on with; nil if there is none.
func first(candidates []byte) []byte {
	for _, c := range jsonedit.Elements(candidates) {
		if jsonedit.Int(get(c, "index")) == 0 {
			return c
		}
	}
	return nil
}

// take takes over what a candidate says.
func (a *reply) take(candidate []byte) {
	for _, m := range jsonedit.Members(candidate) {
		if jsonedit.IsNull(m.Value) {
			continue
		}
		switch camel([]byte(m.Name)) {
		case "content":
			a.content = m.Value
		case "finishReason":
			if s := jsonedit.TextOf(m.Value); s != "" && s != "FINISH_REASON_UNSPECIFIED" {
				a.finish = m.Value
			}
		case "finishMessage":
			a.said = m.Value
		}
	}
}

// reply reads the answer. Clients send the content back as it is, and add nothing where
// there is none (WG31).
func (a *reply) reply() (*codec.Reply, error) {
	m := message.Message{Role: message.Assistant}
	r := &codec.Reply{ID: jsonedit.TextOf(a.id), Model: jsonedit.TextOf(a.model), Usage: usage(a.usage), Items: []message.Message{}}
	if len(jsonedit.Elements(get(a.content, "parts"))) > 0 {
		var err error
		if m, err = ParseContent(modelContent(a.content)); err != nil {
			return nil, fmt.Errorf("read gemini reply: %w", err)
		}
		r.Items = nil
	}
	r.Message, r.Reason = m, jsonedit.TextOf(a.finish)
	r.Stop = stop(r.Reason, m)
	if r.Stop == codec.StopRefusal || r.Stop == codec.StopOther {
		r.Refusal = jsonedit.TextOf(a.said)
	}
	if a.finish == nil && a.blocked != nil {
		r.Stop, r.Reason, r.Refusal = codec.StopRefusal, jsonedit.TextOf(a.blocked), jsonedit.TextOf(a.blockedReason)
	}
	if r.Stop == "" {
		r.Stop = codec.StopOther
	}
	return r, nil
}

// modelContent is a content that states its role.
func modelContent(raw []byte) []byte {
	if string(jsonedit.Get(raw, "role")) == `"model"` {
		return raw
	}
	return jsonedit.Set(raw, jsonedit.Member{Name: "role", Value: []byte(`"model"`)})
}

// refusals are the reasons for which an answer is withheld.
var refusals = map[string]bool{
	"SAFETY": true, "RECITATION": true, "LANGUAGE": true, "BLOCKLIST": true, "PROHIBITED_CONTENT": true, "SPII": true,
	"IMAGE_SAFETY": true, "IMAGE_PROHIBITED_CONTENT": true, "IMAGE_RECITATION": true,
}

// stop is the reason to end. An answer that calls ends as any other does (WG32).
func stop(reason string, m message.Message) codec.Stop {
	switch {
	case reason == "":
		return ""
	case reason == "STOP" && m.Has(message.Call):
		return codec.StopCalls
	case reason == "STOP":
		return codec.StopEnd
	case reason == "MAX_TOKENS":
		return codec.StopLength
	case reason == "CONTINUATION":
		return codec.StopPause
	case refusals[reason]:
		return codec.StopRefusal
	}
	return codec.StopOther
}

// usage reads the counts. The prompt includes what a cache had, and not what tools at the
// provider gave it; the answer leaves out thoughts (WG29).
func usage(raw []byte) codec.Usage {
	var u codec.Usage
	tools := 0
	for _, m := range jsonedit.Members(raw) {
		switch n := jsonedit.Int(m.Value); camel([]byte(m.Name)) {
		case "promptTokenCount":
			u.Context = n
		case "toolUsePromptTokenCount":
			tools = n
		case "cachedContentTokenCount":
			u.CacheRead = n
		case "candidatesTokenCount":
			u.Output += n
		case "thoughtsTokenCount":
			u.Reasoning = n
			u.Output += n
		}
	}
	u.Input = u.Context + tools
	return u
}
