package anthropic

import (
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/span"
	"github.com/seed-3db51b0e/precis/message"
)

// BindingBeta is the beta header that goes with what DropBlocks asks for.
const BindingBeta = "thinking-binding-controls-2026-08-01"

// DropBlocks asks the API to drop thinking that is bound to another prefix
// instead of refusing the request (WT5). All other bytes stay. Where a body says
// nothing of thinking it is returned as it is, with false; what it says of this
// itself stands.
func (Codec) DropBlocks(body []byte) (out []byte, beta string, ok bool) {
	thinking := span.Get(body, "thinking")
	if !span.IsObject(thinking) {
		return body, "", false
	}
	if binding := span.Get(thinking, "block_binding"); !span.IsNull(binding) {
		return body, BindingBeta, true
	}
	return span.Replace(body, "thinking", func(old []byte) []byte {
		return span.Set(old, span.Member{Name: "block_binding", Value: span.Build(
			span.Member{Name: "prefix_mismatch_behavior", Value: span.Quote("drop_block")})})
	}), BindingBeta, true
}

// CompactBeta is the beta header that goes with what AskCompaction asks for, and
// with every later request that holds the block.
const CompactBeta = "compact-2026-09-04"

// maxInstructions is how many characters the API takes.
const maxInstructions = 16_384

// AskCompaction makes a request one for a compaction block and nothing else, with
// instructions in place of the API's own, "" for those (WN1). All other bytes
// stay: what does not go with it (WN3) is the caller's to leave out.
func (Codec) AskCompaction(body []byte, instructions string) (out []byte, beta string) {
	ms := []span.Member{typed("summarize")}
	if instructions != "" {
		if len(instructions) > maxInstructions {
			instructions = strings.ToValidUTF8(instructions[:maxInstructions], "")
		}
		ms = append(ms, span.Member{Name: "instructions", Value: span.Quote(instructions)})
	}
	return span.Set(body, span.Member{Name: "compaction", Value: span.Build(ms...)}), CompactBeta
}

// Compaction is what the compaction block of a reply says; false where there is
// none, or none that says anything (WN4, WN7).
func (Codec) Compaction(m message.Message) (text string, ok bool) {
	for _, p := range m.Parts {
		if p.Kind == message.Opaque && span.TextOf(span.Get(p.Raw, "type")) == "compaction" {
			text, ok = span.Text(span.Get(p.Raw, "content"))
			return text, ok
		}
	}
	return "", false
}

// compacts says whether a member asks the API to compact (WN1, WN7). Editing by
// the API, which clears old results and thinking, is none of that.
func compacts(name string, v []byte) bool {
	if name == "compaction" {
		return !span.IsNull(v)
	}
	for _, e := range span.Elements(span.Get(v, "edits")) {
		if strings.HasPrefix(span.TextOf(span.Get(e, "type")), "compact") {
			return true
		}
	}
	return false
}
