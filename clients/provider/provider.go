// Package provider is a model provider for tests with real clients: it plays a script
// through whatever tools a client declares, and refuses what a real one would refuse.
//
// Use: New, then serve it, and read Report at the end. Law: it answers a question only
// from the request in front of it, never from what it was told before. Promise: each
// fault it finds is kept with the number of its request.
package provider

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"

	"github.com/seed-3db51b0e/precis/internal/fakeprovider"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// Script is the task that the model has.
type Script struct {
	// Notes is how many files notes/01.txt, notes/02.txt, … the model reads, one a step,
	// before it answers.
	Notes int
	// Facts are what the notes say, by name: see Question and Fact.
	Facts map[string]string
	// Window is the most tokens that a request may have; 0: no bound.
	Window int
	// LookUps is how many look-ups in a row the model makes at least for a fact that its
	// prompt does not hold.
	LookUps int
	// Refusals are given in their order, each once, to the first request that shows so
	// many notes to be read.
	Refusals []Refusal
}

// Question is what a user's prompt holds to ask for a fact.
func Question(name string) string { return "[[ask " + name + "]]" }

// Fact is the line of a note that answers a question. Others like it stand around it.
func Fact(name, value string) string {
	return "Berth log: " + name + " took " + value + " crates of salt and left without remarks."
}

// End is the last line of a note.
func End(n int) string { return fmt.Sprintf("(end of note %02d)", n) }

// Report is what a provider saw.
type Report struct {
	Requests int      // those of the conversation: not titles, not counts
	Faults   []string // what a real provider would have refused
	Refused  int      // requests over the window
	Largest  int      // tokens of the largest request
	LookUps  int      // look-ups that the model made
	Answers  []Answer
	Bodies   []string // of the conversation, as they came
	Sizes    []int    // their tokens
	Given    []Kind   // the refusals of the script that were given

	Summaries int // that clients asked for, to compact their conversation
}

// Answer is how a question was answered.
type Answer struct {
	Name  string
	Right bool
	From  string // "prompt", "look-up", or why it was not
}

// Provider answers requests of all three APIs. Safe for concurrent use.
type Provider struct {
	script Script
	count  tokenizer.Codec

	mu     sync.Mutex
	report Report
	made   int    // answers, for their ids
	asked  string // the question being answered
	looked int    // look-ups for it so far
	done   int    // notes that a request showed to be read
	left   []Refusal
}

// New returns a provider that plays a script.
func New(s Script) (*Provider, error) {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, fmt.Errorf("load tokenizer: %w", err)
	}
	return &Provider{script: s, count: c, left: s.Refusals}, nil
}

// Report returns what was seen so far.
func (p *Provider) Report() Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.report
	r.Faults, r.Answers, r.Bodies, r.Sizes, r.Given = slices.Clone(r.Faults), slices.Clone(r.Answers), slices.Clone(r.Bodies), slices.Clone(r.Sizes), slices.Clone(r.Given)
	return r
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api := apiOf(r.URL.Path)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	if api == "" || r.Method != http.MethodPost {
		p.beside(w, r, body)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	q := read(api, body)
	reply, no := p.answer(q)
	w.Header().Set("Request-Id", fmt.Sprintf("req_%d", p.made))
	switch {
	case no != nil:
		no.write(w, api)
	case q.Stream:
		w.Header().Set("Content-Type", "text/event-stream")
		stream(w, reply.Stream(api))
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, reply.Whole(api))
	}
}

// stream writes a stream as real ones come: some events at a time.
func stream(w http.ResponseWriter, text string) {
	flush, _ := w.(http.Flusher)
	for event := range strings.SplitAfterSeq(text, "\n\n") {
		if _, err := io.WriteString(w, event); err != nil {
			return
		}
		if flush != nil {
			flush.Flush()
		}
	}
}

func apiOf(path string) string {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return "anthropic"
	case strings.HasSuffix(path, "/chat/completions"):
		return "openai"
	case strings.HasSuffix(path, "/responses"):
		return "responses"
	}
	return ""
}

// beside answers what is no part of a conversation.
func (p *Provider) beside(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		_, _ = fmt.Fprintf(w, `{"input_tokens":%d}`, p.tokens(read("anthropic", body)))
	case strings.HasSuffix(r.URL.Path, "/models"):
		_, _ = io.WriteString(w, `{"object":"list","data":[],"has_more":false}`)
	default:
		(&refusal{status: http.StatusNotFound, kind: invalid, text: "no such path: " + r.URL.Path}).write(w, "openai")
	}
}

