package thread_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

func calling(ids ...string) message.Message {
	m := message.Message{Role: message.Assistant}
	for _, id := range ids {
		m.Parts = append(m.Parts, message.Part{Kind: message.Call, CallID: id})
	}
	return m
}

func answering(ids ...string) message.Message {
	m := message.Message{Role: message.Tool}
	for _, id := range ids {
		m.Parts = append(m.Parts, message.Part{Kind: message.Result, CallID: id})
	}
	return m
}

func place(i, n int) thread.Place { return thread.Place{Index: i, Part: n} }

func TestPairs(t *testing.T) {
	for name, c := range map[string]struct {
		messages []message.Message
		want     []thread.Pair
	}{
		"a round":                  {[]message.Message{calling("a", "b"), answering("b", "a")}, []thread.Pair{{place(0, 1), place(1, 2)}, {place(0, 2), place(1, 1)}}},
		"an open call":             {[]message.Message{calling("a", "b"), answering("b")}, []thread.Pair{{Call: place(0, 1)}, {place(0, 2), place(1, 1)}}},
		"a second result":          {[]message.Message{calling("a"), answering("a", "a")}, []thread.Pair{{place(0, 1), place(1, 1)}, {Result: place(1, 2)}}},
		"an id used by two turns":  {[]message.Message{calling("a"), calling("a"), answering("a")}, []thread.Pair{{Call: place(0, 1)}, {place(1, 1), place(2, 1)}}},
		"both turns are answered":  {[]message.Message{calling("a"), calling("a"), answering("a", "a")}, []thread.Pair{{place(0, 1), place(2, 2)}, {place(1, 1), place(2, 1)}}},
		"an id used twice in one":  {[]message.Message{calling("a", "a"), answering("a", "a")}, []thread.Pair{{place(0, 1), place(1, 1)}, {place(0, 2), place(1, 2)}}},
		"a result without a call":  {[]message.Message{answering("a")}, []thread.Pair{{Result: place(0, 1)}}},
		"a message without either": {[]message.Message{message.TextOf(message.User, "hello")}, nil},
	} {
		th, err := thread.New(thread.Extend("", c.messages))
		if err != nil {
			t.Fatal(err)
		}
		if have := th.Pairs(th.UnitOf(0)); !slices.Equal(have, c.want) {
			t.Errorf("%s: %v, want %v", name, have, c.want)
		}
	}
}

// Each call and each result of a unit is in one pair, a result follows its call
// and has its id, and nothing that could be paired is left.
func TestPairsAreOneToOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ids := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b"}), 1, 3)
		var ms []message.Message
		for range rapid.IntRange(1, 6).Draw(rt, "messages") {
			if rapid.Bool().Draw(rt, "call") {
				ms = append(ms, calling(ids.Draw(rt, "ids")...))
			} else {
				ms = append(ms, answering(ids.Draw(rt, "ids")...))
			}
		}
		th, err := thread.New(thread.Extend("", ms))
		if err != nil {
			rt.Fatal(err)
		}
		for _, u := range th.Units() {
			seen, parts := map[thread.Place]bool{}, 0
			for i := u.Start; i < u.End; i++ {
				parts += len(th.At(i).Message.Parts)
			}
			var calls, results []thread.Place
			for _, p := range th.Pairs(u) {
				for _, at := range []thread.Place{p.Call, p.Result} {
					if at.Part > 0 && seen[at] {
						rt.Fatalf("%v is in two pairs", at)
					}
					seen[at] = true
				}
				switch {
				case p.Complete():
					if th.Part(p.Call).CallID != th.Part(p.Result).CallID || p.Call.Index >= p.Result.Index {
						rt.Fatalf("pair %v", p)
					}
				case p.Call.Part > 0:
					calls = append(calls, p.Call)
				default:
					results = append(results, p.Result)
				}
			}
			delete(seen, thread.Place{})
			if len(seen) != parts {
				rt.Fatalf("%d of %d parts are in a pair", len(seen), parts)
			}
			for _, c := range calls {
				for _, r := range results {
					if th.Part(c).CallID == th.Part(r).CallID && c.Index < r.Index {
						rt.Fatalf("%v and %v could be a pair", c, fmt.Sprint(r))
					}
				}
			}
		}
	})
}
