package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/lru"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/summary"
)

// credentials are the headers by which providers and gateways know who calls.
var credentials = []string{
	"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key",
	"Ocp-Apim-Subscription-Key", "Proxy-Authorization", "X-Auth-Token", "X-Access-Token", "X-Api-Token", "Apikey", "X-Functions-Key", "Private-Token",
	"X-Portkey-Api-Key", "X-Portkey-Virtual-Key", "Helicone-Auth", "Cf-Aig-Authorization", "X-Litellm-Api-Key", "X-Litellm-Key", "X-Bf-Vk",
	"Cf-Access-Client-Id", "Cf-Access-Client-Secret", "Cf-Access-Jwt-Assertion",
	"X-Amz-Security-Token", "X-Goog-Iam-Authorization-Token", "X-Goog-Iap-Jwt-Assertion", "X-Ms-Token-Aad-Access-Token", "X-Forwarded-Access-Token",
}

// queries are the parameters of a URL that hold a key.
var queries = []string{"key", "api_key", "api-key", "apikey", "subscription-key", "access_token", "token", "code"}

// balancers are cookies that load balancers set and change: they name no one.
var balancers = []string{"__cf_bm", "_cfuvid", "__cfruid", "AWSALB", "AWSALBCORS", "AWSALBTG", "AWSALBTGCORS", "ARRAffinity", "ARRAffinitySameSite"}

// Tenant is the owner of a credential.
type Tenant struct {
	Name string
	// Budget caps requests in tokens, as Options.Budget does; 0 = as everybody's.
	Budget int
	// Policy compacts the owner's conversations; nil = as everybody's.
	Policy *policy.Policy
	// Engine changes what else the owner's engine is made of: what comes back by itself,
	// how results of tools may be treated, who writes summaries. nil changes nothing.
	// Store, Tenant and Shadow stay.
	Engine func(*precis.Options)
	Quota  Quota // its zero fields are as everybody's
	// Permissions list what the owner's model may read explicitly beside what everybody
	// may, as in artifact.Requester; nil = PromptOptions.Permissions.
	Permissions []string
}

// Validate names a tenant or a header that cannot be.
func (o Tenancy) Validate() error {
	if len(o.Named) > 0 && !o.ByCredential {
		return errors.New("tenancy: Named needs ByCredential")
	}
	if o.Quota.Threads < 0 || o.Quota.Bytes < 0 {
		return fmt.Errorf("tenancy: Quota must not be negative, got %+v", o.Quota)
	}
	for _, name := range slices.Concat(o.Headers, o.UserHeaders) {
		if !isHeader(name) {
			return fmt.Errorf("tenancy: %q: not the name of a header", name)
		}
	}
	for at, t := range o.Named {
		if err := t.validate(); err != nil {
			return fmt.Errorf("tenancy: tenant %q: %w", t.Name, err)
		}
		if !IsCredential(at) {
			return fmt.Errorf("tenancy: tenant %q: its key in Named is not what Credential returns", t.Name) // it may be a credential: it is not repeated
		}
	}
	return nil
}

// validate names the first bad field.
func (t Tenant) validate() error {
	switch {
	case t.Name == "":
		return errors.New("its Name is empty")
	case t.Budget < 0:
		return fmt.Errorf("its Budget must not be negative, got %d", t.Budget)
	case t.Quota.Threads < 0 || t.Quota.Bytes < 0:
		return fmt.Errorf("its Quota must not be negative, got %+v", t.Quota)
	case t.Policy == nil:
		return nil
	}
	return t.Policy.Validate()
}

// isHeader reports whether a request can have a header of that name.
func isHeader(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
	})
}

// owner is the tenant of a request: the name that its credential has in
// Tenancy.Named, else its Credential.
func (o Options) owner(r *http.Request) Tenant {
	if !o.Tenancy.ByCredential {
		return Tenant{Name: o.Engine.Tenant, Budget: o.Budget, Policy: &o.Engine.Policy, Quota: o.Tenancy.Quota, Permissions: o.Prompt.Permissions}
	}
	who := o.Tenancy.credential(r)
	t, ok := o.Tenancy.named(r, who)
	if !ok {
		t.Name = who
	}
	if t.Budget == 0 {
		t.Budget = o.Budget
	}
	if t.Policy == nil {
		t.Policy = &o.Engine.Policy
	}
	t.Quota = t.Quota.or(o.Tenancy.Quota)
	if t.Permissions == nil {
		t.Permissions = o.Prompt.Permissions
	}
	return t
}

// named is the owner that has a name: of a request's whole credential, or of one key in it.
// Who sends a named key and more beside it holds that key.
func (t Tenancy) named(r *http.Request, who string) (owner Tenant, ok bool) {
	if len(t.Named) == 0 {
		return Tenant{}, false
	}
	if owner, ok = t.Named[who]; ok {
		return owner, true
	}
	for _, name := range slices.Concat(t.Headers, credentials) {
		if values := r.Header.Values(name); len(values) > 0 && !ok {
			owner, ok = t.Named[Credential(http.Header{http.CanonicalHeaderKey(name): values}, t.Headers...)]
		}
	}
	if r.URL == nil || ok {
		return owner, ok
	}
	if values := r.URL.Query()["key"]; len(values) > 0 { // Gemini's, which may stand in a header as well
		owner, ok = t.Named[Credential(http.Header{"X-Goog-Api-Key": values})]
	}
	return owner, ok
}

// credentialBytes is how much of a credential's hash is kept.
const credentialBytes = 12

