// Package config reads the file that sets a proxy up: what its command line sets, by
// the same names, and what has no flag: models, tools and tenants.
//
// Use: Read, then Settings for what stands for a flag and Apply for the rest. Law:
// what the file names and nobody knows is an error with its line, and what it gives is
// not empty. Promise: it holds nothing secret.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy/policyfile"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/tool"
)

// Config is a file. A field that the file leaves out is nil or empty.
type Config struct {
	Listen      *string                 `toml:"listen"`
	Inspect     *string                 `toml:"inspect"`
	DB          *string                 `toml:"db"`
	Blobs       *string                 `toml:"blobs"`
	Key         *string                 `toml:"key"`
	Budget      *amount                 `toml:"budget"`
	Policy      *string                 `toml:"policy"`
	Mode        *string                 `toml:"mode"`
	Recall      *string                 `toml:"recall"`
	Users       *string                 `toml:"users"`
	Grace       *string                 `toml:"grace"`
	Drain       *string                 `toml:"drain"`
	JSON        *bool                   `toml:"json"`
	CachePoints *bool                   `toml:"cache-points"`
	Notes       *bool                   `toml:"notes"`
	MaxImages   *int                    `toml:"max-images"`
	MaxBytes    *amount                 `toml:"max-bytes"`
	OTLP        *string                 `toml:"otlp"`
	Thinking    *string                 `toml:"thinking"`
	Native      *string                 `toml:"native"`
	Durability  *string                 `toml:"durability"`
	SummaryURL  *string                 `toml:"summary-url"`
	SummaryName *string                 `toml:"summary-model"`
	SummaryOwn  *bool                   `toml:"summary-native"`
	Models      *string                 `toml:"models"`
	Events      *string                 `toml:"events"`
	Hook        *string                 `toml:"hook"`
	Root        *string                 `toml:"root"`
	Credentials []string                `toml:"credential-header"`
	UserHeaders []string                `toml:"user-header"`
	MaxHeld     *amount                 `toml:"max-held"`
	HeldTimeout *string                 `toml:"held-timeout"`
	BodyTimeout *string                 `toml:"body-timeout"`
	IdleTimeout *string                 `toml:"idle-timeout"`
	MaxMessages *int                    `toml:"max-messages"`
	MaxThreads  *int                    `toml:"max-threads"`
	MaxStored   *amount                 `toml:"max-stored"`
	AllowHost   []string                `toml:"allow-host"`
	AllowOrigin []string                `toml:"allow-origin"`
	AllowRead   []string                `toml:"allow-read"`
	Upstream    upstreamConfig          `toml:"upstream"`
	ModelTables map[string]modelConfig  `toml:"model"`
	Tools       map[string]toolConfig   `toml:"tool"`
	Tenants     map[string]tenantConfig `toml:"tenant"`

	path   string
	setups map[string]policyfile.Setup // by credential, of tenants with a policy
}

// amount is a number of tokens or bytes as a flag is written: 64000 or "64k".
type amount string

// UnmarshalText takes a text or a number as the file has it; 64_000 is one, too.
func (a *amount) UnmarshalText(text []byte) error {
	*a = amount(strings.ReplaceAll(string(text), "_", ""))
	return nil
}

// text is an amount as a flag's value; nil for none.
func (a *amount) text() *string { return (*string)(a) }

type upstreamConfig struct {
	OpenAI    *string `toml:"openai"`
	Anthropic *string `toml:"anthropic"`
	Gemini    *string `toml:"gemini"`
}

// modelConfig is a model that the table does not know, or knows differently.
type modelConfig struct {
	Like       string       `toml:"like"` // the model whose numbers it starts from
	Provider   *string      `toml:"provider"`
	Window     *int         `toml:"window"`
	Input      *int         `toml:"input"`
	Output     *int         `toml:"output"`
	Encoding   *string      `toml:"encoding"`
	Scale      *float64     `toml:"scale"`
	Thinking   *string      `toml:"thinking"`
	Images     *int         `toml:"images"`
	Bytes      *int         `toml:"bytes"`
	Price      *priceConfig `toml:"price"`
	Above      *int         `toml:"above"`
	PriceAbove *priceConfig `toml:"price-above"`
	Cache      *cacheConfig `toml:"cache"`
}

