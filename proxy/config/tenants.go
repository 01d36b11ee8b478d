package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/policy/policyfile"
	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/tool"
)

// tenantConfig gives a credential's owner a name, a budget and a quota.
type tenantConfig struct {
	Credential string `toml:"credential"`
	Budget     amount `toml:"budget"`
	MaxThreads int    `toml:"max-threads"`
	MaxStored  amount `toml:"max-stored"`
	Policy     string `toml:"policy"` // a name, or a file beside this one
	// AllowRead are the levels that the owner's model may read; nil is everybody's.
	AllowRead []string `toml:"allow-read"`
}

// Setup is the policy file of a credential's owner, if it has one of its own.
func (c *Config) Setup(credential string) (policyfile.Setup, bool) {
	if c == nil {
		return policyfile.Setup{}, false
	}
	s, ok := c.setups[credential]
	return s, ok
}

// tenants are the owners of credentials. tools are the file's own, which go before those
// of a policy.
func (c *Config) tenants(tools map[string]tool.Policy) (map[string]proxy.Tenant, error) {
	all := map[string]proxy.Tenant{}
	c.setups = map[string]policyfile.Setup{}
	for _, name := range slices.Sorted(maps.Keys(c.Tenants)) {
		t, field := c.Tenants[name], "tenant."+name
		if strings.TrimSpace(name) == "" {
			return nil, c.wrong("tenant", "a tenant needs a name")
		}
		if !proxy.IsCredential(t.Credential) {
			return nil, c.wrong(field+".credential", "it is not what precis tenant prints") // it may be a key: it is not repeated
		}
		if _, taken := all[t.Credential]; taken {
			return nil, c.wrong(field+".credential", "another tenant has the same credential")
		}
		owner, err := c.tenant(field, t)
		if err != nil {
			return nil, err
		}
		owner.Name = name
		setup, err := c.policy(field+".policy", t.Policy)
		if err != nil {
			return nil, err
		}
		if setup != nil {
			c.setups[t.Credential] = *setup
			owner.Policy, owner.Engine = &setup.Policy, engineOf(*setup, tools)
		}
		all[t.Credential] = owner
	}
	return all, nil
}

// tenant is what a table says of a tenant beside its policy.
func (c *Config) tenant(field string, t tenantConfig) (owner proxy.Tenant, err error) {
	if owner.Budget, err = c.number(field+".budget", t.Budget, "a token count, like 64k"); err != nil {
		return owner, err
	}
	stored, err := c.number(field+".max-stored", t.MaxStored, "a number of bytes, like 500m")
	if err != nil {
		return owner, err
	}
	if t.MaxThreads < 0 {
		return owner, c.wrong(field+".max-threads", "must not be negative, got %d", t.MaxThreads)
	}
	owner.Quota = proxy.Quota{Threads: t.MaxThreads, Bytes: int64(stored)}
	if owner.Permissions, err = Permissions(t.AllowRead); err != nil {
		return owner, c.wrong(field+".allow-read", "%w", err)
	}
	return owner, nil
}

// number is an amount that a field states, 0 for none; want says what it is to be.
func (c *Config) number(field string, a amount, want string) (n int, err error) {
	if a == "" {
		return 0, nil
	}
	if n, err = token.ParseAmount(string(a)); err != nil {
		return 0, c.wrong(field, "%q: not %s", a, want)
	}
	return n, nil
}

// Levels are the sensitivities that take a permission to read.
var Levels = []string{string(artifact.Confidential), string(artifact.Restricted)}

// Permissions are those that open content of some Levels.
func Permissions(levels []string) (all []string, err error) {
	for _, l := range levels {
		if !slices.Contains(Levels, l) {
			return nil, fmt.Errorf("unknown level %q: there are %s", l, strings.Join(Levels, ", "))
		}
		all = append(all, artifact.Sensitivity(l).Permission())
	}
	return all, nil
}

// engineOf takes what goes with a policy: nothing is left of what goes with everybody's.
func engineOf(s policyfile.Setup, tools map[string]tool.Policy) func(*precis.Options) {
	all := s.ToolPolicies()
	if all == nil {
		all = map[string]tool.Policy{}
	}
	maps.Copy(all, tools)
	return func(o *precis.Options) {
		o.Rehydrate, o.Tools, o.NoFallback = s.Rehydration, all, s.Summary.NoFallback()
	}
}

// policy is a tenant's; nil is everybody's.
func (c *Config) policy(field, name string) (*policyfile.Setup, error) {
	switch {
	case name == "":
		return nil, nil
	case policyfile.IsPath(name):
		s, err := policyfile.Read(*c.beside(&name))
		if err != nil {
			return nil, c.wrong(field, "%w", err)
		}
		return &s, nil
	}
	p, err := policy.Named(name)
	if err != nil {
		return nil, c.wrong(field, "%w: there are %s", err, strings.Join(policy.Names(), ", "))
	}
	return &policyfile.Setup{Policy: p}, nil
}
