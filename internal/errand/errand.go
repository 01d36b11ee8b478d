// Package errand is a long task for tests of agent frameworks, and the scripted model
// that carries it out.
//
// Use: give an agent Task, a tool that answers with Page, and a model that answers with
// Reply. Law: the model is a pure function of the prompt that it is shown: it knows
// nothing that is not in it. Promise: Reply refuses a prompt that is too long as a
// provider does, and one that no provider would take.
package errand

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ReadPage is the name of the tool that the model calls, with {"page":7}.
const ReadPage = "read_page"

// Message is one message of a prompt as a model reads it.
type Message struct {
	Role    string // system, user, assistant or tool
	Text    string // all text in it, without thinking
	Calls   []Call
	Results []Result
}

// Call is a call of a tool.
type Call struct{ ID, Name, Args string }

// Result is the outcome of a call.
type Result struct{ ID, Text string }

// Reply is the model's answer: text at the end, calls before.
type Reply struct {
	Text  string
	Calls []Call
}

// Errand is the task: read so many pages, each of which names the next, and then say what
// was written on a line of an early one.
type Errand struct {
	Pages  int // to read
	Lines  int // of a page; a line is about 60 bytes
	AtOnce int // pages that the model asks for in one reply; 0 = 1
	Ask    int // the page that the question at the end is about; 0 = 1
	// Window is the most that the model takes, in tokens of four bytes; 0 = no limit.
	Window int
	// Grep names the tool that the model looks things up with, "" = none.
	Grep string
}

// TooLong is the refusal of a prompt that does not fit the window. Its text is that of a
// provider.
type TooLong struct{ Used, Window int }

func (e *TooLong) Error() string {
	return fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", e.Window, e.Used)
}

// Task is the first message of the user.
func (e Errand) Task() string {
	return fmt.Sprintf("Read all %d pages of the catalogue with %s, page after page. The last one has a question; answer it, and add the name of the ship, which is Albatross-9.", e.Pages, ReadPage)
}

// Page is the result of reading a page.
func (e Errand) Page(n int) string {
	if n < 1 || n > e.Pages {
		return fmt.Sprintf("there is no page %d", n)
	}
	next := fmt.Sprintf("next page: %d", n+1)
	if n == e.Pages {
		next = fmt.Sprintf("that was the last page. Question: what does shelf %s hold?", e.shelf())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "page %d of %d; %s\n", n, e.Pages, next)
	for i := 1; i <= e.Lines; i++ {
		fmt.Fprintf(&b, "shelf %d-%d holds crate %s, %d kg, checked\n", n, i, crate(n, i), 10+(n*7+i*3)%80)
	}
	b.WriteString(next + "\n")
	return b.String()
}

// Answer is the right answer to the question at the end.
func (e Errand) Answer() string {
	return fmt.Sprintf("Shelf %s holds crate %s. The ship is Albatross-9.", e.shelf(), crate(max(e.Ask, 1), e.line()))
}

func (e Errand) line() int     { return (e.Lines + 1) / 2 }
func (e Errand) shelf() string { return fmt.Sprintf("%d-%d", max(e.Ask, 1), e.line()) }

// crate is a value that follows from its place in no simple way.
func crate(page, line int) string { return fmt.Sprintf("KX%05d", (page*7919+line*104729)%100000) }

// Run answers a call of ReadPage.
func (e Errand) Run(args string) string {
	var in struct{ Page int }
	if err := json.Unmarshal([]byte(args), &in); err != nil {
		return "bad arguments: " + err.Error()
	}
	return e.Page(in.Page)
}

var (
	nextPage = regexp.MustCompile(`next page: (\d+)`)
	question = regexp.MustCompile(`Question: what does shelf (\d+-\d+) hold`)
	ship     = regexp.MustCompile(`ship, which is (\w+-\d+)`)
)

