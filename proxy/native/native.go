// Package native is the providers' own compaction as it stands on the wire: what a
// client asks for, the items that carry it, and an answer that a proxy makes itself.
//
// Use: Read for a request, Find and Rejoin for an item of ours in it, Answer for the
// answer. Law: an item of ours holds no content and names no thread: the log says what
// it stands for. Promise: items of a provider are never read and never changed.
package native

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/jsonobject"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// Demand names what a client asks of its provider in a request.
type Demand int

// The demands.
const (
	None      Demand = iota
	WhenLong         // to compact as it sees fit, or for itself: that is never answered here
	ByTrigger        // one compaction item, as the last item of the input says
	ByPath           // what POST /v1/responses/compact returns
)

// Direct reports whether the answer to the request is to be the compaction.
func (d Demand) Direct() bool { return d == ByTrigger || d == ByPath }

// Unknown reports whether an error that a provider answered says that it knows no such
// compaction.
func (d Demand) Unknown(status int, said []byte) bool {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return d == ByPath && !bytes.Contains(said, []byte("model")) // the path is unknown, and no model
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		word := compactionKind
		if d == ByTrigger {
			word = triggerKind
		}
		return bytes.Contains(said, []byte(word))
	}
	return false
}

// The APIs whose compaction is known, and its words.
const (
	anthropicAPI   = "anthropic"
	responsesAPI   = "responses"
	compactionKind = "compaction" // of an item or block
	triggerKind    = "compaction_trigger"
	// CompactPath follows the path of a call where a client asks for its compaction.
	CompactPath = "/compact"
)

// Request holds what providers' own compaction makes of a request.
type Request struct {
	Demand Demand
	// Messages are those that the engine gets to see. What stands before the latest
	// compaction block of Anthropic's is not read by its provider any more: it goes
	// along as it is, and counts for nothing.
	Messages []message.Message
	// Framed is set where Before and After go along around Messages, or an item among
	// them is the provider's: such a request is given no tools.
	Framed        bool
	Before, After []message.Message
	// Pins are the provider's compaction items, which nothing here can read.
	Pins []plan.Ref
}

// Read returns what a request to a path of an API asks for.
func Read(api, path string, req *codec.Request) (n Request) {
	ms, from, until := req.Messages, 0, len(req.Messages)
	switch {
	case api == responsesAPI && until > 0 && kindOf(ms[until-1]) == triggerKind:
		n.Demand, until = ByTrigger, until-1
	case strings.HasSuffix(path, CompactPath):
		n.Demand = ByPath
	case req.Compacts:
		n.Demand = WhenLong
	}
	blocks := false
	for i := range ms[:until] {
		if kindOf(ms[i]) == compactionKind {
			blocks = true
			if api == anthropicAPI {
				from = i
			}
		}
	}
	n.Before, n.Messages, n.After = ms[:from], ms[from:until], ms[until:]
	n.Framed = blocks || until < len(ms)
	if n.Demand == None {
		n.Pins = Pins(n.Messages)
	}
	return n
}

// kindOf is the type of an item, or of the first block of a message.
func kindOf(m message.Message) string {
	if len(m.Parts) == 0 || m.Parts[0].Kind != message.Opaque {
		return ""
	}
	return jsonobject.Of(m.Parts[0].Raw).Text("type")
}

// Pins are the messages of a conversation that a provider's compaction item makes up, or begins:
// what they stand for is nowhere else.
func Pins(ms []message.Message) (pins []plan.Ref) {
	if !slices.ContainsFunc(ms, func(m message.Message) bool { return kindOf(m) == compactionKind }) {
		return nil
	}
	for i, e := range thread.Extend("", ms) {
		if kindOf(ms[i]) == compactionKind {
			pins = append(pins, plan.Ref{ID: e.ID})
		}
	}
	return pins
}

// Item identifies what a compaction item of ours stands for: a conversation up to an entry of
// its log, on one of its branches. On the wire it is the two and nothing else.
type Item struct {
	Last   thread.ID
	Branch string // behind the "~" of a thread's key; "" = none
}

// itemPrefix begins what an item of ours holds.
const itemPrefix = "precis:"

func (i Item) sealed() string {
	if i.Branch != "" {
		return itemPrefix + string(i.Last) + "~" + i.Branch
	}
	return itemPrefix + string(i.Last)
}

// Thread is the key of the branch, in a conversation with this key.
func (i Item) Thread(key string) string {
	if i.Branch != "" {
		return key + "~" + i.Branch
	}
	return key
}

// Key is the key of the thread in which a conversation goes on that its client had
// compacted here, by the cache key that the client gave: never what an item says.
func Key(cacheKey string) string { return compactionKind + ":" + cacheKey }

// Find returns the last compaction item of the messages, and where it stands, if it is
// one of ours.
func Find(ms []message.Message) (item Item, at int, ok bool) {
	for at, m := range slices.Backward(ms) {
		if kindOf(m) != compactionKind {
			continue
		}
		sealed, ours := strings.CutPrefix(jsonobject.Of(m.Parts[0].Raw).Text("encrypted_content"), itemPrefix)
		last, branch, _ := strings.Cut(sealed, "~")
		return Item{thread.ID(last), branch}, at, ours
	}
	return item, 0, false
}

// Rejoin returns the messages that the client would have sent without the compaction:
// what was logged, what it put before the item besides, and what came after it. What
// declares tools at the beginning stands there again, in the place of what was logged of
// that.
func Rejoin(logged, before, after []message.Message) []message.Message {
	head := leading(before)
	ms := slices.Concat(before[:head], logged[min(head, leading(logged)):])
	have := map[message.Digest]bool{}
	for i := range ms {
		have[ms[i].Digest()] = true
	}
	for _, m := range before[head:] {
		if !have[m.Digest()] && kindOf(m) != compactionKind {
			ms = append(ms, m)
		}
	}
	return append(ms, after...)
}

// leading returns how many messages at the beginning hold what is not known, or declare
// tools.
func leading(ms []message.Message) int {
	if n := slices.IndexFunc(ms, func(m message.Message) bool { return !m.Fixed() }); n >= 0 {
		return n
	}
	return len(ms)
}