type priceConfig struct {
	In        float64 `toml:"in"`
	Out       float64 `toml:"out"`
	Read      float64 `toml:"read"`
	Write     float64 `toml:"write"`
	WriteLong float64 `toml:"write-long"`
}

type cacheConfig struct {
	Explicit    bool   `toml:"explicit"`
	Minimum     int    `toml:"minimum"`
	Step        int    `toml:"step"`
	Breakpoints int    `toml:"breakpoints"`
	LookBack    int    `toml:"look-back"`
	TTL         string `toml:"ttl"`
	LongTTL     string `toml:"long-ttl"`
}

// toolConfig says how results of a tool may be treated.
type toolConfig struct {
	Durability    string   `toml:"durability"`
	Preserve      []string `toml:"preserve"`
	ExternalizeAt int      `toml:"externalize-at"`
	Sensitivity   string   `toml:"sensitivity"`
	TTL           string   `toml:"ttl"`
}

// Error is a mistake in a file.
type Error struct {
	Path string
	// Line counts from 1; 0 where it is not known. Field is where the value stands,
	// like model.mine.window; "" where Line says it.
	Line  int
	Field string
	Err   error
}

func (e *Error) Error() string {
	at := e.Path
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
	}
	if e.Field != "" {
		at += ": " + e.Field
	}
	return fmt.Sprintf("read config %s: %v", at, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Read reads a file. Its mistakes are an *Error.
func Read(path string) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read config: %w", err)
	}
	return Parse(path, data)
}

// Parse is Read of a file that holds data; paths in it are beside path.
func Parse(path string, data []byte) (*Config, error) {
	c := &Config{path: path}
	d := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		line, err := located(err)
		return nil, &Error{Path: path, Line: line, Err: err}
	}
	field, err := emptyField(data)
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	if field != "" {
		return nil, c.wrong(field, "%w", errEmpty)
	}
	return c, nil
}

// located is an error of the parser with its line and the field it is about.
func located(err error) (int, error) {
	var strict *toml.StrictMissingError
	var one *toml.DecodeError
	switch {
	case errors.As(err, &strict) && len(strict.Errors) > 0:
		line, _ := strict.Errors[0].Position()
		return line, fmt.Errorf("unknown field %s", strings.Join(strict.Errors[0].Key(), "."))
	case errors.As(err, &one):
		line, _ := one.Position()
		why := plain(strings.TrimPrefix(one.Error(), "toml: "))
		if key := strings.Join(one.Key(), "."); key != "" {
			why = key + ": " + why
		}
		return line, errors.New(why)
	}
	return 0, err
}

// mismatch finds the parser's words for a value of a wrong kind: that of the file, and the
// Go type that it was to become.
var mismatch = regexp.MustCompile(`^cannot decode TOML (\w+) into (?:.* of type )?(\S+)$`)

// plain is an error of the parser without the names of this program's types.
func plain(why string) string {
	m := mismatch.FindStringSubmatch(why)
	if m == nil {
		return why
	}
	want := "a table"
	switch kind := strings.TrimLeft(m[2], "*"); {
	case kind == "string":
		want = "a text in quotes"
	case strings.HasPrefix(kind, "[]"):
		want = "a list"
	case kind == "bool":
		want = "true or false"
	case kind == "int":
		want = "a whole number"
	case kind == "float64":
		want = "a number"
	case strings.HasSuffix(kind, ".amount"):
		want = "a number, or a text like \"64k\""
	}
	return fmt.Sprintf("want %s, got %s", want, map[string]string{
		"integer": "a whole number", "float": "a number", "boolean": "true or false", "string": "a text", "array": "a list",
		"table": "a table",
	}[m[1]])
}

// Setting is the value of a flag, as it would be written on a command line.
type Setting struct{ Field, Flag, Value string }

