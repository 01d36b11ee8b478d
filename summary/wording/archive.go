package wording

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/summary"
)

// ArchiveOptions set how an archive is shown.
type ArchiveOptions struct {
	// First and Last are how many batches are shown from each end.
	First, Last int
	// SearchTool is the tool that searches what is not shown; "" names none.
	SearchTool string
	// Cap is the most tokens under Count; 0 or a nil Count is no cap.
	Cap   int
	Count func(string) int
}

// Archive writes the clip-archive message: a header with the messages and cycles of all
// batches, the rules of the user that stand in all of them, the first and last batches,
// and where some are omitted between them a line that says how many and how to search
// them. Batches keep their number. Under a cap
// fewer are shown, the newest and the oldest longest; then only the start of the
// newest. "" when there are none, or when not even the header fits.
func Archive(a summary.Archive, o ArchiveOptions) string {
	if len(a.Batches) == 0 {
		return ""
	}
	w := archiveWriter{a, o, standingRules(a, o)}
	first := min(max(o.First, 0), len(a.Batches))
	last := min(max(o.Last, 0), len(a.Batches)-first)
	if o.Cap <= 0 || o.Count == nil {
		return w.compose(first, last, batchBody)
	}
	fits := func(text string) bool { return o.Count(text) <= o.Cap }
	write := func(shown int) string {
		head, tail := ends(shown, first, last)
		return w.compose(head, tail, batchBody)
	}
	if all := write(first + last); fits(all) {
		return all
	}
	if n := sort.Search(first+last, func(n int) bool { return !fits(write(n + 1)) }); n > 0 {
		return write(n)
	}
	if text, ok := w.start(first, last); ok {
		return text
	}
	for _, text := range []string{write(0), archiveHeader(a)} {
		if fits(text) {
			return text
		}
	}
	return ""
}

// archiveWriter writes one archive.
type archiveWriter struct {
	a     summary.Archive
	o     ArchiveOptions
	rules string // below the header
}

// rulesShare is the part of a cap that the rules may take, as one over rulesShare.
const rulesShare = 2

// standingRules writes the rules that stand in all batches together, those that are not shown too.
func standingRules(a summary.Archive, o ArchiveOptions) string {
	states := make([]*summary.Structured, len(a.Batches))
	for i := range a.Batches {
		states[i] = a.Batches[i].Summary
	}
	if text := Rules(summary.Merge(states...), o.Cap/rulesShare, o.Count); text != "" {
		return "\n\n" + text
	}
	return ""
}

// ends shares n batches out between the last and the first, the last before.
func ends(n, first, last int) (head, tail int) {
	tail = min((n+1)/2, last)
	head = min(n-tail, first)
	return head, n - head
}

// minStart is the fewest tokens of a batch worth showing.
const minStart = 24

// start shows as much of one batch as fits.
func (w archiveWriter) start(first, last int) (string, bool) {
	if first+last == 0 {
		return "", false
	}
	head, tail := ends(1, first, last)
	room := w.o.Cap - w.o.Count(w.compose(head, tail, func(*summary.Batch) string { return "" }))
	if room < minStart {
		return "", false
	}
	i := 0
	if tail == 1 {
		i = len(w.a.Batches) - 1
	}
	cut := clipTokens(batchBody(&w.a.Batches[i]), room, w.o.Count)
	text := w.compose(head, tail, func(*summary.Batch) string { return cut })
	return text, cut != "" && w.o.Count(text) <= w.o.Cap
}

func archiveHeader(a summary.Archive) string {
	return "[Context Summary — " + strconv.Itoa(a.Count()) + " messages compressed across " + strconv.Itoa(a.Cycles()) + " compaction cycles]"
}

// compose writes the first head and the last tail batches.
func (w archiveWriter) compose(head, tail int, body func(*summary.Batch) string) string {
	a := w.a
	var b strings.Builder
	b.WriteString(archiveHeader(a) + w.rules)
	n := len(a.Batches)
	omitted := summary.Archive{Batches: a.Batches[head : n-tail]}
	write := func(from, until int) {
		for i := from; i < until; i++ {
			x := &a.Batches[i]
			b.WriteString("\n\n" + batchTitle(x, i+1) + "\n" + body(x))
		}
	}
	if len(omitted.Batches) == 0 {
		if w.rules != "" { // so that nothing below passes for one
			b.WriteString("\n\n## Earlier context")
		}
		write(0, n)
		return b.String()
	}
	if head > 0 {
		b.WriteString("\n\n## Earliest context")
		write(0, head)
	}
	b.WriteString("\n\n" + omission(omitted, w.o.SearchTool))
	if tail > 0 {
		b.WriteString("\n\n## Recent context")
		write(n-tail, n)
	}
	return b.String()
}

// omission returns the line that stands for batches not shown.
func omission(a summary.Archive, tool string) string {
	summaries := " earlier summaries of "
	if len(a.Batches) == 1 {
		summaries = " earlier summary of "
	}
	line := "[... " + strconv.Itoa(len(a.Batches)) + summaries + Count(a.Count(), "message") + " omitted"
	if tool != "" {
		line += ", searchable via " + tool
	}
	return line + " ...]"
}

// instant writes a time of a batch.
func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// batchTitle returns the line above a batch.
func batchTitle(b *summary.Batch, number int) string {
	from, to := instant(b.Start), instant(b.End)
	if b.Start.IsZero() || b.End.IsZero() {
		from, to = ref.Message(b.From.N).String(), ref.Message(b.To.N).String()
	}
	return "[Batch " + strconv.Itoa(number) + " — depth " + strconv.Itoa(b.Depth) + ", " + from + " to " + to + "]"
}

func batchBody(b *summary.Batch) string {
	if text := strings.TrimSpace(b.Text); text != "" {
		return text
	}
	return Handover(b.Summary, 0, nil)
}
