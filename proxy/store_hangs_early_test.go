package proxy_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/store/memory"
)

// All that a request asks of a store before it goes on shares one PrepareTimeout:
// whether its thread has begun, what the provider saw, the prompt.
//
// SPEC: V9
func TestStoreHangsBeforeTheRequestGoesOn(t *testing.T) {
	const patience = 2 * time.Second
	up := newProvider(t)
	s := &stuck{Store: memory.New()}
	o := options(up.url)
	o.Budget, o.Engine.Store, o.Limits.PrepareTimeout = budget, s, patience
	url := serve(t, o).url
	newAgent(t, apiNamed(t, "anthropic"), url, true).hangs() // the credential is accepted
	var came time.Time
	up.answer = func(http.ResponseWriter, *http.Request, string) bool {
		came = time.Now()
		s.on.Store(false)
		return false
	}
	s.on.Store(true)
	g := newAgent(t, apiNamed(t, "anthropic"), url, true, "X-Precis-Thread", "another")
	began := time.Now()
	g.hangs()
	if d := came.Sub(began); d < patience/2 || d > patience*7/4 {
		t.Errorf("the provider was asked after %v", d)
	}
}
