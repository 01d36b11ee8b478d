package gemini

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

type parts = []message.Part

// ParseContent reads one content. Raw is the object's own bytes. A result is paired with
// its call only in a whole request: here it has the id that it states.
func ParseContent(raw json.RawMessage) (message.Message, error) {
	return convert.Parse(raw, "gemini content", readContent)
}

func readContent(r *jsonedit.Reader) (message.Message, error) {
	if r.Kind() != jsonedit.Object {
		raw, err := r.Value()
		return fixed(raw), err
	}
	m, known := message.Message{Role: message.User, Dialect: Name}, true
	raw, err := r.Object(func(name []byte) error {
		v, err := r.Value()
		switch string(name) {
		case "parts":
			if len(v) > 0 && v[0] == '[' {
				m.Parts = readParts(v)
			} else {
				known = known && jsonedit.IsNull(v)
			}
		case "role":
			s := jsonedit.TextOf(v)
			known = known && knownRoles[s]
			if s == "model" {
				m.Role = message.Assistant
			}
		}
		return err
	})
	if m.Raw = raw; !known {
		m.Parts = parts{convert.FixedPart(raw, Name)}
	}
	return m, err
}

func fixed(raw []byte) message.Message {
	return message.Message{Role: message.User, Raw: raw, Dialect: Name, Parts: parts{convert.FixedPart(raw, Name)}}
}

// knownRoles are those of contents; one without a role is the user's, and function is an
// older word for it.
var knownRoles = map[string]bool{"user": true, "model": true, "function": true, "": true}

func readParts(raw []byte) parts {
	var ps parts
	alike := map[string]int{}
	for _, e := range jsonedit.Elements(raw) {
		p := readPart(e)
		if p.Kind == message.Call && p.CallID == "" {
			p.CallID = derivedID(p, alike)
		}
		ps = append(ps, p)
	}
	return ps
}

// derivedID is the id of a call to which the provider gave none. It follows from what the
// call says, and from how many alike stand before it, so an answer and its echo have the
// same, also where another call is left out; the same call in another turn may have it
// too.
func derivedID(p message.Part, alike map[string]int) string {
	args := jsontext.Value(p.Args)
	_ = args.Format(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false))
	sum := sha256.Sum256(args)
	id := p.Name + "-" + hex.EncodeToString(sum[:4])
	alike[id]++
	return message.DerivedID(id + "-" + strconv.Itoa(alike[id]))
}

// knownParts are the parts that are not read and may be left out. A call that the provider
// answered itself and its answer stand in one content, and have one id.
var knownParts = map[string]bool{"executableCode": true, "codeExecutionResult": true, "toolCall": true, "toolResponse": true}

// holders are the members of a part of which one holds its content.
var holders = map[string]bool{
	"text": true, "inlineData": true, "fileData": true, "functionCall": true, "functionResponse": true,
	"executableCode": true, "codeExecutionResult": true, "toolCall": true, "toolResponse": true,
}

// besides are the members of a part that say something about its content.
var besides = map[string]bool{"thought": true, "thoughtSignature": true, "partMetadata": true, "mediaResolution": true, "videoMetadata": true}

// fields are the members of a part, raw; kind names the one that holds its content.
type fields struct {
	kind               string
	data               []byte
	thought, signature []byte
}

func (f *fields) set(name string, v []byte) {
	switch {
	case name == "thought":
		f.thought = v
	case name == "thoughtSignature":
		f.signature = v
	case besides[name], holders[name] && jsonedit.IsNull(v): // null is as good as absent
	default:
		f.kind, f.data = name, v
	}
}

func readPart(raw []byte) message.Part {
	var f fields
	for _, m := range jsonedit.Members(raw) {
		f.set(camel([]byte(m.Name)), m.Value)
	}
	p := f.part(raw)
	p.Raw, p.Dialect = raw, Name
	if s := jsonedit.TextOf(f.signature); s != "" && (p.Kind == message.Text || p.Kind == message.Thinking || p.Kind == message.Call) {
		p.Signature = s
	}
	return p
}

func (f *fields) part(raw []byte) message.Part {
	switch f.kind {
	case "text":
		if s, ok := jsonedit.Text(f.data); ok && jsonedit.True(f.thought) {
			return message.Part{Kind: message.Thinking, Text: s}
		} else if ok {
			return message.Part{Kind: message.Text, Text: s}
		}
	case "":
		if len(f.signature) > 0 { // the end of a stream may be a signature alone
			return message.Part{Kind: message.Text}
		}
	case "functionCall":
		if name := jsonedit.TextOf(get(f.data, "name")); name != "" {
			return message.Part{Kind: message.Call, CallID: jsonedit.TextOf(get(f.data, "id")), Name: name, Args: string(get(f.data, "args"))}
		}
	case "functionResponse":
		if name := jsonedit.TextOf(get(f.data, "name")); name != "" {
			return result(f.data, name)
		}
	case "inlineData", "fileData":
		return convert.MediaPart(raw, Name)
	}
	p := convert.Other(raw, Name, f.kind, knownParts)
	if p.Kind == message.Opaque {
		p.CallID = jsonedit.TextOf(get(f.data, "id"))
	}
	return p
}

// result reads what a tool answered.
func result(data []byte, name string) message.Part {
	p := message.Part{Kind: message.Result, CallID: jsonedit.TextOf(get(data, "id")), Name: name}
	a := answerOf(get(data, "response"))
	p.Failed = a.failed()
	if text, ok := a.text(); ok {
		p.Parts = append(p.Parts, message.Part{Kind: message.Text, Text: text})
	}
	for _, e := range jsonedit.Elements(get(data, "parts")) {
		p.Parts = append(p.Parts, readMedia(e))
	}
	return p
}

func readMedia(raw []byte) message.Part {
	for _, m := range jsonedit.Members(raw) {
		switch camel([]byte(m.Name)) {
		case "inlineData", "fileData":
			return convert.MediaPart(raw, Name)
		}
	}
	return convert.FixedPart(raw, Name)
}

// answer is the object that a tool's answer is wrapped in: under the one key of it, or
// as a whole, where key is "".
type answer struct {
	key   string
	value []byte
}

// answerKeys are the names under which an answer that is no object is wrapped.
var answerKeys = map[string]bool{"output": true, "result": true, "error": true, "content": true}

func answerOf(response []byte) answer {
	ms := jsonedit.Members(response)
	if len(ms) == 1 && answerKeys[ms[0].Name] {
		return answer{ms[0].Name, ms[0].Value}
	}
	if len(ms) == 0 {
		response = nil
	}
	return answer{"", response}
}

func (a answer) failed() bool { return a.key == "error" }

// text is what the answer says, false for nothing: a value that is no string as it is
// written.
func (a answer) text() (string, bool) {
	if s, ok := jsonedit.Text(a.value); ok {
		return s, true
	}
	return string(a.value), !jsonedit.IsNull(a.value)
}
