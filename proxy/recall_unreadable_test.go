package proxy_test

import (
	"net/http"
	"testing"
)

// What comes after a look-up and is no answer reaches the client as it is, and is
// not taken for the end of an answer with nothing in it.
//
// SPEC: B8, V9
func TestUnreadableAfterLookUp(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			o := options(up.url)
			o.Budget = budget
			f := serve(t, o)
			g := newAgent(t, a, f.url, false)
			g.lines = 16
			planned(t, up, g)
			const page = "<html>maintenance</html>"
			round := 0
			up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
				if round++; round == 1 {
					up.send(w, "application/json", line{calls: [][3]string{look("r1", `{"query":"part1"}`)}}.whole(a, 1))
					return true
				}
				up.send(w, "text/html", page)
				return true
			}
			if _, text := post(t, g.url, g.body()); text != page || round != 2 {
				t.Errorf("%d requests, the client got %s", round, text)
			}
		})
	}
}
