package audit

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/transcript"
)

// Text writes what was found, for people.
func (f *Findings) Text(p term.Page) string {
	if len(f.Sessions) == 0 {
		return p.Paragraph("No sessions found"+within(f.days)+". --days 0 looks further back, --root DIR elsewhere.") + f.rest(p)
	}
	var b strings.Builder
	b.WriteString(term.Heading("Sessions"))
	b.WriteString(f.table(p))
	b.WriteString(f.compactions(p))
	b.WriteString(f.trials(p))
	if f.content {
		b.WriteString(f.contents(p))
	}
	b.WriteString(f.sums(p))
	b.WriteString(f.rest(p))
	return b.String()
}

func within(days int) string {
	if days == 0 {
		return ""
	}
	return " of the last " + term.Count(days, "day")
}

// nicknames are the agents' names in a narrow column.
var nicknames = map[string]string{transcript.ClaudeCode: "claude", transcript.GeminiCLI: "gemini"}

func nickname(agent string) string {
	if n, ok := nicknames[agent]; ok {
		return n
	}
	return agent
}

func (f *Findings) table(p term.Page) string {
	t := term.Table{Right: []bool{false, false, false, false, true, true, true, true}}
	t.Add(term.Faint("changed"), term.Faint("agent"), term.Faint("project"), term.Faint("model"), term.Faint("msgs"), term.Faint("tokens"), term.Faint("cost"), term.Faint("comp."))
	for _, l := range f.Sessions {
		cost := dollars(l.Cost)
		switch l.By {
		case "unknown":
			cost = "?"
		case "estimate":
			cost = "≈" + cost
		}
		t.Add(l.Changed.Local().Format("Jan _2"), nickname(l.Agent)+map[bool]string{true: "+"}[l.SubAgent], tail(p, l.Project, 15),
			p.Cut(l.Model, 15), term.Comma(l.Messages), rounded(l.Tokens), cost, strconv.Itoa(l.Compactions))
	}
	return p.Table(&t)
}