// answer plays the script for one request; no is what a provider would refuse it with.
func (p *Provider) answer(q *request) (a fakeprovider.Reply, no *refusal) {
	p.made++
	size := p.tokens(q)
	a = fakeprovider.Reply{ID: fmt.Sprintf("id%d", p.made), Model: q.Model, Input: size, Output: 20}
	if faults := wirecheck.Check(q.api, q.body, wirecheck.Options{AllowUnknown: true, AllowNeighbours: true, AllowEmpty: true}); len(faults) > 0 {
		for _, f := range faults {
			p.fault("%s", f)
		}
		return a, &refusal{status: http.StatusBadRequest, kind: invalid, text: faults[0].String()}
	}
	if p.script.Window > 0 && size > p.script.Window {
		p.report.Refused++
		return a, tooLong(q.api, size, p.script.Window)
	}
	if q.thinks {
		a.Thinking = fmt.Sprintf("This is thought %d.", p.made)
		a.Signature = base64.StdEncoding.EncodeToString([]byte(a.Thinking + strings.Repeat(" signed", 12)))
	}
	shell := q.shell()
	if q.summarizes() {
		p.report.Summaries++
	}
	if shell == nil {
		a.Text = q.aside(p.made)
		return a, nil
	}
	p.done = max(p.done, q.lastNote())
	if no := p.due(q, size); no != nil {
		return a, no
	}
	p.report.Requests++
	p.report.Largest = max(p.report.Largest, size)
	p.report.Bodies, p.report.Sizes = append(p.report.Bodies, string(q.body)), append(p.report.Sizes, size)
	switch next := p.done + 1; {
	case q.summarizes():
		a.Text = q.aside(p.made)
	case next <= p.script.Notes && !q.lookedUp:
		a.Text = fmt.Sprintf("Now note %d.", next)
		a.Calls = []fakeprovider.Call{{ID: fmt.Sprintf("call_%04d", p.made), Name: shell.name, Args: shell.run(fmt.Sprintf("cat notes/%02d.txt", next))}}
	default:
		p.conclude(q, &a)
	}
	return a, nil
}

func (p *Provider) fault(format string, args ...any) {
	p.report.Faults = append(p.report.Faults, fmt.Sprintf("request %d: ", p.made)+fmt.Sprintf(format, args...))
}

// conclude answers the last question, or looks for its answer.
func (p *Provider) conclude(q *request, a *fakeprovider.Reply) {
	if !q.lookedUp || p.asked == "" {
		p.asked, p.looked = q.question(), 0
	}
	name := p.asked
	value, known := p.script.Facts[name]
	if !known {
		a.Text, p.asked = "All notes are read.", ""
		return
	}
	seen := strings.Contains(q.all, Fact(name, value))
	left := !strings.Contains(q.last, "No look-up is left") && !strings.Contains(q.last, "no look-up is left")
	if (!seen && p.looked < 3 || seen && 0 < p.looked && p.looked < p.script.LookUps) && left && q.has("precis_grep") {
		p.looked++
		p.report.LookUps++
		a.Text = "I look it up. "
		a.Calls = []fakeprovider.Call{p.lookUp(q, name, seen)}
		return
	}
	from := "prompt"
	switch {
	case seen && p.looked > 0:
		from = "look-up"
	case !seen && !q.has("precis_grep"):
		from = "not in the prompt, and no look-up tools"
	case !seen:
		from = fmt.Sprintf("not found in %d look-ups", p.looked)
	}
	p.report.Answers = append(p.report.Answers, Answer{Name: name, Right: seen, From: from})
	a.Text = "UNKNOWN " + name
	if seen {
		a.Text = "ANSWER " + name + " = " + value
	}
	p.asked = ""
}

// lookUp is the next look-up in a row: by words, then what was found, page by page.
func (p *Provider) lookUp(q *request, name string, seen bool) fakeprovider.Call {
	c := fakeprovider.Call{ID: fmt.Sprintf("call_%04d", p.made), Name: "precis_grep", Args: quoted(map[string]any{"query": name + " took crates of salt"})}
	ref := q.found()
	switch {
	case p.looked == 1 || ref == "":
	case p.looked%3 == 2:
		c.Name, c.Args = "precis_read", quoted(map[string]any{"id": ref})
	case p.looked%3 == 0:
		c.Name, c.Args = "precis_describe", quoted(map[string]any{"id": ref})
	default:
		c.Args = quoted(map[string]any{"query": "note", "limit": 3})
	}
	return c
}

func quoted(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// claudeFactor is about what Claude's tokenizer counts more than o200k.
const claudeFactor = 1.35

// tokens is the size of a request by a tokenizer that is not the one under test.
func (p *Provider) tokens(q *request) int {
	n, err := p.count.Count(q.all)
	if err != nil {
		n = len(q.all) / 3
	}
	if q.api == "anthropic" {
		n = int(float64(n) * claudeFactor)
	}
	return n + 4*q.values
}
