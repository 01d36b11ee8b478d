package proxy

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A tenant's policy is its own.
//
// SPEC: B24
func TestTenantsHavePolicies(t *testing.T) {
	p, err := policy.Named("session")
	if err != nil {
		t.Fatal(err)
	}
	e, err := newEngines(precis.Options{Store: memory.New()}, map[string]Tenant{strings.Repeat("0", 24): {Name: "team", Policy: &p}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	m, _ := model.Lookup("gpt-4.1")
	team, err := e.of("team")
	if err != nil || team.Budget(m) != m.Cap() {
		t.Errorf("the tenant's budget is not that of its policy: %v", err)
	}
	if other, err := e.of("other"); err != nil || other.Budget(m) != m.SoftThreshold() {
		t.Errorf("another tenant's is: %v", err)
	}
}
