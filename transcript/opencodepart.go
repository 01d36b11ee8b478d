package transcript

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/seed-3db51b0e/precis/message"
)

// openCodePiece is a part of a message. Which fields are set follows from Type.
type openCodePiece struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Text     string `json:"text"`
	Ignored  bool   `json:"ignored"`
	CallID   string `json:"callID"`
	Tool     string `json:"tool"`
	Name     string `json:"name"` // the tool, since version 2; an agent's name before
	Mime     string `json:"mime"`
	URL      string `json:"url"`
	Metadata struct {
		Anthropic struct {
			Signature string `json:"signature"`
		} `json:"anthropic"`
	} `json:"metadata"`
	State openCodeState `json:"state"`
}

// openCodeState describes how a call went.
type openCodeState struct {
	Status      string           `json:"status"`
	Input       json.RawMessage  `json:"input"`
	Output      string           `json:"output"`
	Error       json.RawMessage  `json:"error"` // a string, or since version 2 an object with a message
	Attachments []openCodePiece  `json:"attachments"`
	Content     []openCodeOutput `json:"content"` // since version 2
	Time        struct {
		End float64 `json:"end"`
	} `json:"time"`
}

// openCodeOutput is a piece of a result since version 2.
type openCodeOutput struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Mime string `json:"mime"`
	URL  string `json:"url"`
	URI  string `json:"uri"`
}

func openCodePart(l line) (p openCodePiece, err error) { return p, l.object(&p) }

func (p *openCodePiece) ended() time.Time { return millis(p.State.Time.End) }

// openCodeMarks are the parts that are sent to no model; they stay in Raw.
var openCodeMarks = map[string]bool{
	"step-start": true, "step-finish": true, "snapshot": true, "patch": true, "retry": true, "agent": true, "compaction": true,
}

// neutral returns what the model was told by a part, or said in it.
func (p *openCodePiece) neutral(l line) []message.Part {
	n := message.Part{Kind: message.Opaque, Raw: l.raw, Dialect: OpenCode}
	switch {
	case openCodeMarks[p.Type]:
		return nil
	case p.Type == "text":
		if p.Ignored || p.Text == "" {
			return nil
		}
		n.Kind, n.Text = message.Text, p.Text
	case p.Type == "reasoning":
		n.Kind, n.Text, n.Signature = message.Thinking, p.Text, p.Metadata.Anthropic.Signature
	case p.Type == "tool":
		n.Kind, n.CallID, n.Name, n.Args = message.Call, p.call(), cmp.Or(p.Tool, p.Name), p.arguments()
	case p.Type == "file":
		media(&n, p.Mime, p.URL)
	}
	return []message.Part{n}
}

// call is the id of a call: of the provider, since version 2 of the part.
func (p *openCodePiece) call() string { return cmp.Or(p.CallID, p.ID) }

// arguments returns those of a call; while it is being written they are a string.
func (p *openCodePiece) arguments() string {
	var s string
	if json.Unmarshal(p.State.Input, &s) == nil {
		return s
	}
	return string(p.State.Input)
}

func media(n *message.Part, mime, url string) {
	n.Kind, n.MediaType = message.Media, mime
	if inline, size, ok := dataURL(url); ok {
		n.MediaType, n.Size = cmp.Or(mime, inline), size
		return
	}
	n.URL = url
}

// result returns what came of a call; a call that was not finished has none.
func (p *openCodePiece) result() (message.Part, bool) {
	r := message.Part{Kind: message.Result, CallID: p.call(), Name: cmp.Or(p.Tool, p.Name)}
	switch p.State.Status {
	case "completed":
	case "error":
		r.Failed = true
	default:
		return r, false
	}
	text := p.State.Output
	if r.Failed {
		text = cmp.Or(p.State.Output, errorText(p.State.Error))
	}
	if text != "" || len(p.State.Content) == 0 {
		r.Parts = append(r.Parts, message.Part{Kind: message.Text, Text: text})
	}
	for _, c := range p.State.Content {
		n := message.Part{Kind: message.Text, Text: c.Text}
		if c.Type != "text" {
			media(&n, c.Mime, cmp.Or(c.URL, c.URI))
		}
		r.Parts = append(r.Parts, n)
	}
	for _, a := range p.State.Attachments {
		var n message.Part
		media(&n, a.Mime, a.URL)
		r.Parts = append(r.Parts, n)
	}
	return r, true
}

// errorText reads a string or {"message": string}.
func errorText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(raw, &o) // what is neither says nothing
	return o.Message
}
