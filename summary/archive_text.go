package summary

import (
	"sort"
	"strconv"
	"strings"
)

// ArchiveOptions says how an archive is shown.
type ArchiveOptions struct {
	// First and Last are how many batches are shown from each end.
	First, Last int
	// SearchTool is the tool that searches what is not shown; "" names none.
	SearchTool string
	// Cap is the most tokens under Count; 0 or a nil Count is no cap.
	Cap   int
	Count func(string) int
}

// Text is the clip-archive message (SPEC C3): a header with the messages and
// cycles of all batches, the first and last ones, and where some are omitted
// between them a line that says how many and how to search them. Batches keep
// their number. Under a cap fewer are shown, the newest and the oldest longest;
// then only the start of the newest. "" when there are none, or when not even
// the header fits.
func (a Archive) Text(o ArchiveOptions) string {
	if len(a.Batches) == 0 {
		return ""
	}
	first := min(max(o.First, 0), len(a.Batches))
	last := min(max(o.Last, 0), len(a.Batches)-first)
	if o.Cap <= 0 || o.Count == nil {
		return a.compose(o, first, last, (*Batch).body)
	}
	fits := func(text string) bool { return o.Count(text) <= o.Cap }
	write := func(shown int) string {
		head, tail := ends(shown, first, last)
		return a.compose(o, head, tail, (*Batch).body)
	}
	if all := write(first + last); fits(all) {
		return all
	}
	if n := sort.Search(first+last, func(n int) bool { return !fits(write(n + 1)) }); n > 0 {
		return write(n)
	}
	if text, ok := a.start(o, first, last); ok {
		return text
	}
	for _, text := range []string{write(0), a.header()} {
		if fits(text) {
			return text
		}
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
func (a Archive) start(o ArchiveOptions, first, last int) (string, bool) {
	if first+last == 0 {
		return "", false
	}
	head, tail := ends(1, first, last)
	room := o.Cap - o.Count(a.compose(o, head, tail, func(*Batch) string { return "" }))
	if room < minStart {
		return "", false
	}
	i := 0
	if tail == 1 {
		i = len(a.Batches) - 1
	}
	cut := clipTokens(a.Batches[i].body(), room, o.Count)
	text := a.compose(o, head, tail, func(*Batch) string { return cut })
	return text, cut != "" && o.Count(text) <= o.Cap
}

func (a Archive) header() string {
	return "[Context Summary — " + strconv.Itoa(a.Count()) + " messages compressed across " + strconv.Itoa(a.Cycles()) + " compaction cycles]"
}

// compose writes the first head and the last tail batches.
func (a Archive) compose(o ArchiveOptions, head, tail int, body func(*Batch) string) string {
	var b strings.Builder
	b.WriteString(a.header())
	n := len(a.Batches)
	omitted := Archive{Batches: a.Batches[head : n-tail]}
	write := func(from, until int) {
		for i := from; i < until; i++ {
			x := &a.Batches[i]
			b.WriteString("\n\n" + x.title(i+1) + "\n" + body(x))
		}
	}
	if len(omitted.Batches) == 0 {
		write(0, n)
		return b.String()
	}
	if head > 0 {
		b.WriteString("\n\n## Earliest context")
		write(0, head)
	}
	b.WriteString("\n\n" + omitted.omission(o.SearchTool))
	if tail > 0 {
		b.WriteString("\n\n## Recent context")
		write(n-tail, n)
	}
	return b.String()
}

// omission is the line that stands for batches not shown.
func (a Archive) omission(tool string) string {
	summaries := " earlier summaries of "
	if len(a.Batches) == 1 {
		summaries = " earlier summary of "
	}
	line := "[... " + strconv.Itoa(len(a.Batches)) + summaries + plural(a.Count(), "message") + " omitted"
	if tool != "" {
		line += ", searchable via " + tool
	}
	return line + " ...]"
}
