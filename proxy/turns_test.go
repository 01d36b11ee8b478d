package proxy

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

// Requests with many messages are prepared one at a time, and tenants take turns; others
// never wait.
func TestLargeRequestsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h heavy
		var order []string
		first, err := h.turn(t.Context(), "a", maxLight+1)
		if err != nil {
			t.Fatal(err)
		}
		for _, who := range []string{"a", "a", "b"} {
			go func() {
				end, err := h.turn(t.Context(), who, maxLight+1)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, who)
				end()
			}()
			synctest.Wait()
		}
		if light, err := h.turn(t.Context(), "b", maxLight); err != nil {
			t.Error(err)
		} else {
			light()
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.turn(gone, "c", maxLight+1); err == nil {
			t.Error("who has left got a turn")
		}
		first()
		synctest.Wait()
		if !slices.Equal(order, []string{"b", "a", "a"}) {
			t.Errorf("order %v", order)
		}
	})
}