// tail is the end of a path, in at most n columns; all of it where nothing is cut.
func tail(p term.Page, path string, n int) string {
	path = term.Clean(filepath.ToSlash(path))
	if r := []rune(path); p.Excerpts && len(r) > n {
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
	return term.Comma(n)
}

func total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// compactions says what the agents' own compactions lost.
func (f *Findings) compactions(p term.Page) string {
	t := term.Table{Right: []bool{false, false, true, true, true, true}}
	t.Add(term.Faint("agent"), term.Faint("project"), term.Faint("comp."), term.Faint("values stood"), term.Faint("lost"), term.Faint("used again"))
	n := 0
	for _, l := range f.Sessions {
		if l.Compactions > l.Blind {
			n++
			lost := total(l.Loss.Lost)
			t.Add(nickname(l.Agent), tail(p, l.Project, 24), strconv.Itoa(l.Compactions-l.Blind), term.Comma(total(l.Loss.Stood)),
				term.Comma(lost), fmt.Sprintf("%s (%s)", term.Comma(total(l.Loss.Used)), term.Percent(total(l.Loss.Used), lost)))
		}
	}
	if n == 0 {
		return ""
	}
	return term.Heading("What the agents' own compactions lost") + p.Table(&t)
}

// trials says what policies would have done.
func (f *Findings) trials(p term.Page) string {
	t := term.Table{Right: []bool{false, false, true, true, true, true, true}}
	t.Add(term.Faint("project"), term.Faint("policy"), term.Faint("budget"), term.Faint("kept of needed"), term.Faint("input"), term.Faint("breaks"), term.Faint("over"))
	n := 0
	for _, l := range f.Sessions {
		for i, r := range l.Tried {
			project, budget := "", ""
			if i == 0 {
				project, budget = tail(p, l.Project, 18), rounded(l.Budget)
			}
			n++
			t.Add(project, r.Policy, budget, r.kept(), r.price(), term.Comma(r.Breaks), fmt.Sprintf("%d/%d", r.Over, r.Active))
		}
	}
	if n == 0 {
		return ""
	}
	return term.Heading("What policies would have kept and cost") + p.Table(&t)
}

func (r Trial) kept() string {
	if r.Needs == 0 {
		return "–"
	}
	return fmt.Sprintf("%s of %s", term.Percent(r.Kept, r.Needs), term.Comma(r.Needs))
}

func (r Trial) price() string {
	if r.USD == 0 {
		return "?"
	}
	return dollars(r.USD)
}

// contents shows what was said: it was asked for.
func (f *Findings) contents(p term.Page) string {
	var b strings.Builder
	for _, l := range f.Sessions {
		fmt.Fprintf(&b, "%s\n  %s\n", term.Strong(nickname(l.Agent)+" "+tail(p, l.Project, 60)), p.Cut(l.First, p.Columns-2))
		if len(l.Again) > 0 {
			const most = 20
			b.WriteString(term.Faint("  lost and used again:") + "\n" + p.Wrap(term.Clean(strings.Join(l.Again[:min(most, len(l.Again))], " ")), "    "))
		}
	}
	return term.Heading("What was said") + b.String()
}

// sums are the totals, each with what it is a share of.
func (f *Findings) sums(p term.Page) string {
	t := f.Totals
	var b strings.Builder
	b.WriteString(term.Heading("Totals" + within(f.days)))
	say := func(format string, args ...any) {
		b.WriteString(p.Wrap(fmt.Sprintf(format, args...), "  "))
	}
	say("%s, %s, %s counted from their text.", term.Count(t.Sessions, "session"), term.Count(t.Messages, "message"), term.Count(t.Tokens, "token"))
	for _, by := range frequent(t.By) {
		switch by {
		case "unknown":
			say("What %s cost is not known: no usage written down, or no list price of the model.", term.Count(t.By[by], "session"))
		case "estimate":
			say("%s is estimated for %s that wrote no usage down: list prices, every reply one request, its beginning from the cache.", dollars(t.Cost[by]), term.Count(t.By[by], "session"))
		case "reported":
			say("%s is what the agents themselves reported for %s.", dollars(t.Cost[by]), term.Count(t.By[by], "session"))
		default:
			say("%s is the reported usage of %s at list prices; a subscription costs what it costs.", dollars(t.Cost[by]), term.Count(t.By[by], "session"))
		}
	}
	if t.Lost > 0 {
		say("%s in them could not be used.", term.Count(t.Lost, "record"))
	}
	if t.Copied > 0 {
		say("%s stood in more than one session and counted once.", term.Count(t.Copied, "request"))
	}
	f.sumCompactions(say)
	f.sumTrials(say)
	return b.String()
}

func (f *Findings) sumCompactions(say func(string, ...any)) {
	t := f.Totals
	if t.Compactions == 0 {
		say("No agent compacted.")
		return
	}
	say("Agents compacted %s in %s.", times(t.Compactions), term.Count(t.Compacted, "session"))
	if t.Blind > 0 {
		say("What %s compacted is not in the files.", times(t.Blind))
	}
	stood, lost, used := total(t.Loss.Stood), total(t.Loss.Lost), total(t.Loss.Used)
	if stood == 0 {
		return
	}
	var by []string
	for _, k := range frequent(t.Loss.Lost) {
		by = append(by, fmt.Sprintf("%s %s", k, term.Comma(t.Loss.Lost[k])))
	}
	say("Of %s in their prompts %s were lost (%s): %s.", term.Count(stood, "value"), term.Comma(lost), term.Percent(lost, stood), strings.Join(by, ", "))
	say("The model wrote %s of those lost again later (%s).", term.Comma(used), term.Percent(used, lost))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return term.Comma(n) + " times"
}

func (f *Findings) sumTrials(say func(string, ...any)) {
	t := f.Totals
	if t.Needed == 0 {
		say("Every session fits its budget: no policy would have changed anything.")
		return
	}
	say("Policies were tried on %s of the %s longer than the budget or compacted by the agent.", term.Comma(t.Tried), term.Count(t.Needed, "session"))
	if t.Cut > 0 {
		say("Of %s only the first %s were replayed: --steps replays more.", term.Count(t.Cut, "session"), term.Count(f.steps, "request"))
	}
	if len(t.Policies) == 0 {
		return
	}
	agent := t.Policies[0]
	for _, p := range t.Policies {
		text := p.Policy + ": nothing from far back was needed"
		if p.Needs > 0 {
			text = fmt.Sprintf("%s: kept %s values from far back that were needed (%s in reach)", p.Policy, p.kept(), term.Percent(p.Reach, p.Needs))
		}
		if agent.USD > 0 {
			text += fmt.Sprintf(", input %s", dollars(p.USD))
		}
		if agent.USD > 0 && p.Policy != agentTrial {
			text += fmt.Sprintf(" or %s of the agent's, cache breaks included", term.Percent(int(1000*p.USD), int(1000*agent.USD)))
		}
		say("%s; %s in %s, %d of %d over the budget.", text, term.Count(p.Breaks, "cache break"), term.Count(p.Steps, "request"), p.Over, p.Active)
	}
	say("All of these are replays of what was said, by list prices and the provider's caching rules, without system prompt and tools.")
}

// rest lists what could not be read or was no session.
func (f *Findings) rest(p term.Page) string {
	var b strings.Builder
	if f.Empty+f.Other > 0 && len(f.Sessions) > 0 {
		b.WriteString("\n")
	}
	if f.Empty > 0 {
		fmt.Fprintf(&b, "%s\n", term.Faint(term.Count(f.Empty, "file")+" in which nothing was said"))
	}
	if f.Other > 0 {
		fmt.Fprintf(&b, "%s\n", term.Faint(term.Count(f.Other, "other file")))
	}
	if len(f.Unreadable) == 0 {
		return b.String()
	}
	b.WriteString(term.Heading(term.Count(len(f.Unreadable), "path") + " could not be read"))
	for _, u := range f.Unreadable {
		fmt.Fprintf(&b, "  %s\n%s", tail(p, u.Path, p.Columns-2), p.Wrap(term.Clean(u.Why), "    "))
	}
	return b.String()
}
