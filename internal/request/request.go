// Package request makes the prompt of one request of a conversation, and the prompts
// that follow when the provider refuses it.
//
// Use: Read and Decode what came, NewInput and Fit for what the engine is to know,
// then a Prompt; Shorter and ThinkingRefused after a refusal, Observe and Record after
// an answer. Law: whatever fails in here, there are bytes to send: the caller's own.
// Promise: nothing is kept but in limits.LearnedLimits.
package request

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/internal/guard"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// ThreadHeader names a request's conversation. It is not sent on.
const ThreadHeader = "X-Precis-Thread"

// Read takes at most limit bytes of a body, and reports whether that is all. size is
// what was announced, below 1 if nothing; it is believed when a quarter of it has come.
func Read(body io.Reader, size, limit int64) (b []byte, whole bool, err error) {
	var buf bytes.Buffer
	body, size = io.LimitReader(body, limit+1), min(size, limit)
	if _, err = buf.ReadFrom(io.LimitReader(body, size/4)); err != nil {
		return buf.Bytes(), false, err
	}
	buf.Grow(max(int(size)-buf.Len(), 0) + bytes.MinRead) // so that no more is copied
	_, err = buf.ReadFrom(body)
	return buf.Bytes(), int64(buf.Len()) <= limit, err
}

// Decode decodes a body that Read returned, or names why the request is left as it is:
// then req is nil, or what could be read.
func Decode(h http.Header, body []byte, whole bool, decode func([]byte) (*codec.Request, error)) (req *codec.Request, untouched string) {
	if !whole {
		return nil, "too_large"
	}
	if e := h.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return nil, "encoded"
	}
	req, err := decode(body)
	switch {
	case err != nil:
		return nil, "malformed"
	case req.State != "":
		return req, "stateful"
	case len(req.Messages) == 0:
		return req, "no_messages"
	}
	return req, ""
}

// Address adds to a request what its path says of it, where its API says it there.
func Address(req *codec.Request, c any, path string) {
	a, ok := c.(codec.Addressed)
	if !ok || req == nil {
		return
	}
	model, stream, _ := a.At(path)
	req.Model, req.Stream = cmp.Or(model, req.Model), stream
}

// Joined is a body of which a part was read already.
func Joined(read []byte, rest io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read), rest), rest}
}

// Key is the key of a request's thread within its tenant: what the client calls it,
// else a digest of the user it is for, of the system prompt, and of all up to the first
// user message, so that sub-agents, which have another system prompt, are other
// threads. The user is who the body says, and the headers of those names. Requests of
// one key that are not one conversation become forks, so a key need not be unique.
func Key(h http.Header, req *codec.Request, userHeaders ...string) string {
	if name := h.Get(ThreadHeader); name != "" {
		return Bounded(name)
	}
	if session := h.Get("X-Claude-Code-Session-Id"); session != "" {
		if agent := h.Get("X-Claude-Code-Agent-Id"); agent != "" {
			session += "/" + agent
		}
		return Bounded(session)
	}
	system := message.Message{Role: message.System, Parts: req.System}
	root := thread.ID("")
	if user := userOf(h, req, userHeaders); user != "" {
		root = thread.Chain(root, message.TextOf(message.User, user).Digest())
	}
	first := 1
	for i := range req.Messages {
		if req.Messages[i].Role == message.User {
			first = i + 1
			break
		}
	}
	es := thread.Extend(thread.Chain(root, system.Digest()), req.Messages[:first])
	return string(es[first-1].ID[:16])
}

// User is for whom a request asks, "" where nothing says that: as in Key, but for the
// prompt_cache_key, which says nothing of a person.
func User(h http.Header, req *codec.Request, userHeaders ...string) string {
	anybody := *req
	anybody.CacheKey = ""
	return userOf(h, &anybody, userHeaders)
}

// userOf is for whom a caller asks, "" where nothing says that.
func userOf(h http.Header, req *codec.Request, headers []string) string {
	u := req.User
	said := []string{u.Name, u.SafetyIdentifier, u.Metadata, req.CacheKey}
	for _, name := range headers {
		said = append(said, strings.Join(h.Values(name), ","))
	}
	if strings.Join(said, "") == "" {
		return ""
	}
	return strings.Join(said, "\x00")
}

// longestKey is the most bytes of a client's own name for a conversation that are
// taken as they are.
const longestKey = 128

// Bounded is a client's name for a conversation, or a digest of one that is too long.
func Bounded(name string) string {
	if len(name) <= longestKey {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// Guard calls f and makes an error of a panic.
func Guard(f func() error) error { return guard.Call(f) }
