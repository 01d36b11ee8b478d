package proxy_test

import (
	"strings"
	"testing"
	"time"
)

// What is kept in memory of conversations that lie still is given back; one that goes on
// is kept, and one that was given back goes on from the store.
//
// SPEC: B6
func TestIdleMemoryIsGivenBack(t *testing.T) {
	a := apiNamed(t, "openai")
	up := newProvider(t)
	o := options(up.url)
	o.Tenancy.ByCredential = true
	f := serve(t, o)
	var all []*agent
	for _, key := range []string{"one", "two", "three"} {
		g := newAgent(t, a, f.url, false, "Authorization", "Bearer "+key)
		g.step()
		g.step()
		all = append(all, g)
	}
	kept := func(threads, histories string) {
		t.Helper()
		_, m := get(t, f.url+"/metrics")
		if !strings.Contains(m, "\nprecis_threads_kept "+threads+"\n") || !strings.Contains(m, "\nprecis_histories_kept "+histories+"\n") {
			t.Errorf("not %s threads and %s histories: %s", threads, histories, m)
		}
	}
	kept("3", "3")
	f.proxy.Age()
	all[0].step()
	kept("3", "3")
	f.proxy.Age()
	kept("1", "1")
	f.proxy.Age()
	kept("0", "0")
	for _, g := range all {
		g.step()
	}
	if got := up.requests(); breaks(t, a, got[len(got)-3:len(got)-2]) != 0 || len(f.threads(t, "")) != 0 {
		t.Error("a conversation did not go on")
	}
	kept("3", "3")
}

// The time is that of the options.
func TestIdleTimeout(t *testing.T) {
	a := apiNamed(t, "openai")
	up := newProvider(t)
	o := options(up.url)
	o.Limits.IdleTimeout = time.Millisecond
	f := serve(t, o)
	newAgent(t, a, f.url, false).step()
	for {
		if _, m := get(t, f.url+"/metrics"); strings.Contains(m, "\nprecis_threads_kept 0\n") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
