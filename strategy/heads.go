package strategy

import (
	"path"
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/thread"
)

// speakers are the words for who a line of the log comes from.
var speakers = map[message.Role]string{message.User: "user: ", message.Assistant: "agent: ", message.Tool: "tool: ", message.System: "system: "}

// mostName is how many bytes the name of a speaker may have.
const mostName = 40

// speakerOf returns the words for who a message comes from. In the user's name the agent's own
// program may speak, too.
func speakerOf(m *message.Message) string {
	switch {
	case bearsName(m):
		return m.Name + ": "
	case m.Role == message.User && !thread.Speaks(*m):
		if thread.WordsOf(m).HandsOn() {
			return speakers[message.Tool]
		}
		return speakers[message.System]
	}
	return speakers[m.Role]
}

// bearsName reports whether a message's name says who speaks: in the user's role it may be another
// agent's. One that could be taken for another role or for text does not.
func bearsName(m *message.Message) bool {
	if m.Role != message.User || m.Name == "" {
		return false
	}
	odd := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_-. ", c)
	}
	if len(m.Name) > mostName || m.Name != strings.TrimSpace(m.Name) || strings.ContainsFunc(m.Name, odd) {
		return false
	}
	switch strings.ToLower(m.Name) {
	case "user", "human", "agent", "assistant", "tool", "system", "developer":
		return false
	}
	return true
}

// heads tells what stands before the first line of each message: its number, who speaks, and where
// a result comes from.
type heads struct {
	t       *thread.Thread // nil where nothing is known of who speaks
	read    int            // messages that were read
	named   map[int32]int  // by position, the tokens of the name that a speaker bears
	origins *origins       // of results; nil where nothing is known of them
}

// headCost is how many tokens the number and the speaker of a message take.
const headCost = 6

// add notes that the message at a position was read. count counts the tokens of a text.
func (h *heads) add(at int32, m *message.Message, count func(string) int) {
	h.read++
	if bearsName(m) {
		h.named[at] = count(m.Name)
	}
}

// speaker returns the words for who the message at a position comes from.
func (h heads) speaker(at int32) string {
	if h.t == nil {
		return ""
	}
	return speakerOf(&h.t.At(int(at)).Message)
}

// cost returns the tokens of the head of the message at a position.
func (h heads) cost(at int32) int { return headCost + h.named[at] + h.origins.at(at).cost }

// headWriter writes the heads of messages, in the order of the log.
type headWriter struct {
	heads heads
	paths map[string]bool // files whose whole path stands in a head
}

// head returns the head of a piece below what was written of the message above, which may have the
// call that the piece answers. Of a result, a tool speaks, whatever the role of its message.
func (w *headWriter) head(p *piece, above string) string {
	number := ref.Message(int(p.message)+1).String() + " "
	if !p.result {
		return number + w.heads.speaker(p.message)
	}
	x := w.heads.origins.at(p.message)
	of := x.of
	switch {
	case strings.Contains(above, of):
		of = ""
	case x.file && w.paths[of]:
		of = path.Base(of)
	case x.file:
		w.paths[of] = true
	}
	return number + x.speaker(of)
}
