// Package codec is the border between a provider's bytes and neutral messages.
//
// Use: a Codec decodes a request body, and encodes it again with other
// messages; a Replier reads the answer, whole or streamed. Law: what is not
// edited leaves as it came, byte for byte. Promise: Encode(Decode(b))
// with the request's own messages is b, and an answer is the same entry as its
// echo in the next request.
package codec

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
	"github.com/seed-3db51b0e/precis/message"
)

// ErrMalformed is wrapped by every error about a body, or an event of a stream,
// that is not the provider's.
var ErrMalformed = errors.New("malformed body")

// ErrUnpaired is wrapped by Encode where a call has no result in its place, or
// a result no call: the caller repairs the history before it encodes.
var ErrUnpaired = errors.New("call and result are not paired")

// Request is a decoded request. The zero value with Messages is a request that
// came from no body: Encode builds one.
type Request struct {
	Dialect string // name of the codec that decoded it; "" when built by hand
	Model   string
	// System is a top-level system prompt (Anthropic's system, Responses'
	// instructions); OpenAI Chat's system messages are in Messages.
	System []message.Part
	Tools  []Tool
	// Within names the tools inside of others, such as a namespace (Responses).
	Within []string
	// Messages are in order, each with its Raw. The first Known were decoded before
	// and must not be changed; the bytes of the others are Body's, until Lasting.
	Messages []message.Message
	Known    int
	// MaxOutput is the reply's cap in tokens, 0 if the body states none.
	MaxOutput int
	Stream    bool
	// State names what says that the provider holds a part of the conversation, so that
	// Messages is not all of it: a member (Responses: previous_response_id, conversation;
	// Anthropic: thread; one that is not known but sounds like these), or item_reference.
	// "" where nothing does.
	State string
	// Stored is set where the provider keeps the answer, so that a later request may
	// continue it by its id (Responses, unless store is false).
	Stored bool
	// Compacts is set where the client has the provider compact the conversation:
	// with this request, or when it gets too long.
	Compacts bool
	// CallsApart is set where the API takes the result of a call anywhere after it, not
	// only right behind it (Responses).
	CallsApart bool
	// ThinkingLeads is set where the API refuses an open tool loop in which no round begins
	// with thinking (Anthropic, thinking by budget).
	ThinkingLeads bool
	// ThinkingStays is set where the API wants what was thought in an open tool round back
	// (Anthropic, unless thinking is disabled; Chat Completions, as DeepSeek and others speak
	// it).
	ThinkingStays bool
	// UserLeads is set where the API wants the user to speak first: Encode puts a message as
	// long as message.Opening there, or between two of the assistant (Anthropic, Gemini).
	UserLeads bool
	// CacheKey is the client's name for requests that share a prefix, "" if it
	// gives none (OpenAI: prompt_cache_key).
	CacheKey string
	// CacheLife is how long the client asks the provider to keep the prompt after it was read
	// last, 0 = the provider's default (Anthropic: ttl of the marker at the end; OpenAI:
	// prompt_cache_options.ttl, prompt_cache_retention).
	CacheLife time.Duration
	// User is for whom the client asks.
	User EndUser
	// Temperature and Format are for requests built by hand; what a body states
	// of them stays in the body. Temperature nil leaves it to the provider.
	Temperature *float64
	Format      *Format
	// Body is the original, untouched; nil when built by hand. The messages, as
	// one JSON value, are Body[From:Until].
	Body        []byte
	From, Until int
	// More are tools that Encode declares after those of the body: see the codecs'
	// Declare.
	More []Tool

	layout jsonedit.Layout // of Body, as far as Index was called
}

// Declares reports whether the request declares a tool with such a name, at its top or
// inside of another.
func (r *Request) Declares(is func(name string) bool) bool {
	return slices.ContainsFunc(r.Within, is) || slices.ContainsFunc(r.Tools, func(t Tool) bool { return is(t.Name) })
}

// EndUser identifies the person that a request is for; "" if the request does not say.
type EndUser struct {
	Name             string // OpenAI: user
	SafetyIdentifier string // OpenAI: safety_identifier
	Metadata         string // metadata.user_id
}

// Format asks for an answer that is JSON of a schema.
type Format struct {
	Name   string
	Schema json.RawMessage
}

// Tool is one declared tool.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON schema of the arguments; may be nil
	Raw         json.RawMessage
}

// Read is what a model reads of a tool besides name and description: its schema, or the
// whole of one whose form is not known, such as a namespace of tools.
func (t Tool) Read() json.RawMessage {
	if t.Schema != nil {
		return t.Schema
	}
	return t.Raw
}

// Point is a part of a message at which a provider is told to cache a prompt.
type Point struct{ Message, Part int }

// Caching is a Codec of an API whose requests can say where to cache them.
type Caching interface{ Marker() Marker }

// Marker sets cache markers in requests.
type Marker interface {
	// Caches reports whether the client has its conversation cached, up to the end, and
	// whether more markers may be sent to a host.
	Caches(req *Request, host string) (end, more bool)
	// Room is how many markers a request with these messages has left.
	Room(req *Request, ms []message.Message) int
	// Mark sets markers at points, the first that there is room for.
	Mark(req *Request, ms []message.Message, points []Point) []message.Message
}

// Addressed is a Codec of an API that names the model of a call in its path, and whether
// the answer is streamed.
type Addressed interface {
	// At reads the path of a call, and reports false for any other; the model is "" where
	// the path names none.
	At(path string) (model string, stream, ok bool)
	// CountAt reports whether a path has the tokens of a request counted.
	CountAt(path string) bool
}

// Codec speaks one wire format. One that is also an Incremental reads less of a
// conversation that goes on.
type Codec interface {
	// Name is the dialect's name, as in Message.Dialect.
	Name() string
	Decode(body []byte) (*Request, error)
	// Encode writes req with messages in place of req.Messages. Messages of
	// this dialect that are not Edited are copied from Raw; edited ones keep
	// everything but the edited parts; others are built from their parts.
	// What the provider demands of the result's shape (first role, merged
	// neighbours, result order, no trailing assistant) is met here. The result may
	// be req.Body itself: it must not be changed.
	Encode(req *Request, messages []message.Message) ([]byte, error)
}
