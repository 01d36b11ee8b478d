package main

import (
	"cmp"
	"os"

	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/proxy"
)

// upstreamAPI is a provider that the proxy sends requests to.
type upstreamAPI struct {
	name, title string
	url         string // of the provider itself
	variable    string // by which its clients are sent elsewhere
	version     string // what that variable holds after the address
	calls       map[string]proxy.Codec
}

// upstreamAPIs are all of them, the one first that requests of no known path go to.
var upstreamAPIs = [...]upstreamAPI{
	{"openai", "OpenAI", "https://api.openai.com", "OPENAI_BASE_URL", "/v1", map[string]proxy.Codec{
		"/v1/chat/completions": openai.Codec{}, "/v1/responses": responses.Codec{},
	}},
	{"anthropic", "Anthropic", "https://api.anthropic.com", "ANTHROPIC_BASE_URL", "", map[string]proxy.Codec{"/v1/messages": anthropic.Codec{}}},
	{"gemini", "Gemini", "https://generativelanguage.googleapis.com", "GOOGLE_GEMINI_BASE_URL", "", map[string]proxy.Codec{"/v1beta": gemini.Codec{}}},
}

// upstreamFlag begins the name of the flag for the address of a provider.
const upstreamFlag = "upstream-"

// upstreams are the addresses of the providers, in the order of upstreamAPIs.
type upstreams [len(upstreamAPIs)]string

// flags adds a flag for each address. from the environment, they are those that clients
// would send their requests to by themselves.
func (u *upstreams) flags(f *pflag.FlagSet, environment bool) {
	for i, api := range upstreamAPIs {
		url := api.url
		if environment {
			url = cmp.Or(os.Getenv(api.variable), url)
		}
		f.StringVar(&u[i], upstreamFlag+api.name, url, "`URL` of the "+api.title+" API")
	}
}

// providers are those that a proxy sends requests to; invalid words what is wrong with
// the address of one.
func (u *upstreams) providers(invalid func(name string, err error) error) ([]proxy.Provider, error) {
	var all []proxy.Provider
	for i, api := range upstreamAPIs {
		v := proxy.Provider{Name: api.name, URL: u[i], Calls: api.calls}
		if err := v.Validate(); err != nil {
			return nil, invalid(api.name, err)
		}
		all = append(all, v)
	}
	return all, nil
}
