// Package term writes text for people: numbers, paragraphs and tables that fit a
// terminal.
//
// Use: a Page knows how wide the text is; Count and Comma write numbers. Law:
// nothing that a conversation holds reaches a terminal as a control character.
// Promise: words carry the meaning and colours only help; a word is never broken, so
// what is printed as a command can be copied.
package term

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// The styles of text. Each takes text and returns it with its colour.
var (
	Strong = lipgloss.NewStyle().Bold(true).Render
	Faint  = lipgloss.NewStyle().Faint(true).Render
	Green  = lipgloss.NewStyle().Foreground(lipgloss.Color("2")).Render
	Yellow = lipgloss.NewStyle().Foreground(lipgloss.Color("3")).Render
	Blue   = lipgloss.NewStyle().Foreground(lipgloss.Color("4")).Render
	Red    = lipgloss.NewStyle().Foreground(lipgloss.Color("1")).Render
)

// Comma writes a number with its thousands apart.
func Comma(n int) string { return humanize.Comma(int64(n)) }

// Count writes a number and its noun: "1 message", "2,000 messages".
func Count(n int, noun string) string { return Comma(n) + " " + english.PluralWord(n, noun, "") }

// Percent writes n as a share of a whole: "33 %"; shares below ten have a decimal.
func Percent(n, of int) string {
	if of == 0 {
		return "0 %"
	}
	p := 100 * float64(n) / float64(of)
	if p > 0 && p < 10 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// Clean makes text fit for a terminal: control characters, and bytes that are
// no text, become "·"; new lines and tabs stay.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !reorders(r) && r != utf8.RuneError {
			return r
		}
		return '·'
	}, s)
}

