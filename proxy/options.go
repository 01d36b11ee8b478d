package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/upstream"
)

// Mode selects what a proxy does to prompts.
type Mode string

// The modes.
const (
	Compact Mode = "compact" // sends what the plan says
	Observe Mode = "observe" // changes nothing; the log records what would have been sent
	Off     Mode = "off"     // changes nothing and keeps nothing
)

// Recall selects when the recall tools are declared to the model.
type Recall string

// The values of Recall.
const (
	RecallWithPlan Recall = "with-plan" // together with the thread's first plan, and from then on
	RecallAlways   Recall = "always"    // from the first request: that adds bytes to every one
	RecallOff      Recall = "off"
)

// Thinking selects what happens to thinking whose prefix a plan changed, where the
// model checks the one against the other.
type Thinking string

// The values of Thinking.
const (
	// ThinkingStrip leaves it out, and keeps thinking from under the current prefix.
	ThinkingStrip Thinking = "strip"
	// ThinkingDropBlock sends all thinking and asks the provider to drop what does
	// not fit, from the first plan on. The provider also drops everything behind the
	// first block that does not fit.
	ThinkingDropBlock Thinking = "drop-block"
)

// NativeCompaction selects who answers a client of OpenAI Responses that asks for
// its conversation to be compacted.
type NativeCompaction string

// The values of NativeCompaction.
const (
	NativePass   NativeCompaction = "pass"   // the provider; the proxy where the provider knows no compaction
	NativeAnswer NativeCompaction = "answer" // the proxy
)

// Durability selects when a client has the end of an answer.
type Durability string

// The values of Durability.
const (
	// DurabilityFull: when the request and the answer are on disk, so that a crash of
	// the process or the machine loses nothing that was answered.
	DurabilityFull Durability = "full"
	// DurabilityFast: as it comes. A crash may lose the last requests and answers;
	// clients that send their history again restore them.
	DurabilityFast Durability = "fast"
)

// Codec speaks one wire format, both ways.
type Codec interface {
	codec.Codec
	codec.Replier
}

// Provider is one place that requests go to.
type Provider struct {
	// Name is "anthropic", "openai" or "gemini": it selects the form of the proxy's own
	// errors.
	Name string
	// URL is its address, without the /v1 or /v1beta that the paths begin with.
	URL string
	// Calls are the codecs of the paths whose conversations are compacted. Paths
	// below them are the provider's too. Where a codec is Addressed, it tells the calls
	// by their paths itself, and its key is a folder of the provider's.
	Calls map[string]Codec
}

// Validate names what is wrong with the URL.
func (v Provider) Validate() error {
	_, err := base(v.URL)
	return err
}

// Options configure a Proxy. Engine.Store and Providers are required.
type Options struct {
	// Engine configures compaction. The proxy sets its Shadow from Mode, and its
	// Tenant where Tenancy.ByCredential is set.
	Engine precis.Options
	// Providers in order: a request that belongs to none by its path or headers
	// goes to the first.
	Providers []Provider
	Mode      Mode // "" = Compact
	// Durability selects when a client has the end of an answer. "" = DurabilityFull.
	Durability Durability
	// Budget is the hard cap of a request in tokens, 0 = what the policy says of
	// the model. A model's window that is smaller wins.
	Budget  int
	Prompt  PromptOptions
	Tenancy Tenancy
	Access  Access
	Limits  Limits
	// Models are the known models with their windows and prices; nil: the embedded
	// table.
	Models *model.Table
	// Upstream are the limits towards providers. A request is sent once, whatever
	// Attempts says: trying again is the client's decision.
	Upstream upstream.Options
	// Tracer makes spans of requests, whose attributes are counts and the proxy's own
	// words; nil makes none, and trace headers pass as they are.
	Tracer trace.TracerProvider
	Log    *slog.Logger // nil: nothing is logged
}