// Settings are the flags that the file sets. A nil Config sets none.
func (c *Config) Settings() []Setting {
	if c == nil {
		return nil
	}
	var all []Setting
	for _, s := range []struct {
		field, flag string
		value       *string
	}{
		{"listen", "listen", c.Listen},
		{"inspect", "inspect", c.Inspect},
		{"db", "db", c.beside(c.DB)},
		{"blobs", "blobs", c.beside(c.Blobs)},
		{"key", "key", c.beside(c.Key)},
		{"budget", "budget", c.Budget.text()},
		{"policy", "policy", c.policyBeside()},
		{"mode", "mode", c.Mode},
		{"recall", "recall", c.Recall},
		{"users", "users", c.Users},
		{"grace", "grace", c.Grace},
		{"drain", "drain", c.Drain},
		{"models", "models", c.beside(c.Models)},
		{"events", "events", c.beside(c.Events)},
		{"hook", "hook", c.Hook},
		{"root", "root", c.beside(c.Root)},
		{"upstream.openai", "upstream-openai", c.Upstream.OpenAI},
		{"upstream.anthropic", "upstream-anthropic", c.Upstream.Anthropic},
		{"upstream.gemini", "upstream-gemini", c.Upstream.Gemini},
		{"json", "json", spelt(c.JSON)},
		{"cache-points", "cache-points", spelt(c.CachePoints)},
		{"notes", "notes", spelt(c.Notes)},
		{"max-images", "max-images", spelt(c.MaxImages)},
		{"max-bytes", "max-bytes", c.MaxBytes.text()},
		{"otlp", "otlp", c.OTLP},
		{"thinking", "thinking", c.Thinking},
		{"native", "native", c.Native},
		{"durability", "durability", c.Durability},
		{"summary-url", "summary-url", c.SummaryURL},
		{"summary-model", "summary-model", c.SummaryName},
		{"summary-native", "summary-native", spelt(c.SummaryOwn)},
		{"credential-header", "credential-header", listed(c.Credentials)},
		{"user-header", "user-header", listed(c.UserHeaders)},
		{"max-held", "max-held", c.MaxHeld.text()},
		{"held-timeout", "held-timeout", c.HeldTimeout},
		{"body-timeout", "body-timeout", c.BodyTimeout},
		{"idle-timeout", "idle-timeout", c.IdleTimeout},
		{"max-messages", "max-messages", spelt(c.MaxMessages)},
		{"max-threads", "max-threads", spelt(c.MaxThreads)},
		{"max-stored", "max-stored", c.MaxStored.text()},
		{"allow-host", "allow-host", listed(c.AllowHost)},
		{"allow-origin", "allow-origin", listed(c.AllowOrigin)},
		{"allow-read", "allow-read", listed(c.AllowRead)},
	} {
		if s.value != nil {
			all = append(all, Setting{s.field, s.flag, *s.value})
		}
	}
	return all
}

// spelt writes a value as a flag is written.
func spelt[T any](v *T) *string {
	if v == nil {
		return nil
	}
	s := fmt.Sprint(*v)
	return &s
}

// listed writes a list as a flag is written; nil for none.
func listed(all []string) *string {
	if len(all) == 0 {
		return nil
	}
	s := strings.Join(all, ",")
	return &s
}

// beside is a path as seen from the file that names it; a URL is one from everywhere.
func (c *Config) beside(path *string) *string {
	if path == nil || filepath.IsAbs(*path) || strings.Contains(*path, "://") {
		return path
	}
	p := filepath.Join(filepath.Dir(c.path), *path)
	return &p
}

// policyBeside is the policy that the file names, a file as seen from it.
func (c *Config) policyBeside() *string {
	if c.Policy == nil || !policyfile.IsPath(*c.Policy) {
		return c.Policy
	}
	return c.beside(c.Policy)
}

// wrong is an error about a field.
func (c *Config) wrong(field, format string, args ...any) error {
	return &Error{Path: c.path, Field: field, Err: fmt.Errorf(format, args...)}
}

