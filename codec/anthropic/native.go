package anthropic

import (
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// BindingBeta is the beta header that goes with what DropBlocks asks for.
const BindingBeta = "thinking-binding-controls-2026-08-01"

// DropBlocks asks the API to drop thinking that is bound to another prefix
// instead of refusing the request (WT5). All other bytes stay. Where a body says
// nothing of thinking it is returned as it is, with false; what it says of this
// itself stands.
func (Codec) DropBlocks(body []byte) (out []byte, beta string, ok bool) {
	thinking := jsonedit.Get(body, "thinking")
	if !jsonedit.IsObject(thinking) {
		return body, "", false
	}
	if binding := jsonedit.Get(thinking, "block_binding"); !jsonedit.IsNull(binding) {
		return body, BindingBeta, true
	}
	return jsonedit.Replace(body, "thinking", func(old []byte) []byte {
		return jsonedit.Set(old, jsonedit.Member{Name: "block_binding", Value: jsonedit.Build(
			convert.String("prefix_mismatch_behavior", "drop_block"))})
	}), BindingBeta, true
}

// CompactBeta is the beta header that goes with what AskCompaction asks for, and
// with every later request that holds the block.
const CompactBeta = "compact-2026-09-04"

// maxInstructions is how many characters the API takes. It is held to in bytes, of which a
// character has at least one.
const maxInstructions = 16_384

// AskCompaction makes a request one for a compaction block and nothing else, with
// instructions in place of the API's own, "" for those (WN1). All other bytes
// stay: what does not go with it (WN3) is the caller's to leave out.
func (Codec) AskCompaction(body []byte, instructions string) (out []byte, beta string) {
	ms := []jsonedit.Member{convert.Type("summarize")}
	if instructions != "" {
		if len(instructions) > maxInstructions {
			instructions = strings.ToValidUTF8(instructions[:maxInstructions], "")
		}
		ms = append(ms, convert.String("instructions", instructions))
	}
	return jsonedit.Set(body, jsonedit.Member{Name: "compaction", Value: jsonedit.Build(ms...)}), CompactBeta
}

// Compaction returns the text of a reply's compaction block; false where there is
// none, or an empty one (WN4, WN7).
func (Codec) Compaction(m message.Message) (text string, ok bool) {
	for _, p := range m.Parts {
		if p.Kind == message.Opaque && jsonedit.TextOf(jsonedit.Get(p.Raw, "type")) == "compaction" {
			text, ok = jsonedit.Text(jsonedit.Get(p.Raw, "content"))
			return text, ok
		}
	}
	return "", false
}

// compacts reports whether a member asks the API to compact (WN1, WN7). Editing by
// the API, which clears old results and thinking, is none of that.
func compacts(name string, v []byte) bool {
	if name == "compaction" {
		return !jsonedit.IsNull(v)
	}
	for _, e := range jsonedit.Elements(jsonedit.Get(v, "edits")) {
		if strings.HasPrefix(jsonedit.TextOf(jsonedit.Get(e, "type")), "compact") {
			return true
		}
	}
	return false
}