// Reply answers a prompt. The error is a *TooLong, or says what is wrong with the prompt.
func (e Errand) Reply(prompt []Message) (Reply, error) {
	if err := Check(prompt); err != nil {
		return Reply{}, err
	}
	if used := Tokens(prompt); e.Window > 0 && used > e.Window {
		return Reply{}, &TooLong{used, e.Window}
	}
	all := text(prompt)
	asked := question.FindStringSubmatch(all)
	if asked == nil {
		return e.read(prompt, all), nil
	}
	found := regexp.MustCompile(`shelf ` + regexp.QuoteMeta(asked[1]) + ` holds crate (\w+)`).FindStringSubmatch(all)
	name := ship.FindStringSubmatch(all)
	switch {
	case found != nil && name != nil:
		return Reply{Text: fmt.Sprintf("Shelf %s holds crate %s. The ship is %s.", asked[1], found[1], name[1])}, nil
	case e.Grep == "" || strings.Contains(lastCalls(prompt), "shelf "):
		return Reply{Text: "I do not know."}, nil
	}
	return e.lookUp("look_up", "shelf "+asked[1]+" holds"), nil
}

// lookUp searches what the prompt does not show.
func (e Errand) lookUp(id, query string) Reply {
	args, _ := json.Marshal(map[string]string{"query": query})
	return Reply{Calls: []Call{{id, e.Grep, string(args)}}}
}

// read asks for the pages that follow the last one of which the prompt tells. Where it
// shows the page that was read last without the line that names the next, that is looked
// up first.
func (e Errand) read(prompt []Message, all string) (r Reply) {
	next := 1
	for _, m := range nextPage.FindAllStringSubmatch(all, -1) {
		n, _ := strconv.Atoi(m[1])
		next = max(next, n)
	}
	if last := lastPage(prompt); last >= next && e.Grep != "" {
		return e.lookUp(fmt.Sprintf("look_up_%d", last), fmt.Sprintf("page %d of %d", last, e.Pages))
	}
	for n := next; n < next+max(e.AtOnce, 1) && n <= e.Pages; n++ {
		r.Calls = append(r.Calls, Call{fmt.Sprintf("page_%d", n), ReadPage, fmt.Sprintf(`{"page":%d}`, n)})
	}
	return r
}

// lastPage is the last page that the last reply with calls asked for, 0 for none.
func lastPage(prompt []Message) (last int) {
	for _, m := range slices.Backward(prompt) {
		for _, c := range m.Calls {
			var in struct{ Page int }
			if c.Name == ReadPage && json.Unmarshal([]byte(c.Args), &in) == nil {
				last = max(last, in.Page)
			}
		}
		if len(m.Calls) > 0 {
			return last
		}
	}
	return 0
}

// lastCalls returns the arguments of the last reply with calls.
func lastCalls(prompt []Message) (args string) {
	for _, m := range slices.Backward(prompt) {
		for _, c := range m.Calls {
			args += c.Args + " "
		}
		if args != "" {
			return args
		}
	}
	return ""
}

func text(prompt []Message) string {
	var b strings.Builder
	for _, m := range prompt {
		b.WriteString(m.Text + "\n")
		for _, r := range m.Results {
			b.WriteString(r.Text + "\n")
		}
	}
	return b.String()
}

// Tokens counts a prompt, four bytes each.
func Tokens(prompt []Message) (n int) {
	for _, m := range prompt {
		n += len(m.Text)
		for _, c := range m.Calls {
			n += len(c.ID) + len(c.Name) + len(c.Args)
		}
		for _, r := range m.Results {
			n += len(r.ID) + len(r.Text)
		}
	}
	return n / 4
}

// Check returns what a provider would find wrong with a prompt: a call that is not answered
// by the messages right after it, a result without its call, a beginning that is the
// assistant's, an end that asks nothing.
func Check(prompt []Message) error {
	open, began := map[string]bool{}, false
	for i, m := range prompt {
		if m.Role == "assistant" && !began {
			return fmt.Errorf("message %d: the assistant speaks first", i)
		}
		began = began || m.Role != "system"
		for _, r := range m.Results {
			if !open[r.ID] {
				return fmt.Errorf("message %d: result %q without its call", i, r.ID)
			}
			delete(open, r.ID)
		}
		if len(m.Results) == 0 && len(open) > 0 {
			return fmt.Errorf("message %d: %d calls are not answered", i, len(open))
		}
		for _, c := range m.Calls {
			if open[c.ID] {
				return fmt.Errorf("message %d: call %q twice", i, c.ID)
			}
			open[c.ID] = true
		}
	}
	switch {
	case len(open) > 0:
		return fmt.Errorf("%d calls are not answered at the end", len(open))
	case len(prompt) == 0 || prompt[len(prompt)-1].Role == "assistant":
		return fmt.Errorf("nothing is asked")
	}
	return nil
}
