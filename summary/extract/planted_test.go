package extract_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/message"
)

// A fact is planted in a run of noise and may be superseded later. It counts as
// kept when its value and every word of its subject stand in one line of the
// text, and as standing wrongly when its old value does so after it was
// superseded, unless that line also states the new value.
type fact struct {
	kind    string
	subject []string // words that must stand in the line
	value   string
	old     []string // superseded values
	held    bool     // worded in a phrasing the extractor was not tuned on
}

func (f fact) in(line, value string) bool {
	low := strings.ToLower(line)
	for _, w := range f.subject {
		if !strings.Contains(low, strings.ToLower(w)) {
			return false
		}
	}
	return slices.ContainsFunc(states[value], func(s string) bool { return strings.Contains(line, s) }) || strings.Contains(line, value)
}

// states are the words in which the text says how a command ended.
var states = map[string][]string{
	"failure": {"- open: ", "- not run again: "},
	"success": {"the same command ran without an error line"},
}

func (f fact) kept(lines []string) bool {
	for _, l := range lines {
		if f.in(l, f.value) {
			return true
		}
	}
	return false
}

// stale returns a line in which a superseded value stands.
func (f fact) stale(lines []string) string {
	for _, l := range lines {
		for _, v := range f.old {
			if f.in(l, v) && !f.in(l, f.value) {
				return l
			}
		}
	}
	return ""
}

// planter writes a run: noise with facts in it. The same seed gives the same run.
type planter struct {
	r     *rand.Rand
	ms    []message.Message
	facts []*fact
	calls int
	used  map[string]bool
	held  bool // use the held-back phrasings
}

func newPlanter(seed uint64, held bool) *planter {
	return &planter{r: rand.New(rand.NewPCG(seed, 17)), used: map[string]bool{}, held: held}
}

func (p *planter) pick(list ...string) string { return list[p.r.IntN(len(list))] }

func (p *planter) user(text string) { p.ms = append(p.ms, message.TextOf(message.User, text)) }
func (p *planter) says(text string) {
	p.ms = append(p.ms, message.TextOf(message.Assistant, text))
}

func (p *planter) call(name string, args map[string]string, result string) {
	p.calls++
	id := fmt.Sprintf("call_%d", p.calls)
	raw, _ := json.Marshal(args)
	p.ms = append(p.ms,
		message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Text, Text: p.chat()}, {Kind: message.Call, CallID: id, Name: name, Args: string(raw)}}},
		message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: result}}}}})
}

var (
	areas = strings.Fields("billing search export import mobile admin nightly archive payment audit preview metrics checkout catalog login webhook")
	nouns = []string{"retry limit", "request timeout", "port", "cache TTL", "page size", "queue name", "release branch", "region", "worker count", "batch size", "base path", "storage bucket", "schema version", "token lifetime", "log level", "date format"}
)

// subject names something not named before in this run.
func (p *planter) subject() (name, noun string) {
	for {
		noun = nouns[p.r.IntN(len(nouns))]
		name = areas[p.r.IntN(len(areas))] + " " + noun
		if !p.used[name] {
			p.used[name] = true
			return name, noun
		}
	}
}

// val makes a value that fits the noun.
func (p *planter) val(noun string) string {
	n := p.r.IntN
	switch noun {
	case "retry limit", "worker count":
		return fmt.Sprint(3 + n(90))
	case "request timeout", "token lifetime":
		return fmt.Sprintf("%d seconds", 11+n(900))
	case "cache TTL":
		return fmt.Sprintf("%d minutes", 11+n(90))
	case "port":
		return fmt.Sprint(20000 + n(40000))
	case "page size", "batch size":
		return fmt.Sprint(101 + n(800))
	case "queue name":
		return fmt.Sprintf("jobs-%s-%d", p.pick("red", "blue", "green", "amber"), 10+n(90))
	case "release branch":
		return fmt.Sprintf("release/%d.%d", 2+n(7), n(30))
	case "region":
		return fmt.Sprintf("%s-%s-%d", p.pick("eu", "us", "ap"), p.pick("west", "north", "south", "central"), 1+n(9))
	case "base path":
		return fmt.Sprintf("/api/v%d/%s", 2+n(8), p.pick("core", "edge", "open", "beta"))
	case "storage bucket":
		return fmt.Sprintf("acme-%s-%d", p.pick("cold", "warm", "hot"), 100+n(900))
	case "schema version":
		return fmt.Sprintf("v%d.%d", 2+n(9), n(40))
	case "log level":
		return p.pick("WARN", "DEBUG", "TRACE", "ERROR")
	}
	return p.pick("YYYY-MM-DD", "DD.MM.YYYY", "MM/DD/YYYY", "RFC3339", "ISO-8601")
}

func fill(t, s, v, old string) string {
	return strings.NewReplacer("{S}", s, "{V}", v, "{O}", old).Replace(t)
}

