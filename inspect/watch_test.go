package inspect_test

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// listed is a store that counts how often its threads are listed, and fails where it shall.
type listed struct {
	store.Store
	times atomic.Int32
	fails atomic.Bool
}

func (s *listed) Heads(ctx context.Context, tenant string) ([]store.Head, error) {
	s.times.Add(1)
	if s.fails.Load() {
		return nil, errors.New("the disk is gone")
	}
	return s.Store.Heads(ctx, tenant)
}

func (s *listed) begin(t *testing.T, name string) {
	t.Helper()
	b := store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, "hello")}), Now: time.Now()}
	if _, err := s.Append(t.Context(), store.Key{Thread: name}, b); err != nil {
		t.Fatal(err)
	}
}

// watching opens a page's stream of events.
func watching(t *testing.T, c *client) (*bufio.Scanner, context.CancelFunc) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	resp, err := http.DefaultClient.Do(c.request(http.MethodGet, "/api/v1/events", nil).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { leave(); _ = resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	lines.Scan()
	return lines, leave
}

// until reads a stream to the line that has a text, and returns what moved before.
func until(t *testing.T, lines *bufio.Scanner, text string) (before []string) {
	t.Helper()
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.Contains(line, text):
			return before
		case strings.HasPrefix(line, "data:"):
			before = append(before, line)
		}
	}
	t.Errorf("the stream ends without %q: %v", text, lines.Err())
	return before
}

// The threads are listed for all open pages together, and for none when the last has left;
// each page is told what moved, and only that.
//
// SPEC: B13
func TestPagesShareOneListing(t *testing.T) {
	s := &listed{Store: memory.New()}
	s.begin(t, "still")
	c, began := served(t, s, inspect.Options{}), time.Now()
	const pages = 12
	var streams [pages]*bufio.Scanner
	var leave [pages]context.CancelFunc
	for i := range streams {
		streams[i], leave[i] = watching(t, c)
	}
	for s.times.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	for _, name := range []string{"first", "second"} {
		time.Sleep(50 * time.Millisecond) // the listing that is under way ends
		s.begin(t, name)
		for _, lines := range streams {
			if before := until(t, lines, `"`+name+`"`); len(before) > 0 {
				t.Errorf("before %s it tells %q", name, before)
			}
		}
	}
	if got, most := int(s.times.Load()), 2+int(time.Since(began)/time.Second); got > most {
		t.Errorf("%d pages had the threads listed %d times, want at most %d", pages, got, most)
	}
	for _, left := range leave {
		left()
	}
	time.Sleep(100 * time.Millisecond)
	last := s.times.Load()
	time.Sleep(1500 * time.Millisecond)
	if got := s.times.Load(); got != last {
		t.Errorf("with no page open the threads were listed %d times more", got-last)
	}
	lines, _ := watching(t, c)
	time.Sleep(50 * time.Millisecond)
	s.begin(t, "third")
	if before := until(t, lines, `"third"`); len(before) > 0 {
		t.Errorf("a page that opens later is told %q", before)
	}
}

// Where the store fails the stream ends, so that the page says so and asks again.
func TestStreamEndsWithTheStore(t *testing.T) {
	s := &listed{Store: memory.New()}
	c := served(t, s, inspect.Options{})
	lines, _ := watching(t, c)
	s.fails.Store(true)
	for lines.Scan() { //nolint:revive // to its end
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream ends with %v", err)
	}
	s.fails.Store(false)
	lines, _ = watching(t, c)
	time.Sleep(50 * time.Millisecond)
	s.begin(t, "new")
	until(t, lines, `"new"`)
}
