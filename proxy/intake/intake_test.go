package intake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func body(t *testing.T, n int) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x/", bytes.NewReader(make([]byte, n)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Bytes count when they come and until they are released; one body gets on whatever
// it takes, the others wait, and a body that leaves lets the next one in.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := New(Limits{Most: 100, Wait: time.Second})
		first, releaseFirst := in.Held(body(t, 80), 1000)
		second, releaseSecond := in.Held(body(t, 500), 1000)
		third, releaseThird := in.Held(body(t, 50), 1000)
		defer releaseThird()
		for _, r := range []*http.Request{first, second} {
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		if _, err := io.ReadAll(third.Body); !errors.Is(err, ErrFull) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		releaseSecond()
		releaseFirst()
		fourth, releaseFourth := in.Held(body(t, 100), 1000)
		fifth, releaseFifth := in.Held(body(t, 200), 0) // none of it counts
		for _, r := range []*http.Request{fourth, fifth} {
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Error(err)
			}
		}
		releaseFourth()
		releaseFifth()
		if in.held != 0 || in.exempt != nil {
			t.Errorf("%d bytes are held by nobody", in.held)
		}
	})
}

// Who waits for room and leaves is not waited for.
func TestLeaves(t *testing.T) {
	in := New(Limits{Most: 1, Wait: time.Hour})
	first, release := in.Held(body(t, 10), 10)
	defer release()
	_, _ = io.ReadAll(first.Body)
	r := body(t, 10)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	second, leave := in.Held(r.WithContext(ctx), 10)
	defer leave()
	if _, err := io.ReadAll(second.Body); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Memory goes back to the system when nothing large has been held for a while.
func TestGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := New(Limits{Most: 1 << 30, Wait: time.Second})
		gave := 0
		in.giveBack = func() { gave++ }
		for _, n := range []int{10, largePeak, 10} {
			r, release := in.Held(body(t, n), largePeak)
			_, _ = io.Copy(io.Discard, r.Body)
			release()
		}
		for range 2 {
			time.Sleep(2 * quietTime)
			synctest.Wait()
		}
		if gave != 1 {
			t.Errorf("given back %d times", gave)
		}
	})
}
