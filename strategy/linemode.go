package strategy

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/message"
)

// lineMode says how the lines of a summary are chosen.
type lineMode uint8

const (
	// ladderLines takes lines by the worth of their values alone, as the examples of the
	// ladder's preset have them.
	ladderLines lineMode = iota
	// closeLines tells values that stand bare from spoken ones, and lines that say what another
	// says already from new ones. The last lines of the newest results stand before others.
	closeLines
	// closeBlocks is closeLines, and first the newest of what the agent and users said stands
	// in blocks, with its indentation.
	closeBlocks
)

// lineMode returns how lines are chosen within these limits.
func (l Limits) lineMode() lineMode {
	switch {
	case !l.Close:
		return ladderLines
	case l.OwnTokens > 0:
		return closeBlocks
	}
	return closeLines
}

// heading stands above the lines of a summary.
func (m lineMode) heading() string {
	if m == ladderLines {
		return "Lines of the log, as they stood:"
	}
	return "Lines of the log, as they stood; an empty line is what was between:"
}

// gap stands between two lines of a message where something is left out between them.
func (m lineMode) gap() string {
	if m == ladderLines {
		return "\n… "
	}
	return "\n\n"
}

// textOf returns what a part says. Where there are blocks, a call says its name, too.
func (m lineMode) textOf(p *message.Part) string {
	switch {
	case p.Kind != message.Call || m != closeBlocks:
		return p.Body()
	case jsontext.Value(p.Args).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)):
		return p.Name + " " + unescaped.Replace(p.Args)
	}
	return p.Name + " " + p.Args
}

// unescaped reads the strings of JSON as far as blocks of code need: they have lines and
// quotes. The rest stays as it was written.
var unescaped = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`)
