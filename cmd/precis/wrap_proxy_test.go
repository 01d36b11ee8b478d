package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Where the environment names a proxy, the agent is told that none leads to the one on this
// machine: it would ask the other proxy for this machine's address, in vain.
//
// SPEC: B6
func TestWrapLeadsAroundOtherProxies(t *testing.T) {
	for name, c := range map[string]struct {
		set  []string
		want []string // variables of the agent's
	}{
		"none":           {},
		"for https only": {set: []string{"HTTPS_PROXY=http://corp:3128"}},
		"a proxy":        {set: []string{"HTTP_PROXY=http://corp:3128"}, want: []string{"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1"}},
		"with exceptions": {
			set:  []string{"http_proxy=http://corp:3128", "no_proxy=.corp,10.0.0.1"},
			want: []string{"NO_PROXY=.corp,10.0.0.1,127.0.0.1", "no_proxy=.corp,10.0.0.1,127.0.0.1"},
		},
		"with other exceptions in each": {
			set:  []string{"ALL_PROXY=socks5://corp:1080", "no_proxy=a", "NO_PROXY=b"},
			want: []string{"NO_PROXY=b,127.0.0.1", "no_proxy=a,127.0.0.1"},
		},
		"an exception already":         {set: []string{"HTTP_PROXY=http://corp:3128", "NO_PROXY=localhost, 127.0.0.1"}, want: []string{"no_proxy=localhost, 127.0.0.1"}},
		"an exception that is like it": {set: []string{"HTTP_PROXY=http://corp:3128", "NO_PROXY=127.0.0.10", "no_proxy=127.0.0.1"}, want: []string{"NO_PROXY=127.0.0.10,127.0.0.1"}},
		"all are exceptions":           {set: []string{"HTTP_PROXY=http://corp:3128", "NO_PROXY=*", "no_proxy=*"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"} {
				t.Setenv(v, "")
			}
			for _, s := range c.set {
				v, value, _ := strings.Cut(s, "=")
				t.Setenv(v, value)
			}
			cmd, err := command("http://127.0.0.1:1", []string{"claude"}, false)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range cmd.Env[len(os.Environ()):] {
				if strings.HasPrefix(strings.ToUpper(s), "NO_PROXY=") {
					got = append(got, s)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the agent is told %q, want %q", got, c.want)
			}
		})
	}
}
