//go:build unix

package proxy_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/hostile"
	"github.com/seed-3db51b0e/precis/internal/tests3"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

// A blob store that takes connections and answers nothing holds nobody for ever: what is
// large is not logged, other conversations wait for that no longer than it takes to give it
// up, and with the next request the log is whole. It waits, so it is no test of the short
// forms.
//
// SPEC: V9, B14
func TestBlobStoreAnswersNothing(t *testing.T) {
	attack := hostile.Begin(t, "hungblobs", 0, 1)
	if attack.N == 0 {
		t.Skip("make hostile")
	}
	s3 := tests3.Start(t)
	c := newNodes(t, 1)
	p := c.all[0]
	p.kill()
	p.args = append(p.args, "--blobs", s3.URL())
	c.urls[0] = p.start()
	talk, other := &dialogue{thread: "talk"}, &dialogue{thread: "other"}
	turn := func(k *dialogue, large bool) {
		t.Helper()
		k.ask()
		if large {
			var noise strings.Builder
			for n := range 600 {
				fmt.Fprintf(&noise, "%x", sha256.Sum256([]byte{byte(n), byte(n >> 8), byte(k.answered)}))
			}
			last := len(k.messages) - 1
			k.messages[last] = strings.Replace(k.messages[last], "; ", "; "+noise.String()+" ", 1)
		}
		if err := c.send(t.Context(), c.urls[0], k); err != nil {
			t.Fatal(err)
		}
		k.said()
	}
	turn(talk, true)
	turn(other, false)
	s3.Pause()
	turn(talk, true)
	turn(other, false)
	s3.Continue()
	turn(talk, false)
	blobs, err := blob.Open(t.Context(), s3.URL())
	check(t, err)
	s, err := postgres.Open(t.Context(), c.server.URL("postgres"), postgres.Options{Blobs: blobs})
	check(t, err)
	defer func() { check(t, s.Close()) }()
	for _, k := range []*dialogue{talk, other} {
		es, err := s.Load(t.Context(), store.Key{Thread: k.thread})
		check(t, err)
		if len(es) != 2*k.answered-1 {
			t.Errorf("%s: %d of %d messages", k.thread, len(es), 2*k.answered-1)
		}
	}
	n := c.missing(s, []*dialogue{talk, other})
	if n > 0 {
		t.Errorf("%d missing", n)
	}
	attack.Found("%d answers while it answered nothing; %d missing afterwards", 2, n)
}
