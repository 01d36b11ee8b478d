package llm

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // the prompts
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary"
)

// DefaultPrompt is the prompt of summary.Chunk.
//
//go:embed prompts/chunk.txt
var DefaultPrompt string

var (
	//go:embed prompts/system.txt
	systemPrompt string
	//go:embed prompts/structure.txt
	structurePrompt string
	//go:embed prompts/session.txt
	sessionPrompt string
	//go:embed prompts/range.txt
	rangePrompt string
	//go:embed prompts/turn.txt
	turnPrompt string
	//go:embed prompts/handover.txt
	handoverPrompt string
)

// part holds what a design asks of a model.
type part struct {
	prompt      string
	fields      []string // of the answer
	temperature *float64 // nil = the provider's
	maxOutput   int
	// capped says that summary.Input.Cap is what the design asks the model for;
	// otherwise the model is asked for no more than fits maxOutput.
	capped bool
	caps   caps
}

// narrates reports whether the part is an account that takes the earlier one up.
func (p part) narrates() bool { return p.fields[0] == "narrative" }

func ptr(t float64) *float64 { return &t }

// wide shows much of a message, where the design names no cap.
var wide = caps{result: 4_000, message: 16_000}

var parts = map[summary.Part]part{
	summary.Structure: {
		structurePrompt,
		[]string{"facts", "decisions", "open_items", "tool_outcomes", "task", "plan"},
		ptr(.2), 2048, false, wide,
	},
	summary.Session: {
		sessionPrompt,
		[]string{"files", "decisions", "facts", "task", "last_completed", "open_items", "errors"},
		ptr(.3), 1000, true,
		caps{result: 500, message: 2_000},
	},
	summary.Range:    {rangePrompt, []string{"narrative", "facts", "open_items"}, nil, 800, true, wide},
	summary.TurnHead: {turnPrompt, []string{"narrative"}, nil, 400, true, wide},
	summary.Handover: {handoverPrompt, []string{"narrative", "facts", "open_items"}, nil, 2048, false, wide},
	summary.Chunk:    {DefaultPrompt, []string{"narrative"}, ptr(0), 1024, true, wide},
}

// Values hold the texts for the placeholders of a prompt.
type Values struct{ Persona, Task, Existing, Messages string }

// Interpolate fills {persona}, {task}, {existing_summary} and {messages} into a prompt:
// every occurrence, literally and in one pass, so that what is filled in is
// never looked at again. An empty Existing reads "(no prior summary)", an empty Task
// "Unknown task".
func Interpolate(template string, v Values) string {
	return strings.NewReplacer("{persona}", v.Persona, "{task}", cmp.Or(v.Task, "Unknown task"),
		"{existing_summary}", cmp.Or(v.Existing, "(no prior summary)"), "{messages}", v.Messages).Replace(template)
}

// fence puts data between two lines that the data cannot hold: their code
// follows from it.
func fence(kind, text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	code := hex.EncodeToString(sum[:4])
	for strings.Contains(text, code) {
		sum = sha256.Sum256(sum[:])
		code = hex.EncodeToString(sum[:4])
	}
	return "<<<" + kind + " " + code + "\n" + text + "\n>>>" + kind + " " + code
}

// What ends a prompt, after the data.
const (
	closing = `Answer with one JSON object and nothing else: no words before or after it. Keep it below %d tokens. Leave a list empty rather than guess. It has this form:
%s`
	closingProse = `Answer with the summary and nothing else. Keep it below %d tokens.`
)

// How the account that is asked for stands to the earlier summary.
const (
	replaceEarlier = "What you write replaces the earlier summary: carry over all of it that still matters, in fewer words, before what the messages add."
	keepEarlier    = "The earlier summary stays where it is: do not repeat it."
)

// prose reports whether the answer may be plain text: a prompt of the caller's own takes
// the place of one that asks for an account and nothing beside it.
func (r *run) prose() bool { return r.s.cfg.Prompt != "" && len(r.part.fields) == 1 }

// template returns the prompt before anything is filled in.
func (r *run) template() string { return cmp.Or(r.s.cfg.Prompt, r.part.prompt) }

// values are the texts for a prompt's placeholders.
func (r *run) values(existing, messages string) Values {
	task := cut(escape(r.in.Task), 2*r.s.cfg.MaxInput/5, "\n[...truncated...]")
	return Values{Persona: r.s.cfg.Persona, Task: fence("task", task), Existing: fence("summary", existing), Messages: messages}
}

// user returns the text of the prompt.
func (r *run) user(existing, messages string) string {
	text := Interpolate(r.template(), r.values(existing, fence("messages", messages)))
	return strings.TrimSpace(text) + "\n\n" + r.closing(existing)
}

func (r *run) closing(existing string) string {
	var b strings.Builder
	switch {
	case existing == "" || !r.part.narrates():
	case r.state == nil:
		b.WriteString(keepEarlier + "\n\n")
	default:
		b.WriteString(replaceEarlier + "\n\n")
	}
	if r.in.Instructions != "" {
		b.WriteString("Besides, you were asked: " + r.in.Instructions + "\n\n")
	}
	if r.prose() {
		fmt.Fprintf(&b, closingProse, r.asked())
	} else {
		fmt.Fprintf(&b, closing, r.asked(), form(r.part.fields))
	}
	return b.String()
}

// leastOutput is the least cap of an answer in tokens, however little is asked for: its
// form takes some.
const leastOutput = 256

// asked returns how many tokens the model is told to stay below: the cap of the text
// that it writes.
func (r *run) asked() int {
	most := cmp.Or(r.s.cfg.MaxOutput, r.part.maxOutput) * 4 / 5
	switch {
	case !r.part.capped || r.in.Cap == 0:
		return most
	case r.s.cfg.MaxOutput > 0:
		return min(r.in.Cap, most)
	}
	return r.in.Cap
}

// maxOutput returns the cap of the answer: a quarter more than what is asked for.
func (r *run) maxOutput() int {
	if r.s.cfg.MaxOutput > 0 || !r.part.capped || r.in.Cap == 0 {
		return cmp.Or(r.s.cfg.MaxOutput, r.part.maxOutput)
	}
	return max(r.asked()*5/4, leastOutput)
}

// request returns the call for a prompt by itself.
func (r *run) request(user string) *codec.Request {
	c := r.s.cfg
	req := &codec.Request{
		Model: c.Model, MaxOutput: r.maxOutput(), Stream: c.Stream,
		System:   []message.Part{{Kind: message.Text, Text: strings.TrimSpace(systemPrompt)}},
		Messages: []message.Message{message.TextOf(message.User, user)},
	}
	if !c.Plain {
		req.Temperature = r.part.temperature
		if c.Temperature != nil {
			req.Temperature = c.Temperature
		}
		if !r.prose() {
			req.Format = &codec.Format{Name: "summary", Schema: schema(r.part.fields)}
		}
	}
	return req
}
