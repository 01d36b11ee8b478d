package browsertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// However deep branches of branches go, the list has all of them, within the window.
func TestDeepForksAreListed(t *testing.T) {
	const depth = 40
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	es := thread.Extend("", []message.Message{message.TextOf(message.User, "hi")})
	batch := store.Batch{Entries: es, Now: time.Now()}
	for i := range depth {
		if i > 0 {
			batch = store.Batch{ForkOf: fmt.Sprint("level", i-1), At: es[0].ID, Now: time.Now()}
		}
		if _, err := s.Append(t.Context(), store.Key{Thread: fmt.Sprint("level", i)}, batch); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, inspector(t, s, inspect.Options{}), screen{width: 360, height: 740, scale: 2}, "")
	p.until("all threads are listed", fmt.Sprintf("document.querySelectorAll('.threads tbody tr').length === %d", depth))
	if value[bool](p, "document.documentElement.scrollWidth > innerWidth") {
		t.Error("the list makes the page wider than the window")
	}
}
