package timeline_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/timeline"
)

func BenchmarkChoose(b *testing.B) {
	ms, _ := prompt(strings.Repeat("u c r c r a ", 2000))
	th := build(b, ms...)
	b.ReportAllocs()
	for b.Loop() {
		bs := timeline.Blocks(th, func(int) timeline.Stands { return timeline.Shown }, func(int, int) int { return 10 })
		if c := timeline.Choose(bs, 5000, 1000); c.Reason != "" {
			b.Fatal(c.Reason)
		}
	}
}

func BenchmarkCachePoints(b *testing.B) {
	ms, turns := prompt(strings.Repeat("u c r c r a ", 2000))
	b.ReportAllocs()
	for b.Loop() {
		if ps := timeline.CachePoints(ms, turns, 3); len(ps) != 3 {
			b.Fatal(ps)
		}
	}
}
