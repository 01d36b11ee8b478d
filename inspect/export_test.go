package inspect_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/store"
)

// unwrapped is a store that cannot read the request around a thread's messages.
type unwrapped struct{ store.Store }

func (unwrapped) Envelope(context.Context, store.Key) ([]byte, error) {
	return nil, errors.New("no such page")
}

// A request whose envelope cannot be read is not exported as if it had none.
//
// SPEC: V9
func TestExportWithoutItsEnvelopeFails(t *testing.T) {
	s := simulated(t, "t", 16_000)
	for raw, want := range map[string]int{"": http.StatusOK, "?raw": http.StatusInternalServerError} {
		c := served(t, unwrapped{s}, inspect.Options{})
		resp := c.do(c.request(http.MethodGet, "/api/v1/threads/t/export"+raw, nil))
		if text := body(t, resp); resp.StatusCode != want || want != http.StatusOK && strings.Contains(text, `"role"`) {
			t.Errorf("export%s answers %d: %.200s", raw, resp.StatusCode, text)
		}
	}
}
