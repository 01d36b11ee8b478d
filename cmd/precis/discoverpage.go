package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/discover"
	"github.com/seed-3db51b0e/precis/transcript"
)

// page is what was found, for people.
func (f *findings) page(d *discovery) string {
	if len(f.Sessions) == 0 {
		return paragraph("No sessions found"+within(d.days)+". --days 0 looks further back, --root DIR elsewhere.") + f.rest()
	}
	var b strings.Builder
	b.WriteString(heading("Sessions"))
	b.WriteString(f.table())
	b.WriteString(f.compactions())
	b.WriteString(f.trials())
	if d.content {
		b.WriteString(f.contents())
	}
	b.WriteString(f.sums(d))
	b.WriteString(f.rest())
	return b.String()
}

func within(days int) string {
	if days == 0 {
		return ""
	}
	return " of the last " + many(days, "day")
}

// nicknames are the agents' names in a narrow column.
var nicknames = map[string]string{transcript.ClaudeCode: "claude", transcript.GeminiCLI: "gemini"}

func nickname(agent string) string {
	if n, ok := nicknames[agent]; ok {
		return n
	}
	return agent
}

func (f *findings) table() string {
	t := table{right: []bool{false, false, false, false, true, true, true, true}}
	t.add(faint("changed"), faint("agent"), faint("project"), faint("model"), faint("msgs"), faint("tokens"), faint("cost"), faint("comp."))
	for _, l := range f.Sessions {
		cost := dollars(l.Cost)
		switch l.By {
		case "unknown":
			cost = "?"
		case "estimate":
			cost = "≈" + cost
		}
		t.add(l.Changed.Local().Format("Jan _2"), nickname(l.Agent)+map[bool]string{true: "+"}[l.SubAgent], tail(l.Project, 15),
			line(l.Model, 15), commas(l.Messages), rounded(l.Tokens), cost, strconv.Itoa(l.Compactions))
	}
	return t.String()
}

// tail is the end of a path, in at most n columns.
func tail(path string, n int) string {
	path = clean(filepath.ToSlash(path))
	if r := []rune(path); len(r) > n {
		return "…" + string(r[len(r)-n+1:])
	}
	return path
}

func dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// rounded is a number of tokens in a narrow column.
func rounded(n int) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1fm", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%dk", n/1e3)
	}
	return commas(n)
}

func total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// compactions says what the agents' own compactions lost.
func (f *findings) compactions() string {
	t := table{right: []bool{false, false, true, true, true, true}}
	t.add(faint("agent"), faint("project"), faint("comp."), faint("values stood"), faint("lost"), faint("used again"))
	n := 0
	for _, l := range f.Sessions {
		if l.Compactions > l.Blind {
			n++
			lost := total(l.Loss.Lost)
			t.add(nickname(l.Agent), tail(l.Project, 24), strconv.Itoa(l.Compactions-l.Blind), commas(total(l.Loss.Stood)),
				commas(lost), fmt.Sprintf("%s (%s)", commas(total(l.Loss.Used)), share(total(l.Loss.Used), lost)))
		}
	}
	if n == 0 {
		return ""
	}
	return heading("What the agents' own compactions lost") + t.String()
}

// trials says what policies would have done.
func (f *findings) trials() string {
	t := table{right: []bool{false, false, true, true, true, true, true}}
	t.add(faint("project"), faint("policy"), faint("budget"), faint("kept of needed"), faint("input"), faint("breaks"), faint("over"))
	n := 0
	for _, l := range f.Sessions {
		for i, r := range l.Tried {
			project, budget := "", ""
			if i == 0 {
				project, budget = tail(l.Project, 18), rounded(l.Budget)
			}
			n++
			t.add(project, r.Policy, budget, r.kept(), r.price(), commas(r.Breaks), fmt.Sprintf("%d/%d", r.Over, r.Active))
		}
	}
	if n == 0 {
		return ""
	}
	return heading("What policies would have kept and cost") + t.String()
}

func (r trial) kept() string {
	if r.Needs == 0 {
		return "–"
	}
	return fmt.Sprintf("%s of %s", share(r.Kept, r.Needs), commas(r.Needs))
}

func (r trial) price() string {
	if r.USD == 0 {
		return "?"
	}
	return dollars(r.USD)
}

// contents shows what was said: it was asked for.
func (f *findings) contents() string {
	var b strings.Builder
	for _, l := range f.Sessions {
		fmt.Fprintf(&b, "%s\n  %s\n", strong(nickname(l.Agent)+" "+tail(l.Project, 60)), line(l.First, width-2))
		if len(l.Again) > 0 {
			const most = 20
			words := l.Again[:min(most, len(l.Again))]
			clean := make([]string, len(words))
			for i, w := range words {
				clean[i] = line(w, width-4)
			}
			b.WriteString(faint("  lost and used again:") + "\n" + wrap(clean, "    "))
		}
	}
	return heading("What was said") + b.String()
}