// PromptOptions select what is added to prompts or left out of them beside what
// the plan says. The zero value is ready for use.
type PromptOptions struct {
	// Recall selects when the model gets the tools that read back what left its
	// prompt; the proxy answers them. "" = RecallWithPlan.
	Recall Recall
	// Thinking selects what happens to thinking that is bound to a prefix which a
	// plan changed. "" = ThinkingStrip.
	Thinking Thinking
	// NativeCompaction selects who answers a client of OpenAI Responses that asks
	// for its conversation to be compacted. "" = NativePass.
	NativeCompaction NativeCompaction
	// CachePoints sets cache markers where the client left room for them: that adds
	// bytes to every request, also to those that no plan changes.
	CachePoints bool
	// Notes declares precis_note beside the recall tools: the model says what to keep and
	// where a piece of work ends. It takes Recall.
	Notes bool
	// Permissions are those of a model that looks something up, as in
	// artifact.Requester: what is confidential or restricted is shown to it only when it
	// asks and has the permission. Nothing of that comes back by itself.
	Permissions []string
}

// Tenancy selects who shares conversations. With the zero value all callers are
// Engine.Tenant.
type Tenancy struct {
	// ByCredential makes a tenant of each credential, so that callers who do not
	// share a key share nothing.
	ByCredential bool
	// Named gives the owners of some credentials a name and a budget of their own.
	// Its keys are what Credential returns. It needs ByCredential.
	Named map[string]Tenant
	// Headers are more headers that say who calls, beside those that providers and
	// gateways are known to use.
	Headers []string
	// UserHeaders say for which user of its own a caller asks, beside what requests
	// say (user, safety_identifier, metadata.user_id, prompt_cache_key). Users are
	// apart: a conversation that has no name of its own is that of one user.
	UserHeaders []string
	// Quota bounds what each tenant has in the log. Those that Named holds may have
	// others. The store must be a store.Measured.
	Quota Quota
}

// hasQuota reports whether any tenant has one.
func (t Tenancy) hasQuota() bool {
	some := t.Quota != Quota{}
	for _, n := range t.Named {
		some = some || n.Quota != Quota{}
	}
	return some
}

// Limits bound what a request holds, how large it is and how long it waits. The
// zero value is ready for use.
type Limits struct {
	// Images and Bytes are the most pictures and documents, and the most bytes, of
	// a request; 0 = what is known of the model, below 0 = no limit. What a
	// provider refuses as too large teaches a smaller number of bytes.
	Images, Bytes int
	// File keeps the limits learned from answers beyond the life of the proxy;
	// "" = none. Shared keeps them in the store instead, for all proxies over it.
	File   string
	Shared bool
	// MaxBody is the largest body of a call that is read, in bytes; larger ones
	// pass unchanged. 0 = 64 MB.
	MaxBody int64
	// MaxHeld is how many bytes the bodies of all calls that are being served have
	// together; one call may exceed it, so that one always gets on. 0 = 512 MB.
	MaxHeld int64
	// HeldTimeout is the time that a call waits for room within MaxHeld; then it is
	// answered with 503 and Retry-After. 0 = 10 s.
	HeldTimeout time.Duration
	// BodyTimeout is the time in which a request's body must come, beside the time
	// that its bytes take at 16 kB/s; then it is answered with 408, and its
	// connection closed. 0 = 30 s.
	BodyTimeout time.Duration
	// MaxMessages is how many messages a call may have; one with more passes unchanged.
	// 0 = 100,000.
	MaxMessages int
	// IdleTimeout is the time after which what is kept in memory of a conversation that
	// lies still is given back: between once and twice of it. 0 = 10 min.
	IdleTimeout time.Duration
	// PrepareTimeout bounds the time that a request waits for its plan; after that
	// it is sent unchanged. 0 = 1 min.
	PrepareTimeout time.Duration
	// SniffTimeout bounds the time for which the beginning of an answer is held back
	// to see whether it is a refusal. 0 = 2 s.
	SniffTimeout time.Duration
}

