package extract_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/internal/testspan"
)

// ranLines is a conversation in which n commands ran: line tells the n-th of them.
func ranLines(n int, line func(int) string) []message.Message {
	ms := []message.Message{message.TextOf(message.User, "Go on.")}
	for i := range n {
		id := fmt.Sprint(i)
		ms = append(ms,
			message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "bash", Args: fmt.Sprintf(`{"command":%q}`, line(i))}}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: "done"}}}}})
	}
	return ms
}

// Work on files is linear in the calls: twice the calls take at most little more than twice what is
// allocated, which does not depend on the machine as time does.
func TestFilesAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("what is counted is the same under the race detector")
	}
	const n, most = 1_500, 2.6
	deep := strings.Repeat("folder/", 6) // names so long that putting two together takes an allocation
	for name, line := range map[string]func(int) string{
		"files of one name": func(i int) string { return fmt.Sprintf("echo x > %spkg%d/__init__.py", deep, i) },
		"files that git adds by other names": func(i int) string {
			return []string{fmt.Sprintf("echo x > %snew%d.txt", deep, i), fmt.Sprintf("git add other/%d.py", i)}[i%2]
		},
		"files that git adds by pattern": func(i int) string {
			return []string{fmt.Sprintf("echo x > %snew%d.txt", deep, i), fmt.Sprintf("git add docs%d/*.py", i)}[i%2]
		},
		"folders that are deleted": func(i int) string {
			return []string{fmt.Sprintf("echo x > %snew%d.txt", deep, i), fmt.Sprintf("rm -r other/%d", i)}[i%2]
		},
		"files that a pattern may change": func(i int) string {
			return []string{fmt.Sprintf("echo x > %snew%d.txt", deep, i), fmt.Sprintf("sed -i s/a/b/ docs%d/*.py", i)}[i%2]
		},
		"changes that are taken back at once": func(i int) string {
			return []string{fmt.Sprintf("echo x > %snew%d.txt", deep, i), "git stash"}[i%2]
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort := func(n int) (objects, bytes float64) {
				th, span := testspan.Of(t, ranLines(n, line))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := (extract.Summarizer{}).Summarize(context.Background(), summary.Input{Thread: th, Span: span}); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				return float64(after.Mallocs - before.Mallocs), float64(after.TotalAlloc - before.TotalAlloc)
			}
			objects, bytes := effort(n)
			objects2, bytes2 := effort(2 * n)
			if r := objects2 / objects; r > most {
				t.Errorf("%d calls took %.1f times the allocations of %d", 2*n, r, n)
			}
			if r := bytes2 / bytes; r > most {
				t.Errorf("%d calls took %.1f times the bytes of %d", 2*n, r, n)
			}
		})
	}
}
