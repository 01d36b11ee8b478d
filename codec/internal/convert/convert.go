// Package convert holds what the codecs share: reading bodies, content and answers,
// carrying a part from one dialect to another (media, ids, names, placeholders), and
// putting an object together from the pieces of a stream.
//
// Use: in a codec. Law: what cannot be carried is named by a placeholder, never
// silently lost. Promise: everything is a function of its arguments.
package convert

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// Own reports whether a part has JSON of a dialect.
func Own(p message.Part, dialect string) bool { return len(p.Raw) > 0 && p.Dialect == dialect }

// Native reports whether a message came as JSON of a dialect.
func Native(m message.Message, dialect string) bool { return len(m.Raw) > 0 && m.Dialect == dialect }

// OpaquePart is a part of which only the JSON is known.
func OpaquePart(raw []byte, dialect string) message.Part {
	return message.Part{Kind: message.Opaque, Raw: raw, Dialect: dialect}
}

// FixedPart is a part of a type that is not known, or that declares tools: it stays
// as it is.
func FixedPart(raw []byte, dialect string) message.Part {
	return message.Part{Kind: message.Fixed, Raw: raw, Dialect: dialect}
}

// Other is a part that is not read: of a kind that is among the known ones, or fixed.
func Other(raw []byte, dialect, kind string, known map[string]bool) message.Part {
	if known[kind] {
		return OpaquePart(raw, dialect)
	}
	return FixedPart(raw, dialect)
}

// Whole reports whether a message is one fixed part and nothing else: its role or the
// type of the item is not known.
func Whole(m message.Message) bool {
	return len(m.Parts) == 1 && m.Parts[0].Kind == message.Fixed && string(m.Parts[0].Raw) == string(m.Raw)
}

// MediaPart reads a media block, or makes it opaque.
func MediaPart(raw []byte, dialect string) message.Part {
	b, ok := Read(raw)
	if !ok {
		return OpaquePart(raw, dialect)
	}
	return b.Part(raw, dialect)
}

// Placeholder names a part that the target dialect has no form for. For a refusal it
// is the model's own text.
func Placeholder(p message.Part) string {
	if p.Kind == message.Media {
		where := fmt.Sprintf("%d bytes", p.Size)
		if p.URL != "" {
			where = p.URL
		}
		return fmt.Sprintf("[%s media, %s, not representable]", orUnknown(p.MediaType), where)
	}
	kind := jsonedit.TextOf(jsonedit.Get(p.Raw, "type"))
	if s := jsonedit.TextOf(jsonedit.Get(p.Raw, kind)); kind == "refusal" && s != "" {
		return s
	}
	if kind == "" {
		kind = jsonedit.TextOf(jsonedit.Get(p.Raw, "role"))
	}
	if ms := jsonedit.Members(p.Raw); kind == "" && p.Dialect == "gemini" && len(ms) > 0 { // it names the member after the type
		kind = ms[0].Name
	}
	return fmt.Sprintf("[%s block of type %s not representable]", orUnknown(p.Dialect), orUnknown(kind))
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// Fit maps an id or a name to at most limit characters of [a-zA-Z0-9_-]. One
// that fits stays; any other gets a short hash of itself, so that different
// ones stay different and a call and its result stay together.
func Fit(s string, limit int) string {
	if s != "" && len(s) <= limit && wordBytes(s) {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if !wordByte(c) {
			b[i] = '_'
		}
	}
	sum := sha256.Sum256([]byte(s))
	tail := "_" + hex.EncodeToString(sum[:4])
	return string(b[:min(len(b), limit-len(tail))]) + tail
}

func wordBytes(s string) bool {
	for i := range len(s) {
		if !wordByte(s[i]) {
			return false
		}
	}
	return true
}

func wordByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Arguments writes a call's arguments as a JSON object: as they are if they
// are one, else wrapped (none at all is the empty object).
func Arguments(args string) []byte {
	if args == "" {
		return []byte("{}")
	}
	if jsonedit.IsObject([]byte(args)) {
		return []byte(args)
	}
	return jsonedit.Build(jsonedit.Member{Name: "_raw", Value: jsonedit.Quote(args)})
}

// FreeText is what a tool that takes free text is given: the text, where a record made an
// object of it.
func FreeText(args string) string {
	ms := jsonedit.Members([]byte(args))
	if len(ms) != 1 || ms[0].Name != "_raw" {
		return args
	}
	if text, ok := jsonedit.Text(ms[0].Value); ok {
		return text
	}
	return args
}

// Same reports whether two parts say the same in the same form, whatever the
// renderer's marks.
func Same(a, b message.Part) bool {
	return a.Kind == b.Kind && a.Text == b.Text && a.Signature == b.Signature &&
		a.CallID == b.CallID && a.Name == b.Name && a.Args == b.Args &&
		a.Failed == b.Failed && a.MediaType == b.MediaType && a.URL == b.URL &&
		bytes.Equal(a.Raw, b.Raw) && SameParts(a.Parts, b.Parts)
}

// SameParts is Same over lists.
func SameParts(a, b []message.Part) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Edited || b[i].Edited || !Same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// Unchanged reports whether after is before, unedited.
func Unchanged(before, after []message.Message) bool {
	if len(before) != len(after) {
		return false
	}
	for i := range after {
		if after[i].Edited || after[i].Meta || after[i].Dialect != before[i].Dialect ||
			!bytes.Equal(after[i].Raw, before[i].Raw) {
			return false
		}
	}
	return true
}

// Schema is a tool's schema, or that of a tool without arguments.
func Schema(raw []byte) []byte {
	if jsonedit.IsNull(raw) {
		return []byte(`{"type":"object","properties":{}}`)
	}
	return raw
}

// Number writes a number; nil if there is none, or none that JSON can hold.
func Number(f *float64) []byte {
	if f == nil || math.IsNaN(*f) || math.IsInf(*f, 0) {
		return nil
	}
	return strconv.AppendFloat(nil, *f, 'g', -1, 64)
}

// RawSchema is the schema of a tool that takes free text: see Arguments.
const RawSchema = `{"type":"object","properties":{"_raw":{"type":"string"}},"required":["_raw"]}`
