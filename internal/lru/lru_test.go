package lru_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/internal/lru"
)

func keys(c *lru.Cache[string, int]) (ks []string) {
	for k := range c.All() {
		ks = append(ks, k)
	}
	return ks
}

func TestLeastRecentlyUsedLeaves(t *testing.T) {
	var left []string
	c := &lru.Cache[string, int]{MaxEntries: 3, Evicted: func(k string, _ int) { left = append(left, k) }}
	for i, k := range []string{"a", "b", "c"} {
		c.Set(k, i, 1)
	}
	if v, ok := c.Get("a"); v != 0 || !ok {
		t.Fatal(v, ok)
	}
	c.Peek("b") // is no use
	c.Edit("b", func(v *int) { *v = 9 })
	c.Set("d", 3, 1)
	if !slices.Equal(left, []string{"b"}) || !slices.Equal(keys(c), []string{"d", "a", "c"}) {
		t.Fatalf("left %v, kept %v", left, keys(c))
	}
}

func TestBytes(t *testing.T) {
	c := &lru.Cache[string, int]{MaxBytes: 10}
	c.Set("a", 1, 4)
	c.Set("b", 2, 4)
	c.Set("a", 1, 7) // heavier than it was: the other leaves
	if s := c.Stats(); s.Bytes != 7 || s.Entries != 1 {
		t.Fatalf("%+v", s)
	}
	c.Update("a", func(v, bytes int) (int, int) { return v + 1, bytes - 5 })
	c.Update("c", func(v, bytes int) (int, int) { return v + 5, bytes + 8 })
	if v, _ := c.Peek("c"); v != 5 || !slices.Equal(keys(c), []string{"c", "a"}) {
		t.Fatalf("c is %d, kept %v", v, keys(c))
	}
	c.Set("huge", 0, 100)
	if s := c.Stats(); s.Bytes != 100 || s.Entries != 1 {
		t.Fatalf("the entry set last does not stay alone: %+v", s)
	}
	c.Set("d", 0, 1)
	if !slices.Equal(keys(c), []string{"d"}) {
		t.Fatalf("kept %v", keys(c))
	}
	c.Clear()
	if s := c.Stats(); s.Bytes != 0 || s.Entries != 0 || len(keys(c)) != 0 {
		t.Fatalf("%+v after Clear", s)
	}
}

func TestCounts(t *testing.T) {
	var c lru.Cache[string, int]
	c.Get("a")
	c.Set("a", 1, 2)
	c.Get("a")
	if _, ok := c.GetIf("a", func(v int) bool { return v == 2 }); ok {
		t.Fatal("a value that is not valid was returned")
	}
	if v, ok := c.Remove("a"); v != 1 || !ok {
		t.Fatal(v, ok)
	}
	if _, ok := c.Remove("a"); ok || c.Edit("a", func(*int) {}) {
		t.Fatal("a removed entry is there")
	}
	if s := c.Stats(); s != (lru.Stats{Hits: 1, Misses: 2}) {
		t.Fatalf("%+v", s)
	}
}

func TestGetOrMake(t *testing.T) {
	c := &lru.Cache[string, int]{MaxEntries: 2}
	failure := errors.New("no")
	if _, err := c.GetOrMake("a", func() (int, int, error) { return 0, 0, failure }); !errors.Is(err, failure) || c.Stats().Entries != 0 {
		t.Fatalf("%v, %+v", err, c.Stats())
	}
	made := 0
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			v, err := c.GetOrMake("a", func() (int, int, error) { made++; return made, 1, nil })
			if v != 1 || err != nil {
				t.Error(v, err)
			}
		})
	}
	all.Wait()
	if made != 1 {
		t.Errorf("made %d times", made)
	}
}

// A panic of a caller's function leaves the cache usable.
func TestPanic(t *testing.T) {
	var c lru.Cache[string, int]
	func() {
		defer func() { _ = recover() }()
		c.Update("a", func(int, int) (int, int) { panic("no") })
	}()
	c.Set("a", 1, 1)
	if v, ok := c.Get("a"); v != 1 || !ok {
		t.Fatal(v, ok)
	}
}

// After each step the cache agrees with a slice that is kept by hand.
func TestAgreesWithModel(t *testing.T) {
	type one struct {
		k    string
		v, b int
	}
	rapid.Check(t, func(t *rapid.T) {
		entries, bytes := rapid.IntRange(0, 4).Draw(t, "entries"), rapid.IntRange(0, 20).Draw(t, "bytes")
		c := &lru.Cache[string, int]{MaxEntries: entries, MaxBytes: bytes}
		var model []one // most recently used first
		find := func(k string) int { return slices.IndexFunc(model, func(x one) bool { return x.k == k }) }
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			k := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}).Draw(t, "key")
			at := find(k)
			switch rapid.SampledFrom([]string{"set", "get", "remove"}).Draw(t, "step") {
			case "set":
				x := one{k, i, rapid.IntRange(0, 25).Draw(t, "weight")}
				if at >= 0 {
					model = slices.Delete(model, at, at+1)
				}
				model = slices.Insert(model, 0, x)
				c.Set(k, x.v, x.b)
			case "get":
				v, ok := c.Get(k)
				if ok != (at >= 0) || ok && v != model[at].v {
					t.Fatalf("get %s: %d, %v", k, v, ok)
				}
				if ok {
					x := model[at]
					model = slices.Insert(slices.Delete(model, at, at+1), 0, x)
				}
			case "remove":
				if _, ok := c.Remove(k); ok != (at >= 0) {
					t.Fatalf("remove %s: %v", k, ok)
				}
				if at >= 0 {
					model = slices.Delete(model, at, at+1)
				}
			}
			sum := func() (n int) {
				for _, x := range model {
					n += x.b
				}
				return n
			}
			for len(model) > 1 && (entries > 0 && len(model) > entries || bytes > 0 && sum() > bytes) {
				model = model[:len(model)-1]
			}
			var want []string
			for _, x := range model {
				want = append(want, x.k)
			}
			if s := c.Stats(); !slices.Equal(keys(c), want) || s.Bytes != sum() || s.Entries != len(model) {
				t.Fatalf("kept %v (%+v), want %v", keys(c), s, want)
			}
		}
	})
}

// What was not used between two calls of Age leaves; Peek and Edit are no use.
func TestAge(t *testing.T) {
	c := &lru.Cache[string, int]{}
	for i, k := range []string{"a", "b", "c", "d"} {
		c.Set(k, i, 10)
	}
	if left := c.Age(); left != 4 {
		t.Errorf("%d left of what was just set", left)
	}
	c.Get("a")
	c.Update("b", func(v, bytes int) (int, int) { return v, bytes })
	c.Peek("c")
	c.Edit("d", func(*int) {})
	if left := c.Age(); left != 2 || !slices.Equal(keys(c), []string{"b", "a"}) || c.Stats().Bytes != 20 {
		t.Errorf("%d left: %v, %+v", left, keys(c), c.Stats())
	}
	if left := c.Age(); left != 0 {
		t.Errorf("%d left", left)
	}
}
