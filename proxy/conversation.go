package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// ThreadHeader names a request's conversation. It is for the proxy alone.
const ThreadHeader = "X-Precis-Thread"

// credentials are the headers that say who calls.
var credentials = []string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key"}

// Tenant is the owner of a credential.
type Tenant struct {
	Name string
	// Budget caps requests in tokens, as Options.Budget does; 0 = as everybody's.
	Budget int
}

// Tenant is whose conversations a request may continue: the name that its
// credential has in Options.Tenants, else its Credential.
func (p *Proxy) Tenant(h http.Header) string { return p.owner(h).Name }

// owner is the tenant of a request.
func (p *Proxy) owner(h http.Header) Tenant {
	if !p.opts.Tenancy.ByCredential {
		return Tenant{Name: p.opts.Engine.Tenant, Budget: p.opts.Budget}
	}
	who := Credential(h)
	t, ok := p.opts.Tenancy.Named[who]
	if !ok {
		t.Name = who
	}
	if t.Budget == 0 {
		t.Budget = p.opts.Budget
	}
	return t
}

// credentialBytes is how much of a credential's hash is kept.
const credentialBytes = 12

// Credential stands for the credential in a request's headers. It is hashed, and
// the hash cut, so that what is kept does not tell it.
func Credential(h http.Header) string {
	sum := sha256.New()
	sum.Write([]byte("precis tenant"))
	for _, name := range credentials {
		for _, v := range h.Values(name) {
			sum.Write([]byte("\x00" + name + "\x00" + v))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:credentialBytes])
}

// IsCredential says whether a text has the form of what Credential returns.
func IsCredential(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == credentialBytes && hex.EncodeToString(b) == s
}

// longestKey is the most bytes of a client's own name for a conversation that
// are taken as they are.
const longestKey = 128

// conversation is the key of a request's thread within its tenant: what the
// client calls it, else what its content says. Requests of one key that are not
// one conversation become forks, so a key need not be unique.
func conversation(h http.Header, req *codec.Request) string {
	if name := h.Get(ThreadHeader); name != "" {
		return bounded(name)
	}
	if session := h.Get("X-Claude-Code-Session-Id"); session != "" {
		if agent := h.Get("X-Claude-Code-Agent-Id"); agent != "" {
			session += "/" + agent
		}
		return bounded(session)
	}
	return derived(req)
}

func bounded(name string) string {
	if len(name) <= longestKey {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// derived is a digest of the system prompt and of all up to the first user
// message: sub-agents, which have another system prompt, are other threads.
func derived(req *codec.Request) string {
	system := message.Message{Role: message.System, Parts: req.System}
	first := 1
	for i := range req.Messages {
		if req.Messages[i].Role == message.User {
			first = i + 1
			break
		}
	}
	es := thread.Extend(thread.Chain("", system.Digest()), req.Messages[:first])
	return string(es[first-1].ID[:16])
}