// Validate names the first bad field.
func (o Options) Validate() error {
	switch {
	case o.Mode != "" && o.Mode != Compact && o.Mode != Observe && o.Mode != Off:
		return fmt.Errorf("proxy options: unknown Mode %q", o.Mode)
	case o.Durability != "" && o.Durability != DurabilityFull && o.Durability != DurabilityFast:
		return fmt.Errorf("proxy options: unknown Durability %q", o.Durability)
	case o.Budget < 0:
		return fmt.Errorf("proxy options: Budget must not be negative, got %d", o.Budget)
	case len(o.Providers) == 0:
		return errors.New("proxy options: Providers is empty")
	}
	for _, v := range o.Providers {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("proxy options: provider %s: %w", v.Name, err)
		}
	}
	for _, part := range []interface{ Validate() error }{o.Prompt, o.Tenancy, o.Access, o.Limits, o.Engine} {
		if err := part.Validate(); err != nil {
			return fmt.Errorf("proxy options: %w", err)
		}
	}
	return o.Upstream.Validate()
}

// Validate names the first field with an unknown value.
func (o PromptOptions) Validate() error {
	switch {
	case o.Recall != "" && o.Recall != RecallWithPlan && o.Recall != RecallAlways && o.Recall != RecallOff:
		return fmt.Errorf("unknown Recall %q", o.Recall)
	case o.Thinking != "" && o.Thinking != ThinkingStrip && o.Thinking != ThinkingDropBlock:
		return fmt.Errorf("unknown Thinking %q", o.Thinking)
	case o.NativeCompaction != "" && o.NativeCompaction != NativePass && o.NativeCompaction != NativeAnswer:
		return fmt.Errorf("unknown NativeCompaction %q", o.NativeCompaction)
	}
	return nil
}

// Validate reports a limit that must not be negative.
func (o Limits) Validate() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"MaxBody", o.MaxBody},
		{"MaxHeld", o.MaxHeld},
		{"PrepareTimeout", int64(o.PrepareTimeout)},
		{"SniffTimeout", int64(o.SniffTimeout)},
		{"HeldTimeout", int64(o.HeldTimeout)},
		{"BodyTimeout", int64(o.BodyTimeout)},
		{"MaxMessages", int64(o.MaxMessages)},
		{"IdleTimeout", int64(o.IdleTimeout)},
	} {
		if f.value < 0 {
			return fmt.Errorf("limits: %s must not be negative, got %d", f.name, f.value)
		}
	}
	return nil
}

// complete fills in the defaults.
func (o Options) complete() Options {
	o.Mode = cmp.Or(o.Mode, Compact)
	o.Durability = cmp.Or(o.Durability, DurabilityFull)
	o.Prompt.Recall = cmp.Or(o.Prompt.Recall, RecallWithPlan)
	o.Limits.MaxBody = cmp.Or(o.Limits.MaxBody, 64<<20)
	o.Limits.MaxHeld = cmp.Or(o.Limits.MaxHeld, 512<<20)
	o.Limits.HeldTimeout = cmp.Or(o.Limits.HeldTimeout, 10*time.Second)
	o.Limits.BodyTimeout = cmp.Or(o.Limits.BodyTimeout, 30*time.Second)
	o.Limits.MaxMessages = cmp.Or(o.Limits.MaxMessages, 100_000)
	o.Limits.IdleTimeout = cmp.Or(o.Limits.IdleTimeout, 10*time.Minute)
	o.Limits.PrepareTimeout = cmp.Or(o.Limits.PrepareTimeout, time.Minute)
	o.Limits.SniffTimeout = cmp.Or(o.Limits.SniffTimeout, 2*time.Second)
	o.Engine.Shadow = o.Mode == Observe
	o.Upstream.Attempts = 1
	return o
}

// addsBytes reports whether requests are changed although no plan is in force.
func (o Options) addsBytes() bool { return o.Prompt.Recall == RecallAlways || o.Prompt.CachePoints }

// ErrURL is wrapped by the error about a provider's URL.
var ErrURL = errors.New("want an http or https URL without query")

// base is a provider's URL without a slash, a /v1 or a /v1beta at its end.
func base(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(s, "/"), "/v1"), "/v1beta"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.User != nil {
		return nil, ErrURL // the text itself may hold a password
	}
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	return u, nil
}
