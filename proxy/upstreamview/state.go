package upstreamview

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/jsonobject"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// state holds what the provider sees of a conversation beside what the client does. It
// never changes once it is made.
type state struct {
	tip     thread.ID      // of its log
	turns   []upstreamTurn // oldest first
	refused bool           // the provider does not accept that the model looks things up
	bases   map[string]thinkingBasis
	bytes   int // of the turns
}

// upstreamTurn stands upstream in place of one answer as the client has it: with the
// calls of the recall tools and their results.
type upstreamTurn struct {
	position
	messages []message.Message
	tokens   int
}

// answers reports whether the turn's answer is in a history. It compares the answer's
// own messages only.
func (t upstreamTurn) answers(ms []message.Message) bool {
	if t.Index < 0 || t.Count < 1 || t.Index+t.Count > len(ms) {
		return false
	}
	id := t.After
	for _, m := range ms[t.Index : t.Index+t.Count] {
		id = thread.Chain(id, m.Digest())
	}
	return id == t.At
}

// thinkingBasis records which thinking of a branch is still valid, for models that
// check it against its prefix: whether requests declare the recall tools, and how many
// messages are from before that changed, so that their thinking is void.
type thinkingBasis struct {
	Declared bool `json:"declared"`
	Void     int  `json:"void"`
}

// entry is one line of a view's log. A Turn is followed by its messages.
type entry struct {
	Turn    *position      `json:"aside,omitempty"`
	Gone    []thread.ID    `json:"gone,omitempty"` // turns that have no place any more
	Refused bool           `json:"refused,omitempty"`
	Branch  string         `json:"branch,omitempty"` // the one that Basis is of
	Basis   *thinkingBasis `json:"footing,omitempty"`
}

// position is where a turn stands: the entry before its answer, and the answer's last;
// the index of the answer's first message, and how many they are.
type position struct {
	After    thread.ID `json:"after"`
	At       thread.ID `json:"at"`
	Index    int       `json:"index"`
	Count    int       `json:"count"`
	Messages int       `json:"messages"` // of the turn, behind the entry
}

// logged is the entry in the form of the log.
func (e entry) logged() []thread.Entry {
	raw := jsonobject.Marshal(e)
	return thread.Extend("", []message.Message{{
		Role: message.System, Meta: true, Parts: []message.Part{{Kind: message.Text, Text: string(raw)}}, Raw: raw,
	}})
}

// with is the state after more of its log. Where content was erased nothing from
// before it counts any more.
func (s *state) with(es []thread.Entry) *state {
	next := &state{tip: s.tip, turns: slices.Clone(s.turns), refused: s.refused, bases: maps.Clone(s.bases)}
	for i := 0; i < len(es); i++ {
		next.tip = es[i].ID
		if es[i].Erased {
			next.turns, next.bases = nil, nil
			continue
		}
		var e entry
		if !es[i].Message.Meta || json.Unmarshal(es[i].Message.Raw, &e) != nil {
			continue
		}
		i += next.take(e, es[i+1:])
		next.tip = es[i].ID
	}
	for _, t := range next.turns {
		next.bytes += size(t.messages)
	}
	return next
}

// take applies an entry, and returns how many of the entries behind it belong to it.
func (s *state) take(e entry, behind []thread.Entry) int {
	s.refused = s.refused || e.Refused
	if b := e.Basis; b != nil {
		if s.bases == nil {
			s.bases = map[string]thinkingBasis{}
		}
		s.bases[e.Branch] = *b
	}
	s.turns = slices.DeleteFunc(s.turns, func(t upstreamTurn) bool { return slices.Contains(e.Gone, t.At) })
	at := e.Turn
	if at == nil || at.Messages < 0 || at.Messages > len(behind) {
		return 0
	}
	t := upstreamTurn{position: *at}
	for _, e := range behind[:at.Messages] {
		if e.Erased {
			return 0
		}
		t.messages, t.tokens = append(t.messages, e.Message), t.tokens+e.Tokens
	}
	s.turns = append(s.turns, t)
	return at.Messages
}

func size(ms []message.Message) (n int) {
	for _, m := range ms {
		n += len(m.Raw)
		for _, p := range m.Parts {
			n += len(p.Text) + len(p.Args) + len(p.Body())
		}
	}
	return n
}