// Credential stands for the credential in a request's headers. It is hashed, and the
// hash cut, so that what is kept does not tell it. More headers than the known ones
// may say who calls.
func Credential(h http.Header, more ...string) string {
	sum := sha256.New()
	sum.Write([]byte("precis tenant"))
	add := func(name, value string) { sum.Write([]byte("\x00" + name + "\x00" + value)) }
	for _, name := range slices.Concat(credentials, more) {
		for _, v := range h.Values(name) {
			add(http.CanonicalHeaderKey(name), v)
		}
	}
	for _, c := range (&http.Request{Header: h}).Cookies() {
		if !slices.Contains(balancers, c.Name) {
			add("Cookie", c.Name+"="+c.Value)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:credentialBytes])
}

// credential is that of a request: of its headers, and of a key in its URL.
func (t Tenancy) credential(r *http.Request) string {
	h := r.Header
	if r.URL != nil && r.URL.RawQuery != "" {
		h = h.Clone()
		for _, name := range queries {
			for _, v := range r.URL.Query()[name] {
				h.Add("?"+name, v)
			}
		}
	}
	more := slices.Clone(t.Headers)
	for _, name := range queries {
		more = append(more, "?"+name)
	}
	return Credential(h, more...)
}

// IsCredential reports whether a text has the form of what Credential returns.
func IsCredential(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == credentialBytes && hex.EncodeToString(b) == s
}

// maxTenants is how many tenants have an engine at a time. What engines remember of
// threads is kept for all of them together, so forgetting one costs little.
const maxTenants = 1024

// engines are those of the tenants. Make it with newEngines.
type engines struct {
	first  *precis.Engine    // of no request; it holds what all remember
	named  map[string]Tenant // by name
	report func(string)      // is told of summaries that failed ahead of their use
	kept   lru.Cache[string, *precis.Engine]
}

// newEngines makes engines of the options, each with its tenant and what that has of its
// own.
func newEngines(o precis.Options, named map[string]Tenant, report func(string)) (*engines, error) {
	e := &engines{named: map[string]Tenant{}, report: report}
	e.kept.MaxEntries = maxTenants
	for _, t := range named {
		e.named[t.Name] = t
		own := o
		e.change(t, &own)
		if err := own.Validate(); err != nil {
			return nil, fmt.Errorf("tenant %s: %w", t.Name, err)
		}
	}
	e.change(Tenant{}, &o)
	var err error
	e.first, err = precis.New(o)
	return e, err
}

// change makes a tenant's options of everybody's.
func (e *engines) change(t Tenant, o *precis.Options) {
	shadow := o.Shadow
	if t.Policy != nil {
		o.Policy = *t.Policy
	}
	if t.Engine != nil {
		t.Engine(o)
	}
	o.Shadow = shadow
	if o.Summarizer == nil {
		o.Background = false
		return
	}
	if _, told := o.Summarizer.(*summarizerLog); o.Background && !told {
		o.Summarizer = &summarizerLog{Summarizer: o.Summarizer, report: e.report}
	}
}

// of is the tenant's engine. One that was not used for longest is forgotten: requests
// that have it finish with it, so it is not closed, and its background work ends by
// itself.
func (e *engines) of(tenant string) (*precis.Engine, error) {
	return e.kept.GetOrMake(tenant, func() (*precis.Engine, int, error) {
		engine, err := e.first.ForTenant(tenant, func(o *precis.Options) { e.change(e.named[tenant], o) })
		return engine, 0, err
	})
}

// stats counts what all engines keep in memory, and how often that served.
func (e *engines) stats() lru.Stats {
	s := e.first.CacheStats()
	return lru.Stats{Entries: s.Threads, Bytes: s.Bytes, Hits: s.Hits, Misses: s.Misses}
}

// age forgets the threads, and the engines of tenants, that were not used since the call
// before.
func (e *engines) age() (left int) { return e.first.Age() + e.kept.Age() }

func (e *engines) close() {
	for _, engine := range e.kept.All() {
		engine.Close()
	}
	e.first.Close()
	e.kept.Clear()
}

// summarizerLog is a summarizer whose failures are reported: what is prepared ahead
// belongs to no call that could. A failure that repeats is reported once.
type summarizerLog struct {
	summary.Summarizer
	report func(string)

	mu   sync.Mutex
	last string
}

// Summarize implements summary.Summarizer.
func (l *summarizerLog) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	s, err := summary.Ask(ctx, l.Summarizer, in) // which makes an error of a panic
	if ctx.Err() == nil {
		l.ended(err)
	}
	return s, err
}

func (l *summarizerLog) ended(err error) {
	text := ""
	if err != nil {
		text = summary.Redact(summary.Attempted("summarize with "+l.Name(), err))
	}
	l.mu.Lock()
	again := text == l.last
	l.last = text
	l.mu.Unlock()
	if text != "" && !again {
		l.report(text)
	}
}

// Quota bounds what a tenant may have in the log. The zero value bounds nothing.
type Quota struct {
	// Threads is how many conversations it may have begun; 0 = any. Those that were
	// begun go on.
	Threads int
	// Bytes is how much it may have stored, as the store keeps it; 0 = any. The request
	// that passes it is the last.
	Bytes int64
}

// or is q, with the bounds of other where q has none.
func (q Quota) or(other Quota) Quota {
	if q.Threads == 0 {
		q.Threads = other.Threads
	}
	if q.Bytes == 0 {
		q.Bytes = other.Bytes
	}
	return q
}