// sums are the totals, each with what it is a share of.
func (f *findings) sums(d *discovery) string {
	t := f.Totals
	var b strings.Builder
	b.WriteString(heading("Totals" + within(d.days)))
	say := func(format string, args ...any) {
		b.WriteString(wrap(strings.Fields(fmt.Sprintf(format, args...)), "  "))
	}
	say("%s, %s, %s tokens counted from their text.", many(t.Sessions, "session"), many(t.Messages, "message"), commas(t.Tokens))
	for _, by := range frequent(t.By) {
		switch by {
		case "unknown":
			say("What %s cost is not known: no usage written down, or no list price of the model.", many(t.By[by], "session"))
		case "estimate":
			say("%s is estimated for %s that wrote no usage down: list prices, every reply one request, its beginning from the cache.", dollars(t.Cost[by]), many(t.By[by], "session"))
		case "reported":
			say("%s is what the agents themselves reported for %s.", dollars(t.Cost[by]), many(t.By[by], "session"))
		default:
			say("%s is the reported usage of %s at list prices; a subscription costs what it costs.", dollars(t.Cost[by]), many(t.By[by], "session"))
		}
	}
	if t.Lost > 0 {
		say("%s in them could not be used.", many(t.Lost, "record"))
	}
	if t.Copied > 0 {
		say("%s stood in more than one session and counted once.", many(t.Copied, "request"))
	}
	f.sumCompactions(say)
	f.sumTrials(d, say)
	return b.String()
}

func (f *findings) sumCompactions(say func(string, ...any)) {
	t := f.Totals
	if t.Compactions == 0 {
		say("No agent compacted.")
		return
	}
	say("Agents compacted %s in %s.", times(t.Compactions), many(t.Compacted, "session"))
	if t.Blind > 0 {
		say("What %s compacted is not in the files.", times(t.Blind))
	}
	stood, lost, used := total(t.Loss.Stood), total(t.Loss.Lost), total(t.Loss.Used)
	if stood == 0 {
		return
	}
	var by []string
	for _, k := range frequent(t.Loss.Lost) {
		by = append(by, fmt.Sprintf("%s %s", k, commas(t.Loss.Lost[k])))
	}
	say("Of %s values in their prompts %s were lost (%s): %s.", commas(stood), commas(lost), share(lost, stood), strings.Join(by, ", "))
	say("The model wrote %s of those lost again later (%s).", commas(used), share(used, lost))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return commas(n) + " times"
}

func (f *findings) sumTrials(d *discovery, say func(string, ...any)) {
	t := f.Totals
	if t.Needed == 0 {
		say("Every session fits its budget: no policy would have changed anything.")
		return
	}
	say("Policies were tried on %s of the %s longer than the budget or compacted by the agent.", commas(t.Tried), many(t.Needed, "session"))
	if t.Cut > 0 {
		say("Of %s only the first %s were replayed: --steps replays more.", many(t.Cut, "session"), many(d.steps, "request"))
	}
	if len(t.Policies) == 0 {
		return
	}
	agent := t.Policies[0]
	for _, p := range t.Policies {
		text := p.Policy + ": nothing from far back was needed"
		if p.Needs > 0 {
			text = fmt.Sprintf("%s: kept %s values from far back that were needed (%s in reach)", p.Policy, p.kept(), share(p.Reach, p.Needs))
		}
		if agent.USD > 0 {
			text += fmt.Sprintf(", input %s", dollars(p.USD))
		}
		if agent.USD > 0 && p.Policy != agentTrial {
			text += fmt.Sprintf(" or %s of the agent's, cache breaks included", share(int(1000*p.USD), int(1000*agent.USD)))
		}
		say("%s; %s in %s, %d of %d over the budget.", text, many(p.Breaks, "cache break"), many(p.Steps, "request"), p.Over, p.Active)
	}
	say("All of these are replays of what was said, by list prices and the provider's caching rules, without system prompt and tools.")
}

// rest is what could not be read or was none.
func (f *findings) rest() string {
	var b strings.Builder
	if f.Empty+f.Other > 0 && len(f.Sessions) > 0 {
		b.WriteString("\n")
	}
	if f.Empty > 0 {
		fmt.Fprintf(&b, "%s\n", faint(many(f.Empty, "file")+" in which nothing was said"))
	}
	if f.Other > 0 {
		fmt.Fprintf(&b, "%s\n", faint(many(f.Other, "file")+" that are no sessions"))
	}
	if len(f.Unreadable) == 0 {
		return b.String()
	}
	b.WriteString(heading(many(len(f.Unreadable), "path") + " could not be read"))
	for _, u := range f.Unreadable {
		b.WriteString(fault(u))
	}
	return b.String()
}

func fault(u discover.Fault) string {
	return fmt.Sprintf("  %s\n    %s\n", tail(u.Path, width-2), line(u.Why, width-4))
}