// reorders reports whether a character changes the order in which others are shown.
func reorders(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

// Line is text on one line.
func Line(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// Cut is text on one line of at most n columns.
func Cut(s string, n int) string { return ansi.Truncate(Line(s), n, "…") }

// Heading is the title of a part of a text, after an empty line.
func Heading(s string) string { return "\n" + Strong(s) + "\n" }

// Heading is the same, wrapped.
func (p Page) Heading(s string) string { return "\n" + p.Wrap(Strong(s), "") }

// Stamp is a time as people of this machine read it.
func Stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// Quote makes a word safe for a shell to read.
func Quote(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`!*?[]{}()<>|&;~#") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Plain takes the colours out of a text.
func Plain(s string) string { return ansi.Strip(s) }

// Page is the paper that text is written on.
type Page struct {
	Columns int
	// Excerpts: what stands in the last column of a table may be cut, as on a
	// terminal; else it is wrapped, and nothing is lost to who reads a file.
	Excerpts bool
}

// Columns is how wide a page is whose reader is not known.
const Columns = 80

// hyphens keep together what has a hyphen: a flag is copied whole.
var hyphens, restored = strings.NewReplacer("-", "\u2011"), strings.NewReplacer("\u2011", "-")

// Wrap breaks text between words, into lines that each begin with an indent.
func (p Page) Wrap(s, indent string) string {
	words := strings.Join(strings.Fields(s), " ")
	if words == "" {
		return "\n"
	}
	text := ansi.Wordwrap(hyphens.Replace(words), p.Columns-ansi.StringWidth(indent), "")
	return indent + strings.ReplaceAll(restored.Replace(text), "\n", "\n"+indent) + "\n"
}

// Paragraph is a remark, wrapped.
func (p Page) Paragraph(s string) string { return p.Wrap(Clean(s), "") }

// Item is a name and a text on one line. On a page of less than 60 columns a text that does
// not fit stands below its name, wrapped.
func (p Page) Item(name, text string) string {
	line := name + " " + Clean(text)
	if p.Columns >= narrow || ansi.StringWidth(line) <= p.Columns {
		return line + "\n"
	}
	return strings.TrimRight(name, " ") + "\n" + p.Wrap(Clean(text), "     ")
}

// Cut is text on one line: of at most n columns where excerpts will do, else all of it.
func (p Page) Cut(s string, n int) string {
	if p.Excerpts {
		return Cut(s, n)
	}
	return Line(s)
}

// Table lines columns up.
type Table struct {
	Right []bool // columns aligned to the right; the others are to the left
	Gap   int    // columns between; 0 is 2
	Names bool   // the last column holds names, which are neither cut nor wrapped
	rows  [][]string
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// Table writes a table; each row begins with an indent of two columns.
func (p Page) Table(t *Table) string {
	if len(t.rows) == 0 {
		return ""
	}
	gap, last := t.Gap, 0
	if gap == 0 {
		gap = 2
	}
	for _, r := range t.rows {
		last = max(last, len(r)-1)
	}
	room := p.Columns - 2
	for i := range last {
		room -= t.width(i) + gap
	}
	if p.stacks(t, last, room) {
		return p.stacked(t, last)
	}
	rows := make([][]string, len(t.rows))
	for n, r := range t.rows {
		rows[n] = make([]string, last+1)
		copy(rows[n], r)
		if cell := rows[n][last]; ansi.StringWidth(cell) > room && !t.Names {
			rows[n][last] = p.fit(cell, max(room, 1))
		}
	}
	lines := table.New().Rows(rows...).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).
		StyleFunc(func(_, col int) lipgloss.Style {
			s := lipgloss.NewStyle().PaddingLeft(gap)
			if col == 0 {
				s = s.PaddingLeft(2)
			}
			if col < len(t.Right) && t.Right[col] {
				s = s.Align(lipgloss.Right)
			}
			return s
		}).String()
	var b strings.Builder
	for l := range strings.SplitSeq(lines, "\n") {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String()
}

// least is the room below which the last column stands under the others; roomy that below
// which it does so beside one column, if one of its cells would take more than a line.
const (
	least = 10
	roomy = 24
)

// narrow is the width below which a table of any number of columns is stacked rather than
// made wider than the page; from it on, only one of two columns is: its first column holds
// commands, as a rule.
const narrow = 60

// stacks reports whether a table's last column stands under the others, for which room is
// what they leave of a line.
func (p Page) stacks(t *Table, last, room int) bool {
	if last == 0 || p.Columns >= narrow && (last > 1 || t.Names) {
		return false
	}
	if t.Names {
		return room < t.width(last)
	}
	return room < least || last == 1 && room < min(roomy, t.width(last))
}

// stacked writes a table with its last column below the others, which are not lined up.
func (p Page) stacked(t *Table, last int) string {
	var b strings.Builder
	for _, r := range t.rows {
		head, below := r, ""
		if len(r) > last {
			head, below = r[:last], r[last]
		}
		b.WriteString(p.cells(head))
		switch {
		case below == "":
		case t.Names:
			b.WriteString("    " + below + "\n")
		case p.Excerpts && last > 1:
			b.WriteString("    " + ansi.Truncate(below, p.Columns-4, "…") + "\n")
		default:
			b.WriteString(p.Wrap(below, "    "))
		}
	}
	return b.String()
}

// cells writes the cells that are not empty two columns apart, on as many lines as it takes.
func (p Page) cells(all []string) string {
	line, text := "", ""
	for _, cell := range all {
		switch {
		case cell == "":
		case line == "":
			line = "  " + cell
		case ansi.StringWidth(line)+2+ansi.StringWidth(cell) > p.Columns:
			text += line + "\n"
			line = "  " + cell
		default:
			line += "  " + cell
		}
	}
	return text + line + "\n"
}

// fit makes a cell of at most so many columns, or of one word a line.
func (p Page) fit(cell string, columns int) string {
	if p.Excerpts {
		return ansi.Truncate(cell, columns, "…")
	}
	return strings.TrimSuffix(Page{Columns: columns}.Wrap(cell, ""), "\n")
}

// width is that of a column.
func (t *Table) width(col int) (n int) {
	for _, r := range t.rows {
		if col < len(r) {
			n = max(n, ansi.StringWidth(r[col]))
		}
	}
	return n
}
