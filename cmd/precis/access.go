package main

import (
	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis/proxy"
)

// access are the flags that say who may call a proxy, and who callers are.
type access struct{ credentials, userHeaders, hosts, origins []string }

func (a *access) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&a.credentials, "credential-header", nil, "one more `header` that says who calls")
	f.StringSliceVar(&a.userHeaders, "user-header", nil, "`header` that says for which user of its own a caller asks")
	f.StringSliceVar(&a.hosts, "allow-host", nil, "`name` under which the proxy is reached, beside those of this machine")
	f.StringSliceVar(&a.origins, "allow-origin", nil, "`origin` of a page that may call the proxy: https://chat.example")
}

func (a *access) apply(o *proxy.Options) {
	o.Tenancy.Headers, o.Tenancy.UserHeaders = a.credentials, a.userHeaders
	o.Access = proxy.Access{Hosts: a.hosts, Origins: a.origins}
}
