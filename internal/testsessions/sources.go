package testsessions

// Files that the agent writes in the course of the story, and what tests
// print about them.

const raceTest = `package hold

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/turnstile/internal/seat"
)

// Many customers want one seat; exactly one gets it.
func TestPlaceOnce(t *testing.T) {
	const id = "@seat@"
	m, _ := newTestManager(t, seat.Seat{ID: id, ShowID: @show@, Status: seat.Free})
	var winners atomic.Int32
	var wg sync.WaitGroup
	start := make(chan struct{})
	for c := range int64(32) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-start
			_, err := m.Place(context.Background(), @show@, 100+c, []seat.ID{id})
			switch {
			case err == nil:
				winners.Add(1)
			case !errors.Is(err, seat.ErrTaken):
				t.Errorf("customer %d: %v", 100+c, err)
			}
		}()
	}
	close(start)
	wg.Wait()
	if n := winners.Load(); n != 1 {
		t.Fatalf("seat %s was held %d times", id, n)
	}
}
`

// raceOutput is the output of TestPlaceOnce; {line} is where it fails.
const raceOutput = `=== RUN   TestPlaceOnce
    {line}: seat @seat@ was held 3 times
--- FAIL: TestPlaceOnce (0.01s)
=== RUN   TestPlaceOnce
--- PASS: TestPlaceOnce (0.00s)
=== RUN   TestPlaceOnce
    {line}: seat @seat@ was held 2 times
--- FAIL: TestPlaceOnce (0.00s)
=== RUN   TestPlaceOnce
    {line}: seat @seat@ was held 5 times
--- FAIL: TestPlaceOnce (0.01s)
FAIL
FAIL	example.org/turnstile/internal/hold	0.482s
FAIL
`

const sweeperTest = `package hold

import (
	"context"
	"testing"
	"time"

	"example.org/turnstile/internal/seat"
)

// The sweeper gives the same answer wherever its clock stands.
func TestSweepInAnotherZone(t *testing.T) {
	m, st := newTestManager(t, seat.Seat{ID: "B-02-11", ShowID: 1, Status: seat.Free})
	utc := m.now()
	east := time.FixedZone("east", 3600)
	m.now = func() time.Time { return utc.In(east) }
	h, err := m.Place(context.Background(), 1, 5, []seat.ID{"B-02-11"})
	if err != nil {
		t.Fatal(err)
	}
	if h.ExpiresAt.Location() != time.UTC {
		t.Errorf("expiry is kept in %v", h.ExpiresAt.Location())
	}
	after := h.ExpiresAt.Add(time.Second)
	m.now = func() time.Time { return after.In(east) }
	n, err := m.sweepOnce(context.Background())
	if err != nil || n != 1 || len(st.holds) != 0 {
		t.Errorf("swept %d, %d left, err %v", n, len(st.holds), err)
	}
}
`

const gatewayTest = `package payment

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// gateway answers with the given codes, one after another, and remembers keys.
func gateway(t *testing.T, codes ...int) (*Client, *[]string) {
	t.Helper()
	var mu sync.Mutex
	var keys []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		code := codes[min(len(keys), len(codes)-1)]
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		w.WriteHeader(code)
		_, _ = w.Write([]byte(` + "`" + `{"id":"ch_1","amount_cents":4200}` + "`" + `))
	}))
	t.Cleanup(srv.Close)
	c := NewClient(srv.URL, "test")
	c.retry.First = time.Millisecond
	return c, &keys
}

func TestChargeSendsKey(t *testing.T) {
	c, keys := gateway(t, http.StatusCreated)
	ch, err := c.Charge(context.Background(), Charge{AmountCents: 4200, Currency: "EUR", Key: "ord_1"})
	if err != nil || ch.ID != "ch_1" {
		t.Fatalf("%+v, %v", ch, err)
	}
	if len(*keys) != 1 || (*keys)[0] != "ord_1" {
		t.Errorf("keys %q", *keys)
	}
}

func TestRetryKeepsKey(t *testing.T) {
	c, keys := gateway(t, http.StatusBadGateway, http.StatusBadGateway, http.StatusCreated)
	if _, err := c.Charge(context.Background(), Charge{Key: "ord_2"}); err != nil {
		t.Fatal(err)
	}
	for _, k := range *keys {
		if k != "ord_2" {
			t.Errorf("keys %q", *keys)
		}
	}
}

func TestDeclinedIsFinal(t *testing.T) {
	c, keys := gateway(t, http.StatusPaymentRequired)
	_, err := c.Charge(context.Background(), Charge{Key: "ord_3"})
	if !errors.Is(err, ErrDeclined) || len(*keys) != 1 {
		t.Errorf("%v after %d attempts", err, len(*keys))
	}
}
`

const offerSource = `package waitlist

import (
	"context"
	"errors"
	"fmt"
)

// Offer tells those who wait longest that n seats of a show are free. It stops
// at the first entry that does not fit, so that a large group is not passed by
// forever. It reports how many seats were offered.
func (q *Queue) Offer(ctx context.Context, show int64, n int) (int, error) {
	waiting, err := q.store.Waiting(ctx, show)
	if err != nil {
		return 0, fmt.Errorf("waitlist: offer: %w", err)
	}
	offered := 0
	var failed error
	for _, e := range waiting {
		if offered+e.Seats > n {
			break
		}
		now := q.now().UTC()
		if err := q.notify.SeatsFree(ctx, e.CustomerID, show, now.Add(q.offer)); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if err := q.store.MarkNotified(ctx, show, e.CustomerID, now); err != nil {
			return offered, fmt.Errorf("waitlist: offer: %w", err)
		}
		offered += e.Seats
	}
	return offered, failed
}
`

const offerTest = `package waitlist

import (
	"context"
	"testing"
	"time"
)

type memory struct {
	entries  []Entry
	notified []int64
}

func (m *memory) Join(_ context.Context, e Entry) error {
	m.entries = append(m.entries, e)
	return nil
}

func (m *memory) Waiting(context.Context, int64) ([]Entry, error) { return m.entries, nil }

func (m *memory) MarkNotified(_ context.Context, _, customer int64, at time.Time) error {
	for i := range m.entries {
		if m.entries[i].CustomerID == customer {
			m.entries[i].NotifiedAt = at
		}
	}
	return nil
}

func (m *memory) SeatsFree(_ context.Context, customer, _ int64, _ time.Time) error {
	m.notified = append(m.notified, customer)
	return nil
}

func TestOfferInOrder(t *testing.T) {
	m := &memory{}
	q := NewQueue(m, m, 10*time.Minute)
	for i, n := range []int{2, 4, 1} {
		if err := q.Join(context.Background(), 1, int64(i+1), n); err != nil {
			t.Fatal(err)
		}
	}
	n, err := q.Offer(context.Background(), 1, 3)
	if err != nil || n != 2 {
		t.Fatalf("offered %d, %v", n, err)
	}
	if len(m.notified) != 1 || m.notified[0] != 1 {
		t.Errorf("notified %v: the group of four must not be passed by", m.notified)
	}
}

func TestOfferOnce(t *testing.T) {
	m := &memory{}
	q := NewQueue(m, m, 10*time.Minute)
	_ = q.Join(context.Background(), 1, 9, 1)
	for range 3 {
		if _, err := q.Offer(context.Background(), 1, 5); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.notified) != 1 {
		t.Errorf("notified %d times", len(m.notified))
	}
}
`
