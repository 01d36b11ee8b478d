package transport_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/transport"
)

// A caller that has its conversation cached gets a marker behind the excerpts of a summary, which
// stand from one compaction to the next; no other request gets one.
//
// SPEC: V6, V11, B7, B21 · WA10
func TestExcerptsAreMarked(t *testing.T) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	for _, own := range []string{"", mark} {
		t.Run(own, func(t *testing.T) {
			a := apis[0]
			up, o := newProvider(t), options(t, memory.New())
			o.Budget = 8_000
			rt := transport.New(o)
			head := ""
			marked, stood := 0, 0
			for rounds := range 30 {
				body := a.body(rounds)
				if at := strings.LastIndex(body, `"}]}] }`); own != "" && at > 0 {
					body = body[:at+1] + own + body[at+1:]
				}
				post(t, rt, up.url+a.path, body, transport.ThreadHeader, "t")
				got := up.bodies()[rounds]
				if strings.Count(got, mark) == strings.Count(body, mark) {
					continue
				}
				marked++
				above, _, _ := strings.Cut(got, mark)
				if !strings.Contains(above, "Lines of the log") || strings.Contains(above, "[Summary v") {
					t.Fatalf("marked behind %s", above)
				}
				if above == head {
					stood++
				}
				head = above
			}
			if wanted := own != ""; (marked > 10) != wanted || (stood > marked/2) != wanted {
				t.Errorf("%d requests were marked, %d where the one before was", marked, stood)
			}
		})
	}
}
