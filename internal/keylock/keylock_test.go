package keylock

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestOneAtATime(t *testing.T) {
	var l Locks[string]
	counts := map[string]*int{"a": new(int), "b": new(int)}
	var all sync.WaitGroup
	for i := range 64 {
		k := []string{"a", "b"}[i%2]
		all.Go(func() {
			unlock, err := l.Lock(t.Context(), k)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			*counts[k]++ // the race detector sees two holders of one key
		})
	}
	all.Wait()
	if *counts["a"] != 32 || *counts["b"] != 32 || len(l.all.inUse) != 0 {
		t.Errorf("a %d, b %d, %d locks left", *counts["a"], *counts["b"], len(l.all.inUse))
	}
}

func TestOtherKeysDoNotWait(t *testing.T) {
	var l Locks[int]
	one, _ := l.Lock(t.Context(), 1)
	two, err := l.Lock(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	two()
	one()
}

func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Locks[string]
		unlock, _ := l.Lock(t.Context(), "a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Lock(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("waiting ended with %v", err)
		}
		unlock()
		again, err := l.Lock(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		again()
		if len(l.all.inUse) != 0 {
			t.Errorf("%d locks left", len(l.all.inUse))
		}
	})
}

// Who waited finds what the first one left; who comes after the last does not.
func TestSharedValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Shared[string, int]
		_, unlock, _ := l.Lock(t.Context(), "a")
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				v, unlock, err := l.Lock(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				*v++
				unlock()
			})
		}
		synctest.Wait()
		unlock()
		all.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		v, unlock, err := l.Lock(ended, "a") // it is free
		if err != nil || *v != 0 {
			t.Fatalf("a new holder finds %v, %v", v, err)
		}
		unlock()
	})
}
