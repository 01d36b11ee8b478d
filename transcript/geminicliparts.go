package transcript

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// geminiPart is a part of a content, as the Gemini API has it.
type geminiPart struct {
	Text         *string `json:"text"`
	Thought      bool    `json:"thought"`
	Signature    string  `json:"thoughtSignature"`
	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
	InlineData *struct {
		MimeType string `json:"mimeType"`
		Data     string `json:"data"`
	} `json:"inlineData"`
	FileData *struct {
		MimeType string `json:"mimeType"`
		FileURI  string `json:"fileUri"`
	} `json:"fileData"`
}

// geminiCall is a call as the recording keeps it, with its result.
type geminiCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Args      json.RawMessage `json:"args"`
	Result    json.RawMessage `json:"result"`
	Status    string          `json:"status"`
	Timestamp string          `json:"timestamp"`
}

// geminiParts reads a string, a part, or an array of both.
func geminiParts(raw json.RawMessage) ([]message.Part, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	if raw[0] != '[' {
		p, err := geminiNeutral(raw)
		return appendPart(nil, p), err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	var parts []message.Part
	for _, e := range list {
		p, err := geminiNeutral(e)
		if err != nil {
			return nil, err
		}
		parts = appendPart(parts, p)
	}
	return parts, nil
}

// appendPart adds a part unless it is empty text.
func appendPart(parts []message.Part, p message.Part) []message.Part {
	if p.Kind == message.Text && p.Text == "" {
		return parts
	}
	return append(parts, p)
}

func geminiNeutral(raw json.RawMessage) (message.Part, error) {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		return message.Part{Kind: message.Text, Text: s}, err
	}
	var g geminiPart
	if err := decode(raw, &g); err != nil {
		return message.Part{}, err
	}
	p := message.Part{Kind: message.Opaque, Raw: raw, Dialect: GeminiCLI}
	switch {
	case g.FunctionCall != nil:
		p.Kind, p.CallID, p.Name, p.Args = message.Call, g.FunctionCall.ID, g.FunctionCall.Name, string(g.FunctionCall.Args)
	case g.FunctionResponse != nil:
		f := g.FunctionResponse
		p.Kind, p.CallID, p.Name = message.Result, f.ID, f.Name
		p.Parts = []message.Part{{Kind: message.Text, Text: geminiOutput(f.Response)}}
	case g.InlineData != nil:
		p.Kind, p.MediaType = message.Media, g.InlineData.MimeType
		p.Size = base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(g.InlineData.Data, "=")))
	case g.FileData != nil:
		p.Kind, p.MediaType, p.URL = message.Media, g.FileData.MimeType, g.FileData.FileURI
	case g.Text != nil && g.Thought:
		p.Kind, p.Text, p.Signature = message.Thinking, *g.Text, g.Signature
	case g.Text != nil:
		p.Kind, p.Text = message.Text, *g.Text
	}
	return p, nil
}

// geminiOutput is the text of a response: its output or its error, else the
// response as it is.
func geminiOutput(raw json.RawMessage) string {
	var r struct {
		Output *string `json:"output"`
		Error  *string `json:"error"`
	}
	_ = decode(raw, &r) // what is neither is shown as it is
	switch {
	case r.Output != nil:
		return *r.Output
	case r.Error != nil:
		return *r.Error
	}
	return string(raw)
}

func (r *geminiRecord) body() json.RawMessage {
	if len(r.Content) > 0 {
		return r.Content
	}
	return r.Parts
}

// textParts returns what the user said, without results that stand with their calls.
func (g *geminiChat) textParts(r *geminiRecord) ([]message.Part, error) {
	all, err := geminiParts(r.body())
	var parts []message.Part
	for _, p := range all {
		if p.Kind == message.Result && p.CallID != "" && g.done[p.CallID] {
			continue
		}
		g.pair(&p)
		parts = append(parts, p)
	}
	return parts, err
}

// pair gives a call without an id one, and its result the same: the API once
// paired them by name and order alone.
func (g *geminiChat) pair(p *message.Part) {
	if p.CallID != "" {
		return
	}
	switch p.Kind {
	case message.Call:
		g.named++
		p.CallID = fmt.Sprintf("%s-%d", p.Name, g.named)
		g.open = append(g.open, *p)
	case message.Result:
		i := slices.IndexFunc(g.open, func(c message.Part) bool { return c.Name == p.Name })
		if i >= 0 {
			p.CallID = g.open[i].CallID
			g.open = slices.Delete(g.open, i, i+1)
		}
	}
}

// repeats reports whether a record holds results only, all of them known.
func (g *geminiChat) repeats(r *geminiRecord) bool {
	all, err := geminiParts(r.body())
	return err == nil && len(all) > 0 && r.kind() == "user"
}

// replyParts returns a reply: what was thought, said and called. A call stands among the
// parts, among the calls, or in both.
func (g *geminiChat) replyParts(r *geminiRecord) ([]message.Part, error) {
	var parts []message.Part
	for _, th := range r.Thoughts {
		if text := strings.TrimSpace(th.Subject + "\n" + th.Description); text != "" {
			parts = append(parts, message.Part{Kind: message.Thinking, Text: text})
		}
	}
	calls, ids, err := g.recorded(r)
	if err != nil {
		return nil, err
	}
	body, err := geminiParts(r.body())
	for _, p := range body {
		if p.Kind != message.Call || !ids[p.CallID] {
			g.pair(&p)
			parts = append(parts, p)
		}
	}
	return append(parts, calls...), err
}

func (g *geminiChat) recorded(r *geminiRecord) (calls []message.Part, ids map[string]bool, err error) {
	ids = map[string]bool{}
	for _, l := range r.calls {
		var c geminiCall
		if err := l.object(&c); err != nil {
			return nil, nil, err
		}
		ids[c.ID] = true
		calls = append(calls, message.Part{
			Kind: message.Call, CallID: c.ID, Name: c.Name, Args: string(c.Args), Raw: l.raw, Dialect: GeminiCLI,
		})
	}
	return calls, ids, nil
}

// result adds what came of a call, if it is known.
func (g *geminiChat) result(r *geminiRecord, l line) {
	var c geminiCall
	if l.object(&c) != nil {
		return // recorded has said so
	}
	body, err := geminiParts(c.Result)
	if err != nil || len(body) == 0 {
		return
	}
	res := message.Part{Kind: message.Result, CallID: c.ID, Name: c.Name, Failed: c.Status == "error" || c.Status == "cancelled"}
	for _, p := range body {
		switch {
		case p.Kind != message.Result:
			res.Parts = append(res.Parts, p)
		case p.CallID == "" || p.CallID == c.ID:
			res.Parts = append(res.Parts, p.Parts...)
		}
	}
	if len(res.Parts) == 0 {
		return
	}
	g.done[c.ID] = true
	g.add(r, l, message.Message{Role: message.Tool, Parts: []message.Part{res}}, cmp.Or(c.Timestamp, r.Timestamp))
}
