package extract

import (
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
)

// written are the calls that the agent wrote in the text of a message and that have no result yet.
type written struct {
	calls []message.Part
	from  summary.Source
}

// take returns the first of them of a tool, and takes it out.
func (w *written) take(name string) (call message.Part, ok bool) {
	i := slices.IndexFunc(w.calls, func(c message.Part) bool { return c.Name == name })
	if i < 0 {
		return message.Part{}, false
	}
	call = w.calls[i]
	w.calls = slices.Delete(w.calls, i, i+1)
	return call, true
}

// follow makes the calls wait that stand before a message which is read next, after the message with the
// number read: none are left of an earlier message of the agent's, nor of one before messages that are not
// read.
func (w *written) follow(t *thread.Thread, read int, m *message.Message, at summary.Source) {
	switch before := at.N - 1; {
	case m.Role == message.Assistant:
		*w = written{from: at}
	case before > 0 && read != before:
		*w = writtenIn(t.At(before-1), before)
	}
}

// writtenIn returns the calls that are written in an entry with a number.
func writtenIn(e *thread.Entry, n int) written {
	w := written{from: summary.Source{ID: e.ID, N: n}}
	if e.Message.Role != message.Assistant || e.Message.Has(message.Call) {
		return w
	}
	for i := range e.Message.Parts {
		if p := &e.Message.Parts[i]; p.Kind == message.Text {
			_, calls := tool.WrittenCalls(p.Text)
			w.calls = append(w.calls, calls...)
		}
	}
	return w
}

// ended reads a part of a message that hands on results: where it begins one of a written call, it returns
// the call and how it ended. What was not done, or is not done yet, and what the user remarks on it, is no
// result. own is what stands in the part of the result itself.
func (w *written) ended(words thread.Words, i int) (call message.Part, result *message.Part, own string) {
	name, text, own := words.Result(i)
	if text = withoutEnvironment(text); name == "" || isPending(text) {
		return message.Part{}, nil, own
	}
	if call, ok := w.take(name); ok {
		return call, &message.Part{Kind: message.Result, Parts: []message.Part{{Kind: message.Text, Text: text}}}, own
	}
	return message.Part{}, nil, own
}

// withoutEnvironment takes off a result what the agent's program tells of the environment behind it.
func withoutEnvironment(text string) string {
	if text = strings.TrimSpace(text); strings.HasSuffix(text, "</environment_details>") {
		text = strings.TrimSpace(text[:max(0, strings.LastIndex(text, "<environment_details>"))])
	}
	return text
}

// isPending reports whether a result says that the call has not ended, or was not made.
func isPending(text string) bool {
	return strings.HasPrefix(text, "The user ") || strings.HasPrefix(text, "Command is still running")
}
