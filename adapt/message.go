package adapt

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
)

// Message is one message of a prompt.
type Message struct {
	message.Message
	// Own is the position in Request.Messages of the message that this is, or is made
	// from; -1 where Précis wrote it.
	Own int
	// Whole is set where it is that message, as it came.
	Whole bool
	// Of has for each part of a message that is made from another the position of the
	// part of that one which it is, or, with Part.Edited, is made from; -1 for neither.
	Of []int
}

// Write puts a step's prompt in a framework's words: what stands as it came is own's
// value, the rest is made. from is the own message that m is made from; nil where there is
// none. It fails as Written does.
func Write[M any](ctx context.Context, s *Step, own []M, build func(m Message, from *M) M) []M {
	return Written(ctx, s, own, func(prompt []Message) []M {
		out := make([]M, len(prompt))
		for i, m := range prompt {
			switch {
			case m.Whole:
				out[i] = own[m.Own]
			case m.Own >= 0:
				out[i] = build(m, &own[m.Own])
			default:
				out[i] = build(m, nil)
			}
		}
		return out
	})
}

// Written returns what write makes of a step's prompt. It returns own where write panics,
// and where the framework's messages could not be read.
func Written[T any](ctx context.Context, s *Step, own T, write func(prompt []Message) T) T {
	if len(s.Prompt) == 0 {
		return own
	}
	out := own
	err := request.Guard(func() error {
		out = write(s.Prompt)
		return nil
	})
	if err != nil {
		s.failed(ctx, request.Encode, err)
	}
	return out
}

// asTheyCame is the prompt of all messages.
func asTheyCame(own []message.Message) []Message {
	out := make([]Message, len(own))
	for i := range own {
		out[i] = Message{Message: own[i], Own: i, Whole: true}
	}
	return out
}

// positions finds the own messages in a turn's prompt.
func positions(own []message.Message, turn *precis.Turn, ms []message.Message) []Message {
	if len(turn.Origins) != len(ms) {
		return asTheyCame(own) // shadow mode, or a failure
	}
	out := make([]Message, 0, len(ms)+1)
	began := false
	for i, o := range turn.Origins {
		m := Message{Message: ms[i], Own: -1}
		written := o.Record != nil && o.Record.Action == plan.Summarize // of what many messages said
		if !written && o.First >= 0 && o.First < len(own) {
			m = position(m, own, o.First, o.Record == nil && !turn.Thread.At(o.First).Erased)
		}
		if !began && m.Role != message.System {
			began = true
			if m.Role == message.Assistant && !m.Whole {
				out = append(out, Message{Message: message.TextOf(message.User, message.Opening), Own: -1})
			}
		}
		out = append(out, m)
	}
	return out
}

// position completes a message that stands in the place of own[first].
func position(m Message, own []message.Message, first int, stands bool) Message {
	if stands && !m.Edited {
		m.Own, m.Whole, m.Message = first, true, own[first]
		return m
	}
	parts := slices.Clone(m.Parts)
	of := origins(own[first].Parts, parts)
	if m.Role != own[first].Role || !slices.ContainsFunc(of, func(n int) bool { return n >= 0 }) {
		return m
	}
	m.Own, m.Of, m.Parts = first, of, parts
	return m
}

// origins finds for each part that is shown the own part that it is; of those that are
// not found, which it marks as edited, the one that it is made from.
func origins(own, shown []message.Part) []int {
	of, used := make([]int, len(shown)), make([]bool, len(own))
	take := func(i int, is func(a, b *message.Part) bool) bool {
		for n := range own {
			if !used[n] && is(&shown[i], &own[n]) {
				of[i], used[n] = n, true
				return true
			}
		}
		return false
	}
	for i := range shown {
		of[i] = -1
		if !shown[i].Edited {
			take(i, samePart)
		}
	}
	for i := range shown {
		if of[i] < 0 {
			shown[i].Edited = true
			if !take(i, sameCall) {
				take(i, sameKind)
			}
		}
	}
	return of
}

// JSON returns a value of a framework as JSON, for the log. One that has none is named by
// its type alone: what it holds is not printed.
func JSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(fmt.Sprintf("%T", v))
	}
	return b
}

// SameParts reports whether a result whose parts are a says what one whose parts are b
// says: the framework's own value of the one is then right for the other.
func SameParts(a, b []message.Part) bool {
	return slices.EqualFunc(a, b, func(x, y message.Part) bool { return samePart(&x, &y) })
}

// samePart reports whether a part is sent as another is.
func samePart(a, b *message.Part) bool {
	x, y := *a, *b
	x.Parts, y.Parts, x.Raw, y.Raw, x.Declared, y.Declared = nil, nil, nil, nil, nil, nil
	return x.Kind == y.Kind && x.Text == y.Text && x.Signature == y.Signature && x.CallID == y.CallID &&
		x.Name == y.Name && x.Args == y.Args && x.Failed == y.Failed && x.URL == y.URL && bytes.Equal(a.Raw, b.Raw) &&
		SameParts(a.Parts, b.Parts)
}

// sameCall reports whether both are the same call, or results of the same call.
func sameCall(a, b *message.Part) bool {
	return sameKind(a, b) && a.CallID == b.CallID
}

// sameKind reports whether a part may be made from another. One of a type that is not
// text, a call or a result is never made into another.
func sameKind(a, b *message.Part) bool {
	switch a.Kind {
	case message.Call, message.Result:
		return a.Kind == b.Kind && a.Name == b.Name
	case message.Text, message.Thinking:
		return a.Kind == b.Kind
	}
	return false
}
