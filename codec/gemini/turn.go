package gemini

import (
	"slices"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// turn is one content to be written. One that is not open is a content of this
// dialect and leaves as it came.
type turn struct {
	role  message.Role    // "" where that is not known: such a turn stays as it is
	msg   message.Message // its envelope is kept if it is of this dialect
	open  bool
	parts []written // if open
}

// written is one part, ready to be sent.
type written struct {
	kind  message.Kind
	id    string // of a call or result, as the messages have it
	raw   []byte
	built bool // it has no JSON of its provider's
}

// The texts that stand where the API demands a content and there is none.
const (
	openingText = message.Opening
	closingText = "Continue."
)

// shape makes the contents that the API accepts out of messages.
func (w *writer) shape(ms []message.Message) ([]*turn, error) {
	var ts []*turn
	for i := range ms {
		if m := ms[i]; !m.Meta {
			if t := w.turn(m); !t.empty() {
				ts = append(ts, t)
			}
		}
	}
	ts = w.merged(ts)
	if len(ts) == 0 || ts[0].role == message.Assistant {
		ts = slices.Insert(ts, 0, w.turn(message.TextOf(message.User, openingText)))
	}
	if ts[len(ts)-1].role == message.Assistant { // WG7
		ts = append(ts, w.turn(message.TextOf(message.User, closingText)))
	}
	w.ordered(ts)
	w.signed(ts)
	return ts, paired(ts)
}

func (w *writer) turn(m message.Message) *turn {
	if convert.Whole(m) && m.Dialect == Name {
		return &turn{msg: m}
	}
	t := &turn{role: message.User, msg: m}
	if m.Role == message.Assistant {
		t.role = message.Assistant
	}
	if !native(m) || m.Edited {
		w.expand(t)
	}
	return t
}

func (w *writer) expand(t *turn) {
	if !t.open {
		t.open, t.parts = true, w.parts(t.msg)
	}
}

// empty reports whether the turn has no content.
func (t *turn) empty() bool {
	if t.open {
		return len(t.parts) == 0
	}
	return len(t.msg.Parts) == 0
}

// merged joins neighbours of the same role (WG8), and puts results before what else is
// said with them (WG6).
func (w *writer) merged(ts []*turn) []*turn {
	var out []*turn
	for _, t := range ts {
		if n := len(out); n > 0 && t.role != "" && out[n-1].role == t.role {
			w.expand(out[n-1])
			w.expand(t)
			out[n-1].parts = append(out[n-1].parts, t.parts...)
			continue
		}
		out = append(out, t)
	}
	for _, t := range out {
		if t.role == message.User && !t.fixed() {
			convert.MoveFirst(t.parts, func(p written) bool { return p.kind == message.Result })
		}
	}
	return out
}

// ordered puts the results of a turn in the order of its calls (WG16): where there are
// no ids, that is how the API pairs them.
func (w *writer) ordered(ts []*turn) {
	for i := 1; i < len(ts); i++ {
		calls := ts[i-1].ids(message.Call)
		if !ts[i].open || len(calls) == 0 || ts[i].role != message.User {
			continue
		}
		place := map[string]int{}
		for n, id := range slices.Backward(calls) {
			place[id] = n
		}
		rank := func(p written) int {
			if p.kind != message.Result {
				return len(calls)
			}
			if n, ok := place[p.id]; ok {
				return n
			}
			return -1
		}
		slices.SortStableFunc(ts[i].parts, func(a, b written) int { return rank(a) - rank(b) })
	}
}

// signed marks the first call of a turn as one that no model made, where a model would
// have signed it (WG18, WG20).
func (w *writer) signed(ts []*turn) {
	if !signs(w.model) {
		return
	}
	for _, t := range ts {
		i := slices.IndexFunc(t.parts, func(p written) bool { return p.kind == message.Call })
		if t.role == message.Assistant && i >= 0 && t.parts[i].built {
			t.parts[i].raw = jsonedit.Set(t.parts[i].raw, convert.String("thoughtSignature", unsigned))
		}
	}
}

// unsigned is the signature of a call that no model made.
const unsigned = "skip_thought_signature_validator"

// ids are the calls or results of a turn.
func (t *turn) ids(kind message.Kind) []string {
	var ids []string
	if t.open {
		for _, p := range t.parts {
			if p.kind == kind {
				ids = append(ids, p.id)
			}
		}
		return ids
	}
	for _, p := range t.msg.Parts {
		if p.Kind == kind {
			ids = append(ids, p.CallID)
		}
	}
	return ids
}

// fixed reports whether the turn holds what is not known.
func (t *turn) fixed() bool {
	if t.open {
		return slices.ContainsFunc(t.parts, func(p written) bool { return p.kind == message.Fixed })
	}
	return t.msg.Fixed()
}

// paired checks that the calls of each turn are answered in the next content, and there
// is nothing else answered in it (WG6).
func paired(ts []*turn) error {
	rounds := convert.Rounds{What: "content"}
	for i, t := range ts {
		if t.fixed() {
			rounds.Unread(t.msg.Raw)
		}
		if t.role == "" {
			continue
		}
		if err := rounds.Turn(i, t.role, t.ids(message.Call), t.ids(message.Result)); err != nil {
			return err
		}
	}
	return rounds.End()
}

// write makes the turn's JSON. Of a content of this dialect only the parts are new,
// unless it changed its role.
func (t *turn) write() []byte {
	if !t.open {
		return t.msg.Raw
	}
	raws := make([][]byte, len(t.parts))
	for i, p := range t.parts {
		raws[i] = p.raw
	}
	if own, err := readContent(jsonedit.NewReader(t.msg.Raw)); err == nil && t.msg.Dialect == Name && own.Role == t.role && jsonedit.IsObject(t.msg.Raw) {
		return jsonedit.Set(t.msg.Raw, jsonedit.Member{Name: "parts", Value: jsonedit.Join(jsonedit.Get(t.msg.Raw, "parts"), raws)})
	}
	role := "user"
	if t.role == message.Assistant {
		role = "model"
	}
	return jsonedit.Build(convert.String("role", role), jsonedit.Member{Name: "parts", Value: jsonedit.Join(nil, raws)})
}
