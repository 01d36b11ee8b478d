package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/ref"
)

// Print says how a report is printed for people.
type Print struct {
	Columns    int      // of a line; 0 is 80
	Cut        bool     // what is long may be cut, as on a terminal; else it is wrapped
	Title      []string // what was compacted: file, format, model
	Command    string   // how this program is called; "" is precis
	Flags      string   // what each command needs to find this thread: " --db x.db"
	NoCommands bool     // no command is printed
	Remarks    []string // what a reader should know before trusting the rest
}

// String is the report for people, 80 columns wide, without commands: where the log is,
// it does not know.
func (r *Report) String() string { return term.Plain(r.Text(Print{NoCommands: true})) }

// Text writes the report for people.
func (r *Report) Text(o Print) string {
	p := term.Page{Columns: cmp.Or(o.Columns, term.Columns)}
	var b strings.Builder
	title := strings.Join(o.Title, " · ")
	if o.Cut {
		title = term.Cut(title, p.Columns-8)
	}
	if head := term.Strong("précis") + "  " + term.Line(title); ansi.StringWidth(head) <= p.Columns {
		b.WriteString(strings.TrimRight(head, " ") + "\n")
	} else {
		b.WriteString(p.Wrap(head, ""))
	}
	b.WriteString(r.headline(p))
	if len(r.Records) > 0 {
		b.WriteString(bar(r.messages, p.Columns-4))
		b.WriteString(r.actions(p))
		b.WriteString(r.largest(p, o.Cut))
		b.WriteString(r.lost(p, o.Cut))
		if !o.NoCommands {
			b.WriteString(r.back(p, o))
		}
	} else {
		b.WriteString(r.largest(p, o.Cut))
	}
	if len(o.Remarks) > 0 {
		b.WriteString("\n")
	}
	for _, remark := range o.Remarks {
		b.WriteString(p.Paragraph(remark))
	}
	return b.String()
}

// outcomes say how it ended.
var outcomes = map[precis.Outcome]string{
	precis.Compacted:    "compacted",
	precis.Repaired:     "within budget; the history was repaired",
	precis.WithinBudget: "within budget, unchanged",
	precis.NoGain:       "unchanged: taking anything out would free nothing",
	precis.NoCutPoint:   "unchanged: everything is pinned, recent or held",
	precis.NotWorthIt:   "unchanged: compacting would cost more than it saves",
	precis.Vetoed:       "unchanged: a hook objected",
	precis.Pruned:       "old blocks hidden while the provider's cache is cold",
	precis.Shadowed:     "unchanged: shadow mode sends the history as it came",
	precis.Failed:       "failed: the last good plan stays in force, or the history goes as it came",
}

func (r *Report) headline(p term.Page) string {
	outcome := outcomes[r.Outcome]
	switch {
	case r.Uncommitted:
		outcome += fmt.Sprintf(", policy %s: this plan is not kept, as the log holds a longer conversation", r.Policy)
	case r.version == 0:
	case r.Outcome == precis.WithinBudget && len(r.Records) == 0:
		outcome = fmt.Sprintf("within budget: plan %d leaves nothing out", r.version)
	case r.Outcome == precis.WithinBudget:
		outcome = fmt.Sprintf("within budget under plan %d: nothing new to do", r.version)
	default:
		outcome += fmt.Sprintf(": plan %d, policy %s", r.version, r.Policy)
	}
	change := term.Count(r.Original, "token")
	if r.Compacted != r.Original {
		share := term.Percent(r.Compacted, r.Original)
		if r.Compacted > r.Original { // a repair added to it
			share = term.Comma(r.Compacted-r.Original) + " more"
		}
		change = fmt.Sprintf("%s → %s (%s)", term.Comma(r.Original), term.Count(r.Compacted, "token"), share)
	}
	cost := "" // nothing was done: what the plan in force cost was told with it
	if r.Outcome != precis.WithinBudget {
		cost = costLine(r.Economy, p)
	}
	return p.Wrap(term.Strong(change)+", budget "+term.Comma(r.Budget), "") + p.Paragraph(outcome) + r.grown(p) + cost
}

// grown says that a larger budget put messages back; "" where it did not.
func (r *Report) grown(p term.Page) string {
	if r.Outgrew == 0 {
		return ""
	}
	return p.Paragraph(fmt.Sprintf("the budget grew from %s to %s: messages that fit are back; the provider has to read the prompt anew once",
		term.Comma(r.Outgrew), term.Comma(r.Budget)))
}

// deed sums the records that do the same for the same reason.
type deed struct {
	act, reason    string
	records, saves int
	first, latest  int
}

