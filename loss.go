package precis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-3db51b0e/precis/identifier"
)

// losses counts by kind what is logged and does not stand in the prompt.
func losses(logged map[string]*mention, stands map[string]bool) []Loss {
	byKind := map[identifier.Kind]*Loss{}
	all := slices.SortedFunc(maps.Values(logged), func(a, b *mention) int {
		return cmp.Or(cmp.Compare(b.times, a.times), cmp.Compare(a.first, b.first), cmp.Compare(a.value, b.value))
	})
	for _, m := range all {
		l := byKind[m.kind]
		if l == nil {
			l = &Loss{Kind: m.kind.String()}
			byKind[m.kind] = l
		}
		l.Of++
		if stands[m.value] {
			continue
		}
		l.Lost++
		if len(l.Examples) < examples {
			l.Examples = append(l.Examples, fmt.Sprintf("%s (#%d)", m.value, m.first+1))
		}
	}
	var out []Loss
	for _, k := range slices.Sorted(maps.Keys(byKind)) {
		if byKind[k].Lost > 0 {
			out = append(out, *byKind[k])
		}
	}
	return out
}