// Apply adds what has no flag to a proxy's options. A nil Config adds nothing.
func (c *Config) Apply(o *proxy.Options) (err error) {
	if c == nil {
		return nil
	}
	own, err := c.policies()
	if err != nil {
		return err
	}
	if o.Engine.Tools = maps.Clone(o.Engine.Tools); o.Engine.Tools == nil { // a policy's file has some, too
		o.Engine.Tools = map[string]tool.Policy{}
	}
	maps.Copy(o.Engine.Tools, own)
	if o.Tenancy.Named, err = c.tenants(own); err != nil {
		return err
	}
	ms, err := c.models(o.Models)
	if len(ms) > 0 {
		o.Models = o.Models.With(ms...)
	}
	return err
}

func (c *Config) policies() (map[string]tool.Policy, error) {
	all := map[string]tool.Policy{}
	for _, name := range slices.Sorted(maps.Keys(c.Tools)) { // so that the same mistake is told each time
		t := c.Tools[name]
		p := tool.Policy{
			Durability: tool.Durability(t.Durability), Preserve: t.Preserve, ExternalizeAt: t.ExternalizeAt,
			Sensitivity: t.Sensitivity,
		}
		field := "tool." + name
		var bad *tool.FieldError
		if errors.As(p.Validate(), &bad) {
			return nil, c.wrong(field+"."+strings.ReplaceAll(bad.Field, "_", "-"), "%w", bad.Err)
		}
		if err := artifact.Sensitivity(t.Sensitivity).Validate(); err != nil {
			return nil, c.wrong(field+".sensitivity", "%w", err)
		}
		if err := c.duration(&p.TTL, field+".ttl", t.TTL); err != nil {
			return nil, err
		}
		all[name] = p
	}
	return all, nil
}

func (c *Config) duration(to *time.Duration, field, s string) (err error) {
	if s == "" {
		return nil
	}
	if *to, err = time.ParseDuration(s); err != nil || *to < 0 {
		return c.wrong(field, "%q: not a time, like 5m or 24h", s)
	}
	return nil
}

// models are the file's own, on top of a table.
func (c *Config) models(table *model.Table) (all []model.Model, err error) {
	for _, name := range slices.Sorted(maps.Keys(c.ModelTables)) {
		m := c.ModelTables[name]
		field := "model." + name
		base, _ := table.Lookup(name)
		if m.Like != "" {
			var ok bool
			if base, ok = table.Lookup(m.Like); !ok {
				return nil, c.wrong(field+".like", "unknown model %q", m.Like)
			}
		}
		base.Name, base.Guess, base.Like = name, false, ""
		if err := c.model(&base, field, m); err != nil {
			return nil, err
		}
		if err := base.Validate(); err != nil {
			return nil, c.wrong(field, "%w", err)
		}
		all = append(all, base)
	}
	return all, nil
}

// model changes what the file states of a model.
func (c *Config) model(to *model.Model, field string, m modelConfig) error {
	put(&to.Provider, m.Provider)
	put(&to.Window, m.Window)
	if m.Window != nil {
		to.Input = 0
	}
	put(&to.Input, m.Input)
	put(&to.Output, m.Output)
	if m.Scale != nil {
		to.Encoding = "" // else nothing would be scaled
	}
	put(&to.Encoding, m.Encoding)
	put(&to.Scale, m.Scale)
	put(&to.Images, m.Images)
	put(&to.Bytes, m.Bytes)
	put(&to.Above, m.Above)
	if m.Thinking != nil {
		to.Thinking = model.Thinking(*m.Thinking)
	}
	if m.Price != nil {
		to.Price, to.Above, to.PriceAbove = model.Price(*m.Price), 0, model.Price{}
		put(&to.Above, m.Above)
	}
	if m.PriceAbove != nil {
		to.PriceAbove = model.Price(*m.PriceAbove)
	}
	if m.Cache == nil {
		return nil
	}
	to.Cache = model.Cache{
		Explicit: m.Cache.Explicit, Minimum: m.Cache.Minimum, Step: m.Cache.Step,
		Breakpoints: m.Cache.Breakpoints, LookBack: m.Cache.LookBack,
	}
	return errors.Join(
		c.duration(&to.Cache.TTL, field+".cache.ttl", m.Cache.TTL),
		c.duration(&to.Cache.LongTTL, field+".cache.long-ttl", m.Cache.LongTTL))
}

func put[T any](to, v *T) {
	if v != nil {
		*to = *v
	}
}
