//go:build unix

package precis_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

// Two nodes over PostgreSQL take turns in serving two clients that send a logged
// conversation again: each is as stable as one alone.
//
// SPEC: B22, L17, B14
func TestRerunOverPostgreSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server")
	}
	url := migrated(t)
	var nodes [2]store.Store
	for i := range nodes {
		s, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		nodes[i] = s
	}
	rerunsAtOnce(t, "balanced", nodes)
}