// actions is the table of what was done.
func (r *Report) actions(p term.Page) string {
	deeds := map[[2]string]*deed{}
	var order []*deed
	for _, rec := range r.Records {
		k := [2]string{rec.Action, rec.Reason}
		d := deeds[k]
		if d == nil {
			d = &deed{act: k[0], reason: k[1], first: rec.FirstTurn}
			deeds[k] = d
			order = append(order, d)
		}
		d.records, d.saves = d.records+1, d.saves+rec.Saves
		d.first, d.latest = min(d.first, rec.FirstTurn), max(d.latest, rec.LastTurn)
	}
	slices.SortStableFunc(order, func(a, b *deed) int { return cmp.Compare(b.saves, a.saves) })
	t := term.Table{Right: []bool{false, true, true, true}}
	t.Add(term.Faint("action"), term.Faint("records"), term.Faint("tokens freed"), term.Faint("turns"), term.Faint("why"))
	for _, d := range order {
		turns := strconv.Itoa(d.first)
		if d.first < d.latest {
			turns = fmt.Sprintf("%d–%d", d.first, d.latest)
		}
		t.Add(d.act, term.Comma(d.records), term.Comma(d.saves), turns, term.Line(d.reason))
	}
	return term.Heading("What was taken out") + p.Table(&t)
}

// largest is the table of the biggest messages.
func (r *Report) largest(p term.Page, cut bool) string {
	if r.Messages <= len(r.Largest) {
		return "" // they are all there is
	}
	t := term.Table{Right: []bool{true, false, true}}
	for _, l := range r.Largest {
		now := l.Now
		if n := len(l.records); n == 1 {
			now = r.action(l.records[0]) + "  " + term.Faint(l.records[0])
		} else if n > 1 {
			now = fmt.Sprintf("%d parts cut  %s …", n, term.Faint(l.records[0]))
		}
		who := l.Role + " " + l.tool
		if cut {
			who = term.Cut(who, 24)
		}
		t.Add(ref.Message(l.Number).String(), term.Line(who), term.Count(l.Tokens, "token"), now)
	}
	return term.Heading("Largest messages") + p.Table(&t)
}

// action names what a record does.
func (r *Report) action(id string) string {
	i := slices.IndexFunc(r.Records, func(rec Record) bool { return rec.ID == id })
	return r.Records[i].Action
}

// lost names what no longer stands in the prompt.
func (r *Report) lost(p term.Page, cut bool) string {
	if len(r.Lost) == 0 {
		return ""
	}
	var b strings.Builder
	for _, l := range r.Lost {
		verb := "are"
		if l.Lost == 1 {
			verb = "is"
		}
		line := fmt.Sprintf("  %s of %s %s no longer in it:", term.Comma(l.Lost), kindOf(l.Kind, l.Of), verb)
		if !cut {
			var all []string
			for _, e := range l.Examples {
				all = append(all, term.Line(e))
			}
			b.WriteString(p.Wrap(strings.TrimSpace(line)+" "+strings.Join(all, ", "), "  "))
			continue
		}
		if ansi.StringWidth(line) > p.Columns {
			b.WriteString(p.Wrap(strings.TrimSuffix(line, ":"), "  "))
			continue
		}
		for i, e := range l.Examples {
			e = " " + ansi.Truncate(term.Clean(e), 44, "…")
			if i > 0 {
				e = "," + e
			}
			if ansi.StringWidth(line)+ansi.StringWidth(e) > p.Columns {
				break
			}
			line += e
		}
		b.WriteString(strings.TrimSuffix(line, ":") + "\n")
	}
	return term.Heading("What left the prompt") + b.String()
}

// kindOf is a number of values of a kind: "1 path", "1,200 URLs".
func kindOf(kind string, n int) string {
	if kind == "url" || kind == "uuid" {
		kind = strings.ToUpper(kind)
	}
	return term.Count(n, kind)
}

// back names the commands that bring things back, with ids of this run.
func (r *Report) back(p term.Page, o Print) string {
	var t term.Table
	command := func(line, about string) {
		t.Add(cmp.Or(o.Command, "precis")+" "+line+o.Flags, term.Faint(about))
	}
	command("read '"+ref.Message(r.gone()).String()+"'", "a message as it was")
	if value := r.searchable(); value != "" {
		command("grep -F "+term.Quote(value), "search all of it")
	}
	where := fmt.Sprintf("nothing is lost: thread %s", r.thread)
	if !r.Uncommitted {
		largest := slices.MaxFunc(r.Records, func(a, b Record) int { return cmp.Compare(a.Saves, b.Saves) })
		command("describe "+largest.ID, "what a record did")
		command("expand "+largest.ID, "undo one record")
		command("plan show", "every record and why")
		command("plan undo", "take the last plan back")
		where += fmt.Sprintf(", plan %d", r.version)
	}
	return term.Heading("How to get it back") + p.Table(&t) + p.Wrap(term.Faint(term.Line(where)), "  ")
}

// searchable is a short value that left the prompt, "" where there is none: a name, if there
// is one, as a number stands in many places for other things.
func (r *Report) searchable() (value string) {
	const most = 20
	for _, l := range r.Lost {
		if l.first == "" || len(l.first) > most || l.first[0] == '-' || term.Clean(l.first) != l.first {
			continue
		}
		if l.Kind != identifier.Number.String() {
			return l.first
		}
		value = l.first
	}
	return value
}

// gone is the number of the largest message that is not whole, else of the
// first message of a record.
func (r *Report) gone() int {
	for _, l := range r.Largest {
		if l.Now != "whole" {
			return l.Number
		}
	}
	return r.Records[0].From
}
