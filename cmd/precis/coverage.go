package main

import (
	"fmt"
	"strings"

	precis "github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
)

// shade is what became of a message, as the strip draws it.
type shade int

const (
	whole shade = iota
	cut
	summarised
	dropped
	shades
)

var (
	shadeCells = [shades]string{"█", "▓", "▒", "░"}
	shadeNames = [shades]string{"whole", "cut", "summarised", "dropped"}
	shadeInks  = [shades]func(...string) string{good, warm, cool, bad}
)

// shadeOf is the shade of the message at i.
func shadeOf(t *precis.Turn, i int) shade {
	switch recall.State(t.Plan, t.Thread.At(i).ID, 0) {
	case "whole":
		return whole
	case string(plan.Summarize):
		return summarised
	case string(plan.Drop):
		return dropped
	}
	return cut
}

// strip draws the conversation in n cells of equal tokens, each in the shade
// that most of its tokens have, and the messages of each shade below.
func strip(t *precis.Turn, n int) string {
	weights := make([][shades]int, n)
	total, messages := 0, [shades]int{}
	for i := range t.Thread.Len() {
		total += t.Thread.At(i).Tokens
	}
	at := 0
	for i := range t.Thread.Len() {
		e := t.Thread.At(i)
		if e.Message.Meta {
			continue
		}
		s := shadeOf(t, i)
		messages[s]++
		spread(weights, at, at+e.Tokens, total, s)
		at += e.Tokens
	}
	return "  " + cells(weights) + "\n  " + legend(messages) + "\n"
}

// spread adds the tokens [from, to) of total to the cells they fall into.
func spread(weights [][shades]int, from, to, total int, s shade) {
	n := len(weights)
	for at := from; at < to; {
		i := min(at*n/max(total, 1), n-1)
		end := min(to, max(at+1, (i+1)*total/n))
		weights[i][s] += end - at
		at = end
	}
}

func cells(weights [][shades]int) string {
	var b, run strings.Builder
	last := whole
	flush := func() { b.WriteString(shadeInks[last](run.String())); run.Reset() }
	for _, w := range weights {
		best := last
		for s := range shades {
			if w[s] > w[best] {
				best = s
			}
		}
		if best != last && run.Len() > 0 {
			flush()
		}
		last = best
		run.WriteString(shadeCells[best])
	}
	flush()
	return b.String()
}

func legend(messages [shades]int) string {
	var parts []string
	for s := range shades {
		if messages[s] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s %s", shadeInks[s](shadeCells[s]), commas(messages[s]), shadeNames[s]))
		}
	}
	return strings.Join(parts, "   ")
}
