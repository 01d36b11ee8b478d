package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Rules of the terminal: what is for people is at most 80 columns wide; shades
// and words carry the meaning, colours only help; nothing that a conversation
// holds reaches a terminal as a control character.

const width = 80

var (
	strong = lipgloss.NewStyle().Bold(true).Render
	faint  = lipgloss.NewStyle().Faint(true).Render
	good   = lipgloss.NewStyle().Foreground(lipgloss.Color("2")).Render
	warm   = lipgloss.NewStyle().Foreground(lipgloss.Color("3")).Render
	cool   = lipgloss.NewStyle().Foreground(lipgloss.Color("4")).Render
	bad    = lipgloss.NewStyle().Foreground(lipgloss.Color("1")).Render
)

// commas writes a number with thousands apart.
func commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// share is a part of a whole in percent.
func share(n, of int) string {
	if of == 0 {
		return "0 %"
	}
	p := 100 * float64(n) / float64(of)
	if p > 0 && p < 10 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// many is a number and a noun, "1 message", "2,000 messages".
func many(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return commas(n) + " " + noun
}

// clean makes text fit for a terminal: control characters, and bytes that are
// no text, become "·"; new lines and tabs stay.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !bidi(r) && r != utf8.RuneError {
			return r
		}
		return '·'
	}, s)
}

// bidi says whether a character changes the order in which others are shown.
func bidi(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

// line is text on one line of at most n columns.
func line(s string, n int) string {
	return ansi.Truncate(strings.Join(strings.Fields(clean(s)), " "), n, "…")
}

// table lines columns up: numbers to the right, all else to the left. The last
// column is cut where the line would be too wide.
type table struct {
	right []bool // columns aligned to the right
	free  bool   // the last column is never cut
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) String() string {
	var widths []int
	for _, r := range t.rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(c))
		}
	}
	var b strings.Builder
	for _, r := range t.rows {
		var l strings.Builder
		for i, c := range r {
			pad := strings.Repeat(" ", widths[i]-ansi.StringWidth(c))
			l.WriteString("  ")
			if i < len(t.right) && t.right[i] {
				l.WriteString(pad + c)
			} else {
				l.WriteString(c + pad)
			}
		}
		row := strings.TrimRight(l.String(), " ")
		if !t.free {
			row = ansi.Truncate(row, width, "…")
		}
		b.WriteString(row + "\n")
	}
	return b.String()
}

// wrap breaks words into lines of at most 80 columns, each after an indent.
func wrap(words []string, indent string) string {
	var b strings.Builder
	col := width
	for _, w := range words {
		n := ansi.StringWidth(w)
		if col+1+n > width {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(indent + w)
			col = ansi.StringWidth(indent) + n
			continue
		}
		b.WriteString(" " + w)
		col += 1 + n
	}
	return b.String() + "\n"
}

// paragraph is a remark of lower rank, wrapped.
func paragraph(s string) string { return wrap(strings.Fields(clean(s)), "") }

// stamp is a time as people of this machine read it.
func stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }
