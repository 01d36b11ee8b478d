package mcp_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/mcp"
	"github.com/seed-3db51b0e/precis/store"
)

// Options that no call could be answered with are refused when a server is made, by the
// name of the field.
//
// SPEC: L20
func TestValidate(t *testing.T) {
	with := func(context.Context, func(store.Store) error) error { return nil }
	for want, o := range map[string]mcp.Options{
		"":                         {With: with, Max: 1},
		"mcp options: With is nil": {},
		"mcp options: Max must not be negative, got -1": {With: with, Max: -1},
	} {
		s, err := mcp.New(o)
		if got := fmt.Sprint(err); (err == nil) != (want == "") || err != nil && got != want || (s == nil) != (err != nil) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func server(t testing.TB, o mcp.Options) *mcp.Server {
	t.Helper()
	s, err := mcp.New(o)
	check(t, err)
	return s
}
