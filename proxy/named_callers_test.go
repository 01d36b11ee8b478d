package proxy

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// An owner is known by its key in whichever place a client may put it: in a header that
// the operator declared, beside others, and in the address.
//
// SPEC: B6
func TestOwnersAreKnownByTheirKey(t *testing.T) {
	named := map[string]Tenant{
		Credential(http.Header{"X-Our-Key": {"ours"}}, "X-Our-Key"): {Name: "gateway"},
		Credential(http.Header{"X-Goog-Api-Key": {"google"}}):       {Name: "gemini"},
		Credential(http.Header{"X-Api-Key": {"claude"}}):            {Name: "anthropic"},
	}
	o := Options{Tenancy: Tenancy{ByCredential: true, Named: named, Headers: []string{"x-our-key"}}}
	for name, c := range map[string]struct {
		headers []string
		query   string
		want    string // "" for nobody with a name
	}{
		"a declared header":                      {[]string{"X-Our-Key", "ours"}, "", "gateway"},
		"a declared header, a provider's beside": {[]string{"X-Our-Key", "ours", "Authorization", "Bearer shared"}, "", "gateway"},
		"a declared header, a named key beside":  {[]string{"X-Our-Key", "ours", "X-Api-Key", "claude"}, "", "gateway"},
		"another key in that header":             {[]string{"X-Our-Key", "theirs", "Authorization", "Bearer shared"}, "", ""},
		"a known header":                         {[]string{"X-Api-Key", "claude", "Cookie", "a=b"}, "", "anthropic"},
		"Google's header":                        {[]string{"X-Goog-Api-Key", "google"}, "", "gemini"},
		"Google's key in the address":            {nil, "?alt=sse&key=google", "gemini"},
		"another key in the address":             {nil, "?key=googles", ""},
		"no key":                                 {nil, "", ""},
	} {
		r := httptest.NewRequest(http.MethodPost, "/v1beta/models/m:generateContent"+c.query, nil)
		for i := 0; i < len(c.headers); i += 2 {
			r.Header.Set(c.headers[i], c.headers[i+1])
		}
		if got := o.owner(r).Name; got != c.want && (c.want != "" || !IsCredential(got)) {
			t.Errorf("%s: the owner is %q, want %q", name, got, c.want)
		}
	}
}
