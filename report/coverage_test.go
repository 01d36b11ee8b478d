package report

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

func TestCoverage(t *testing.T) {
	es := thread.Extend("", []message.Message{
		message.TextOf(message.User, "a"), message.TextOf(message.Assistant, "b"),
		message.TextOf(message.User, "c"), message.TextOf(message.Assistant, "d"), message.TextOf(message.User, "e"),
	})
	for i, n := range []int{10, 40, 20, 20, 10} {
		es[i].Tokens = n
	}
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Plan{Records: []plan.Record{
		{Action: plan.Summarize, Span: plan.Span{IDs: []thread.ID{es[1].ID}}},
		{Action: plan.Drop, Span: plan.Span{IDs: []thread.ID{es[2].ID}}},
		{Action: plan.Replace, Kind: plan.Preview, Span: plan.Span{IDs: []thread.ID{es[3].ID}, Part: 1}},
	}}, th)
	if err != nil {
		t.Fatal(err)
	}
	turn := &precis.Turn{Thread: th, Plan: p}
	want := "  █▒▒▒▒░░▓▓█\n  █ 2 whole\n  ▓ 1 cut\n  ▒ 1 summarized\n  ░ 1 dropped\n"
	if got := term.Plain(bar(coverage(turn), 10)); got != want {
		t.Errorf("coverage:\n%swant\n%s", got, want)
	}
	want = "\n  █ 2 whole   ▓ 1 cut   ▒ 1 summarized   ░ 1 dropped\n"
	if got := term.Plain(bar(coverage(turn), 76)); !strings.HasSuffix(got, want) {
		t.Errorf("coverage:\n%swant\n%s", got, want)
	}
	for n := 1; n < 200; n++ {
		bar, _, _ := strings.Cut(term.Plain(bar(coverage(turn), n)), "\n")
		if got := ansi.StringWidth(bar); got != n+2 {
			t.Fatalf("coverage of %d cells has %d columns", n, got-2)
		}
	}
}
