// Package mcp serves the recall tools over the Model Context Protocol: an agent
// that has no proxy between it and its model reads back what a compaction took
// out of its prompt.
//
// Use: New, then Serve for a client that starts the program (stdio), or Handler
// for streamable HTTP. Law: one server shows one tenant, and nothing it does
// changes what is stored. Promise: a call is answered from the store as it is at that
// moment; an invalid call gets an answer that explains it, never a protocol error or
// the end of the session.
package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

// Options configure a server. With is required.
type Options struct {
	// With calls f with a store, once for each call of a tool and concurrently.
	// fs.ErrNotExist means that there is no store yet. A store that is opened anew
	// each time shows what other processes have written meanwhile.
	With func(ctx context.Context, f func(store.Store) error) error
	// Tenant is whose threads are served; "" is the default tenant.
	Tenant string
	// Thread is the one that a call reads if it names none: a key or the
	// beginning of one; "" is the thread that was updated last, and that not only a
	// proxy made.
	Thread string
	// Proxied takes threads that only a proxy made, too.
	Proxied bool
	// Permissions are those the callers hold: see artifact.Artifact.Allowed.
	Permissions []string
	// Notes declares precis_note, too. The server keeps nothing: its calls stand in the
	// agent's own history.
	Notes   bool
	Max     int    // bytes of an answer, as in recall.ToolHandler
	Version string // of the program, for the client
	Now     func() time.Time
	// Tell, if set, is called after each call with the thread it read.
	Tell func(store.Key, recall.Retrieval)
}

const (
	// maxConcurrent is how many calls are answered at a time; more wait.
	maxConcurrent = 8
	// maxBody is the most bytes of a message.
	maxBody = 1 << 20
)

// Server answers clients. Safe for concurrent use.
type Server struct {
	o     Options
	sdk   *sdk.Server
	slots chan struct{}
}

const instructions = `These tools read back what is no longer shown of a conversation that Précis keeps: ` +
	`precis_grep finds, precis_read shows what was there word for word, precis_describe and precis_list say what there is. ` +
	`Markers in the conversation name the ids.`

// thread is the argument that every tool has here besides its own.
const thread = `"thread":{"type":"string","description":"Key of a conversation, or its beginning. Default: the one updated last. One that is not there lists those that are."}`

// Validate names the first bad field.
func (o Options) Validate() error {
	if o.With == nil {
		return errors.New("mcp options: With is nil")
	}
	if o.Max < 0 {
		return fmt.Errorf("mcp options: Max must not be negative, got %d", o.Max)
	}
	return nil
}

// New makes a server.
func New(o Options) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{o: o, slots: make(chan struct{}, maxConcurrent)}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "precis", Title: "Précis", Version: cmp.Or(o.Version, "unknown")}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	closed := false
	tools := Definitions()
	if o.Notes {
		tools = append(tools, recall.NoteDefinition())
	}
	for _, t := range tools {
		s.sdk.AddTool(&sdk.Tool{
			Name: t.Name, Description: t.Description, InputSchema: t.Schema,
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
		}, s.call)
	}
	return s, nil
}

// Definitions are the tools as they are listed: those of recall, the name that
// the ladder style gives to the first, and a thread for each. Their bytes are
// constant.
func Definitions() []codec.Tool {
	all := append(recall.Definitions(""), recall.Definitions(recall.ReadArtifact)[0])
	all[len(all)-1].Description = "Is " + all[0].Name + " under the name that markers of the preset ladder give it; that one says what it returns."
	for i := range all {
		all[i].Schema = []byte(strings.Replace(string(all[i].Schema), `"properties":{`, `"properties":{`+thread+`,`, 1))
	}
	return all
}

// Serve answers one client over a pair of streams, a JSON-RPC message a line,
// until the client closes in or ctx ends: neither is an error. It closes in if
// that can be closed.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	pair := newStdio(in, out)
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: pair, Writer: pair})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve recall tools: %w", err)
	}
	return nil
}

// Handler answers clients over streamable HTTP, each request on its own. Where
// token is set a request must bear it. Pages of other sites, which a browser
// lets send requests, are turned away.
func (s *Server) Handler(token string) http.Handler {
	h := http.NewCrossOriginProtection().Handler(sdk.NewStreamableHTTPHandler(
		func(*http.Request) *sdk.Server { return s.sdk },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true},
	))
	if token == "" {
		return h
	}
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		have := sha256.Sum256([]byte(given))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(want[:], have[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the bearer token is missing or wrong", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}
