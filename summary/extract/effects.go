package extract

import (
	"strings"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
)

// A command line with side effects is told whole where it has few bytes, and in most where it has
// not. A path is not cut: its head may name a folder of which all but a part is as it was.
const (
	maxEffectText = 110
	mostEffect    = 320
)

// effect keeps a command line that is not run twice without consequences.
func (w *work) effect(e *tool.Reading, at summary.Source) {
	if succeeded(e) && e.Acts() {
		commit, line := e.Committed()
		did := summary.Effect{Note: summary.Note{Text: headOf(program.Brief(line, maxEffectText), mostEffect), From: at}, Commit: oneline.Of(commit), OfFiles: e.ActsOnFiles(), In: oneline.Of(w.files.names.away())}
		w.effects = push(w.effects, did, maxPerKind)
	}
}

// headOf returns the words of a line that n bytes hold, with a mark where it is cut: a long
// address may be.
func headOf(line string, n int) string {
	if len(line) <= n {
		return line
	}
	head := line[:oneline.RuneStart(line, n-len(oneline.Ellipsis))]
	i := strings.LastIndexByte(head, ' ')
	if i <= 0 || i < n/2 && strings.Contains(head[i:], "://") {
		return head + oneline.Ellipsis
	}
	return line[:i] + oneline.Ellipsis
}
