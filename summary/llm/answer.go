package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// text returns what a reply says, if it is a whole answer.
func (s *Summarizer) text(r *codec.Reply) (string, error) {
	switch {
	case r.Stop == codec.StopWindow:
		return "", fmt.Errorf("stopped for %q: %w", s.redact(r.Reason), ErrTooLong)
	case r.Stop.Truncated():
		return "", fmt.Errorf("after %d tokens: %w", r.Usage.Output, ErrTruncated)
	case r.Stop == codec.StopRefusal || r.Refusal != "":
		return "", fmt.Errorf("%w: %s", ErrRefused, s.redact(clip(r.Refusal)))
	case r.Stop == codec.StopCalls || r.Message.Has(message.Call):
		return "", ErrToolCall
	case r.Stop == codec.StopPause || r.Stop == codec.StopCompaction:
		return "", fmt.Errorf("stopped for %q: %w", s.redact(r.Reason), ErrSchema)
	}
	var b strings.Builder
	for i := range r.Message.Parts {
		if p := &r.Message.Parts[i]; p.Kind == message.Text {
			b.WriteString(p.Text)
		}
	}
	text := strings.TrimSpace(b.String())
	if text == "" {
		return "", ErrEmpty
	}
	return text, nil
}

func clip(s string) string { return cut(s, 200, "...") }

// decode reads an answer: the object that was asked for, or where the prompt is the
// caller's own and the part an account, the account as plain text.
func (r *run) decode(text string) (*answer, error) {
	a, err := decode(text, r.part.fields)
	plain := r.s.cfg.Prompt != "" && r.part.narrates() && !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "```")
	if err != nil && plain {
		return &answer{Narrative: text}, nil
	}
	return a, err
}

// decode reads an answer that has all of the fields. Others are ignored.
func decode(text string, fields []string) (*answer, error) {
	data, ok := jsonObject(text)
	if !ok {
		return nil, fmt.Errorf("no JSON object: %w", ErrSchema)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	for _, f := range fields {
		if _, ok := members[f]; !ok {
			return nil, fmt.Errorf("no %q: %w", f, ErrSchema)
		}
	}
	for name := range members {
		if !slices.Contains(fields, name) {
			delete(members, name) // nobody asked for it
		}
	}
	wanted, err := json.Marshal(members)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	var a answer
	if err := json.Unmarshal(wanted, &a); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return &a, nil
}

// jsonObject picks the JSON object out of an answer: all of it, or what a fence holds,
// or what follows words before it.
func jsonObject(text string) ([]byte, bool) {
	if _, rest, ok := strings.Cut(text, "```"); ok && !strings.HasPrefix(text, "{") {
		rest = strings.TrimPrefix(rest, "json")
		if inner, _, ok := strings.Cut(rest, "\n```"); ok {
			text = inner
		}
	}
	i := strings.IndexByte(text, '{')
	if i < 0 {
		return nil, false
	}
	var raw json.RawMessage
	if err := json.NewDecoder(strings.NewReader(text[i:])).Decode(&raw); err != nil {
		return nil, false
	}
	return raw, true
}
