package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/proxy/config"
)

// access are the flags that say who may call a proxy, and who callers are.
type access struct{ credentials, userHeaders, hosts, origins, levels []string }

func (a *access) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&a.credentials, "credential-header", nil, "one more `header` that says who calls")
	f.StringSliceVar(&a.userHeaders, "user-header", nil, "`header` that says for which user of its own a caller asks")
	f.StringSliceVar(&a.hosts, "allow-host", nil, "`name` under which the proxy is reached, beside those of this machine")
	f.StringSliceVar(&a.origins, "allow-origin", nil, "`origin` of a page that may call the proxy: https://chat.example")
	a.reading(f)
}

// reading is the flag that wrap has, too.
func (a *access) reading(f *pflag.FlagSet) {
	f.StringSliceVar(&a.levels, "allow-read", nil, "let the model read content of this `level` when it asks: "+strings.Join(config.Levels, ", "))
}

// headerHint is the advice for the name of a header.
const headerHint = "write it as X-Our-Key"

// apply takes what the flags say; where names the place of one for an error about it.
func (a *access) apply(o *proxy.Options, where func(flag string) string) error {
	var err error
	if o.Prompt.Permissions, err = config.Permissions(a.levels); err != nil {
		return usage("the levels are "+strings.Join(config.Levels, ", "), "read %s: %w", where("allow-read"), err)
	}
	for _, x := range []struct {
		flag, hint string
		of         interface{ Validate() error }
	}{
		{"allow-host", "write it as precis.example", proxy.Access{Hosts: a.hosts}},
		{"allow-origin", "write it as https://chat.example", proxy.Access{Origins: a.origins}},
		{"credential-header", headerHint, proxy.Tenancy{Headers: a.credentials}},
		{"user-header", "write it as X-User-Id", proxy.Tenancy{UserHeaders: a.userHeaders}},
	} {
		if err := x.of.Validate(); err != nil {
			return usage(x.hint, "read %s: %w", where(x.flag), err)
		}
	}
	o.Tenancy.Headers, o.Tenancy.UserHeaders = a.credentials, a.userHeaders
	o.Access = proxy.Access{Hosts: a.hosts, Origins: a.origins}
	return nil
}
