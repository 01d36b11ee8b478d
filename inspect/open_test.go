package inspect_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// slow is a store that takes its time to read one thread.
type slow struct {
	store.Store
	once         sync.Once
	asked, free  chan struct{}
	slows, fasts atomic.Int32 // readings of either thread
}

func (s *slow) Load(ctx context.Context, k store.Key) ([]thread.Entry, error) {
	if k.Thread != "slow" {
		s.fasts.Add(1)
		return s.Store.Load(ctx, k)
	}
	s.slows.Add(1)
	s.once.Do(func() { close(s.asked) })
	select {
	case <-s.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.Store.Load(ctx, k)
}

// A thread that is slow to read keeps nobody from another one, and whoever asks for it
// meanwhile shares the one reading.
func TestSlowThreadBlocksNoOther(t *testing.T) {
	s := &slow{Store: memory.New(), asked: make(chan struct{}), free: make(chan struct{})}
	for _, name := range []string{"slow", "fast"} {
		b := store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, "hello")}), Now: time.Now()}
		if _, err := s.Append(t.Context(), store.Key{Thread: name}, b); err != nil {
			t.Fatal(err)
		}
	}
	c := served(t, s, inspect.Options{})
	messages := func(name string) *http.Request {
		return c.request(http.MethodGet, "/api/v1/threads/"+name+"/messages", nil)
	}
	read := make(chan int, 2)
	for range 2 {
		r := messages("slow")
		go func() {
			resp, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				read <- 0
				return
			}
			_ = resp.Body.Close()
			read <- resp.StatusCode
		}()
	}
	<-s.asked
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	if resp, err := http.DefaultTransport.RoundTrip(messages("fast").WithContext(ctx)); err != nil {
		t.Error(err)
	} else {
		_ = resp.Body.Close()
	}
	close(s.free)
	for range 2 {
		if status := <-read; status != http.StatusOK {
			t.Errorf("the slow thread answers %d", status)
		}
	}
	if a, b := s.slows.Load(), s.fasts.Load(); a != b {
		t.Errorf("two who ask at once read it %d times, one %d times", a, b)
	}
}
