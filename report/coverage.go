package report

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
)

// state is the state of a message as the coverage draws it.
type state int

const (
	whole state = iota
	cut
	summarized
	dropped
	states
)

var (
	stateCells = [states]string{"█", "▓", "▒", "░"}
	stateNames = [states]string{"whole", "cut", "summarized", "dropped"}
	stateInks  = [states]func(...string) string{term.Green, term.Yellow, term.Blue, term.Red}
)

// drawn is a message of the log as the coverage draws it.
type drawn struct {
	tokens int
	state  state
}

// coverage lists the messages of a turn's log with what became of them.
func coverage(t *precis.Turn) []drawn {
	var all []drawn
	for i := range t.Thread.Len() {
		e := t.Thread.At(i)
		if e.Message.Meta {
			continue
		}
		d := drawn{t.MessageTokens(i), cut}
		switch recall.State(t.Plan, e.ID, 0) {
		case "whole":
			d.state = whole
		case string(plan.Summarize):
			d.state = summarized
		case string(plan.Drop):
			d.state = dropped
		}
		all = append(all, d)
	}
	return all
}

// bar draws messages in n cells of equal tokens, each in the state that most of its
// tokens have, and how many messages have each state below.
func bar(all []drawn, n int) string {
	weights := make([][states]int, n)
	total, messages := 0, [states]int{}
	for _, d := range all {
		total += d.tokens
		messages[d.state]++
	}
	at := 0
	for _, d := range all {
		spread(weights, at, at+d.tokens, total, d.state)
		at += d.tokens
	}
	return "  " + cells(weights) + "\n" + legend(messages, n)
}

// spread adds the tokens [from, to) of total to the cells they fall into.
func spread(weights [][states]int, from, to, total int, s state) {
	n := len(weights)
	for at := from; at < to; {
		i := min(at*n/max(total, 1), n-1)
		end := min(to, max(at+1, (i+1)*total/n))
		weights[i][s] += end - at
		at = end
	}
}

func cells(weights [][states]int) string {
	var b, run strings.Builder
	last := whole
	flush := func() { b.WriteString(stateInks[last](run.String())); run.Reset() }
	for _, w := range weights {
		best := last
		for s := range states {
			if w[s] > w[best] {
				best = s
			}
		}
		if best != last && run.Len() > 0 {
			flush()
		}
		last = best
		run.WriteString(stateCells[best])
	}
	flush()
	return b.String()
}

// legend is one line, or one a state where it is wider than a bar of n cells.
func legend(messages [states]int, n int) string {
	var parts []string
	for s := range states {
		if messages[s] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s %s", stateInks[s](stateCells[s]), term.Comma(messages[s]), stateNames[s]))
		}
	}
	apart := "   "
	if ansi.StringWidth(strings.Join(parts, apart)) > n {
		apart = "\n  "
	}
	return "  " + strings.Join(parts, apart) + "\n"
}
