package anthropic

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// turn is one message to be written. One that is not open is a message of this
// dialect and leaves as it came.
type turn struct {
	role   message.Role    // "" where that is not known: such a turn stays as it is
	msg    message.Message // its envelope is kept if it is of this dialect
	open   bool
	blocks []block // if open
}

// The texts that stand where the API demands a message and there is none.
const (
	openingText = message.Opening
	closingText = "Continue."
)

func newTurn(m message.Message) *turn {
	if convert.Whole(m) && m.Dialect == Name {
		return &turn{msg: m}
	}
	t := &turn{role: role(string(m.Role)), msg: m}
	if m.Role == message.System && m.Dialect != Name {
		t.role = message.User
	}
	if !convert.Native(m, Name) || m.Edited || breaksRule(m) {
		t.expand()
	}
	return t
}

// breaksRule reports whether an unedited message breaks a rule by itself: blank text,
// a result after something else, an id the API does not take. Beside a block that is
// not known no rule is.
func breaksRule(m message.Message) bool {
	if m.Fixed() {
		return false
	}
	for i, p := range m.Parts {
		late := i > 0 && p.Kind == message.Result && m.Parts[i-1].Kind != message.Result
		if late || blank(p) || callID(p) != "" && callID(p) != p.CallID {
			return true
		}
	}
	return false
}

func (t *turn) expand() {
	if !t.open {
		t.open, t.blocks = true, blocks(t.msg)
	}
}

func (t *turn) merge(u *turn) {
	t.expand()
	u.expand()
	t.blocks = append(t.blocks, u.blocks...)
}

// empty reports whether the turn has no content. A system message without content
// may carry settings and is left alone.
func (t *turn) empty() bool {
	if t.open {
		return len(t.blocks) == 0
	}
	return len(t.msg.Parts) == 0 && t.role != message.System
}

// ids are the calls or results of a turn.
func (t *turn) ids(kind message.Kind) []string {
	var ids []string
	for _, b := range t.blocks {
		if b.kind == kind {
			ids = append(ids, b.id)
		}
	}
	if !t.open {
		for _, p := range t.msg.Parts {
			if p.Kind == kind {
				ids = append(ids, p.CallID)
			}
		}
	}
	return ids
}

// shape makes the turns that the API accepts out of messages.
func shape(ms []message.Message, model string) ([]*turn, error) {
	ts := make([]*turn, 0, len(ms)+2)
	for _, m := range ms {
		if m.Meta {
			continue
		}
		if t := newTurn(m); !t.empty() {
			ts = append(ts, t)
		}
	}
	ts = mergeNeighbours(placeSystem(ts))
	if at := slices.IndexFunc(ts, speaks); at < 0 || ts[at].role != message.User && ts[at].role != "" && !ts[at].startsWith("compaction") {
		ts = slices.Insert(ts, 0, newTurn(message.TextOf(message.User, openingText))) // WA1
	}
	if last := ts[lastSpeaking(ts)]; last.role == message.Assistant && !prefills(model) && !last.paused() {
		ts = append(ts, newTurn(message.TextOf(message.User, closingText))) // WA4
	}
	return ts, paired(ts)
}

// speaks reports whether a turn has content. A system message without any only sets
// something, and may stand anywhere (WA8).
func speaks(t *turn) bool { return t.role != message.System || t.len() > 0 }

// lastSpeaking is the position of the last turn that has content, -1 if there is none.
func lastSpeaking(ts []*turn) int {
	i := len(ts) - 1
	for i >= 0 && !speaks(ts[i]) {
		i--
	}
	return i
}

// placeSystem turns system messages that stand where the API allows none into user
// messages (WA8). A section of them follows a user turn or a server tool's
// result, and an assistant turn or nothing follows it.
func placeSystem(ts []*turn) []*turn {
	for i := 0; i < len(ts); {
		j := i
		for j < len(ts) && ts[j].role == message.System {
			j++
		}
		fits := j > i && i > 0 && (ts[i-1].role == message.User || ts[i-1].endsWith("_tool_result")) &&
			(j == len(ts) || ts[j].role == message.Assistant || ts[j].role == "")
		fits = fits || j > i && i > 0 && ts[i-1].role == ""
		for ; i < j; i++ {
			if !fits && len(ts[i].msg.Parts) > 0 {
				ts[i].role = message.User
				ts[i].expand()
			}
		}
		i = j + 1
	}
	return ts
}

// mergeNeighbours merges neighbours of the same role (WA2), also where only settings
// stand between, and puts results first (WA6). A turn that begins with thinking keeps its
// beginning where words that are not the model's stand before it: old models want an open
// tool round to begin so (WT2).
func mergeNeighbours(ts []*turn) []*turn {
	var out []*turn
	last := -1 // the position of the last turn of out that has content
	for _, t := range ts {
		if last >= 0 && out[last].role == t.role && t.role != message.System && t.role != "" {
			if len(out[last].msg.Raw) > 0 || !t.startsWithThinking() || out[last].startsWithThinking() {
				out[last].merge(t)
				continue
			}
			out = append(out, newTurn(message.TextOf(message.User, closingText)))
		}
		if speaks(t) {
			last = len(out)
		}
		out = append(out, t)
	}
	for _, t := range out {
		if t.role == message.User && !t.fixed() {
			convert.MoveFirst(t.blocks, func(b block) bool { return b.kind == message.Result })
		}
	}
	return out
}

// paired checks that every call is answered in the next message and every
// result answers one (WA5, WA7).
func paired(ts []*turn) error {
	rounds := convert.Rounds{What: "message"}
	for i, t := range ts {
		if t.fixed() {
			rounds.Unread(t.msg.Raw)
		}
		if t.role == message.System || t.role == "" {
			continue
		}
		if err := rounds.Turn(i, t.role, t.ids(message.Call), t.ids(message.Result)); err != nil {
			return err
		}
	}
	return rounds.End()
}

// fixed reports whether the turn holds what is not known.
func (t *turn) fixed() bool {
	if t.open {
		return slices.ContainsFunc(t.blocks, func(b block) bool { return b.kind == message.Fixed })
	}
	return t.msg.Fixed()
}

// startsWith and endsWith look at the type of the turn's outer blocks.
func (t *turn) startsWith(kind string) bool {
	n := t.len()
	return n > 0 && t.kind(0) == kind
}

func (t *turn) endsWith(kind string) bool {
	n := t.len()
	return t.role == message.Assistant && n > 0 && strings.HasSuffix(t.kind(n-1), kind)
}

// startsWithThinking reports whether the turn begins with thinking.
func (t *turn) startsWithThinking() bool {
	return t.role == message.Assistant && (t.startsWith("thinking") || t.startsWith("redacted_thinking"))
}

// paused reports whether the turn ends within the work of a server tool.
func (t *turn) paused() bool {
	return t.endsWith("server_tool_use") || t.endsWith("mcp_tool_use") || t.endsWith("_tool_result")
}

func (t *turn) len() int {
	if t.open {
		return len(t.blocks)
	}
	return len(t.msg.Parts)
}

// kind is the type of a block.
func (t *turn) kind(i int) string {
	if t.open {
		return jsonedit.TextOf(jsonedit.Get(t.blocks[i].raw, "type"))
	}
	return jsonedit.TextOf(jsonedit.Get(t.msg.Parts[i].Raw, "type"))
}

// write makes the turn's JSON. Of a message of this dialect only the content is
// new, unless it changed its role.
func (t *turn) write() []byte {
	if !t.open {
		return t.msg.Raw
	}
	if raw := t.msg.Raw; t.msg.Dialect == Name {
		l := jsonedit.LayoutOf(raw)
		if role(jsonedit.TextOf(l.Get("role"))) == t.role && (l.Places != nil || jsonedit.IsObject(raw)) {
			content := t.content(l.Get("content"))
			return l.Replace(jsonedit.Edit{Name: "content", With: func([]byte) [][]byte { return content }})
		}
	}
	return jsonedit.Build(
		convert.String("role", string(t.role)),
		jsonedit.Member{Name: "content", Value: bytes.Join(t.content(nil), nil)})
}

// content is the turn's, in pieces.
func (t *turn) content(orig []byte) [][]byte {
	if len(t.blocks) == 1 && t.blocks[0].str != nil && (len(orig) == 0 || orig[0] != '[') {
		return [][]byte{t.blocks[0].str}
	}
	return jsonedit.Pieces(orig, raws(t.blocks))
}