//go:embed testdata/phrasings.txt
var phrasingsText string

// phrasings by kind: tuned ones, held-back ones.
var phrasings = func() map[string][2][]string {
	m := map[string][2][]string{}
	kind := ""
	for line := range strings.Lines(phrasingsText) {
		line = strings.TrimSpace(line)
		set, text, _ := strings.Cut(line, " ")
		list := m[kind]
		switch {
		case strings.HasPrefix(line, "["):
			kind = strings.Trim(line, "[]")
			continue
		case set == "tuned":
			list[0] = append(list[0], strings.TrimSpace(text))
		case set == "held":
			list[1] = append(list[1], strings.TrimSpace(text))
		}
		m[kind] = list
	}
	return m
}()

func (p *planter) phrase(kind string) string {
	list := phrasings[kind][0]
	if p.held {
		list = phrasings[kind][1]
	}
	return list[p.r.IntN(len(list))]
}

// plant writes one new fact of a random kind.
func (p *planter) plant() {
	s, noun := p.subject()
	f := &fact{held: p.held}
	switch p.r.IntN(6) {
	case 0, 1:
		f.kind, f.subject, f.value = "constraint", strings.Fields(s), p.val(noun)
		p.user(p.around(fill(p.phrase("constraint"), s, f.value, "")))
	case 2:
		f.kind, f.subject, f.value = "decision", strings.Fields(s), p.val(noun)
		p.says(p.aside(fill(p.phrase("decision"), s, f.value, "")))
	case 3:
		f.kind, f.subject, f.value = "number", strings.Fields(s), fmt.Sprint(1001+p.r.IntN(8000))
		p.says(p.aside(fill(p.phrase("number"), s, f.value, "")))
	case 4:
		path := fmt.Sprintf("services/%s/%s_%d.go", strings.Fields(s)[0], p.pick("handler", "model", "store", "router"), p.r.IntN(1000))
		f.kind, f.subject, f.value = "path", []string{path}, "edited"
		p.call("edit", map[string]string{"path": path, "old_string": "a := 1", "new_string": "a := 2"}, "Successfully replaced text in "+path+".")
	case 5:
		target := strings.ReplaceAll(s, " ", "-")
		f.kind, f.subject, f.value = "command", []string{"make check-" + target}, "failure"
		p.call("bash", map[string]string{"command": "cd /repo && make check-" + target}, p.failing(target))
	}
	p.facts = append(p.facts, f)
}

func (p *planter) failing(target string) string {
	return p.log() + fmt.Sprintf("Error: %s probe E%04d failed\n\nCommand exited with code 2", target, p.r.IntN(10000))
}

// change supersedes a fact that stands.
func (p *planter) change(f *fact) {
	s := strings.Join(f.subject, " ")
	old := f.value
	switch f.kind {
	case "constraint", "decision":
		for f.value == old {
			f.value = p.val(strings.Join(f.subject[1:], " "))
		}
		t := fill(p.phrase(f.kind+", changed"), s, f.value, old)
		if f.kind == "constraint" {
			p.user(p.around(t))
		} else {
			p.says(p.aside(t))
		}
	case "number":
		for f.value == old {
			f.value = fmt.Sprint(1001 + p.r.IntN(8000))
		}
		p.says(p.aside(fill(p.phrase("number, changed"), s, f.value, old)))
	case "path":
		f.value = "deleted"
		p.call("bash", map[string]string{"command": "git rm " + f.subject[0]}, "rm '"+f.subject[0]+"'")
	case "command":
		f.value = "success"
		p.call("bash", map[string]string{"command": "cd /repo && " + f.subject[0] + " 2>&1 | tail -5"}, "all probes passed\n\nCommand exited with code 0")
	}
	f.old = append(f.old, old)
}

// round writes one round: plants, one change in five plants, and noise around.
func (p *planter) round() {
	for range 3 {
		p.noise(4 + p.r.IntN(6))
		p.plant()
		p.noise(2 + p.r.IntN(4))
		if p.r.IntN(5) == 0 {
			p.change(p.facts[p.r.IntN(len(p.facts))])
		}
	}
}

func (p *planter) around(t string) string {
	if strings.HasPrefix(t, "-") || strings.HasPrefix(t, "1.") {
		return p.pick("Two things.\n", "Some notes on what we need:\n", "") + t + "\n" + p.pick("- take your time", "- ping me when ready", "")
	}
	return p.pick("", "", "Thanks for that. ", "ok cool. ", "Looks good so far.\n\n") + t + p.pick("", "", " Let me know how it goes.", "\n\nAnd take a look at the failing job when you can?")
}

func (p *planter) aside(t string) string {
	return p.pick("", "I went through the code. ", "Good news first: the build is green.\n\n") + t + p.pick("", " Next I'll look at the handlers.", "\n\nLet me run the tests now.")
}
