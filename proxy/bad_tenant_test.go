package proxy_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
)

// An owner that cannot be is named by its name, never by what stands where its credential
// belongs: that may be a key.
//
// SPEC: B6
func TestNoKeyInAnErrorAboutATenant(t *testing.T) {
	const key = "sk-ant-api03-not-a-hash"
	hashed := strings.Repeat("0a", 12)
	for _, c := range []struct {
		name, at string
		owner    proxy.Tenant
		want     string
	}{
		{"a key in place of its hash", key, proxy.Tenant{Name: "research"}, "research"},
		{"no name", hashed, proxy.Tenant{}, "Name"},
		{"no name, and a key", key, proxy.Tenant{}, "Name"},
		{"a negative budget", hashed, proxy.Tenant{Name: "research", Budget: -1}, "Budget"},
		{"a negative quota and a key", key, proxy.Tenant{Name: "research", Quota: proxy.Quota{Bytes: -1}}, "Quota"},
	} {
		o := options("http://127.0.0.1:1")
		o.Tenancy = proxy.Tenancy{ByCredential: true, Named: map[string]proxy.Tenant{c.at: c.owner}}
		err := o.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), c.at) {
			t.Errorf("%s: error %v, want it to say %q and not what stands for the credential", c.name, err, c.want)
		}
	}
}
