package proxy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
)

// All tools are declared where a tenth of the budget holds them, those that read and search where it
// holds these alone, and none below.
//
// SPEC: B8
func TestRecallWithinATenth(t *testing.T) {
	both(t, func(t *testing.T, a api, stream bool) {
		var seen []int
		for size := 16_000; size >= 3_000; size -= 500 {
			up := newProvider(t)
			o := options(up.url)
			o.Budget, o.Prompt.Recall = size, proxy.RecallAlways
			newAgent(t, a, serve(t, o).url, stream).step()
			n := 0
			for _, name := range []string{"precis_read", "precis_grep", "precis_describe", "precis_list"} {
				if strings.Contains(up.last(), `"`+name+`"`) {
					n++
				}
			}
			if len(seen) == 0 || seen[len(seen)-1] != n {
				seen = append(seen, n)
			}
		}
		if !slices.Equal(seen, []int{4, 2, 0}) {
			t.Errorf("tools declared, from the largest budget on: %d", seen)
		}
	})
}
