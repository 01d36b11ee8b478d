package llm

import (
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
	caps        caps
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
		ptr(.2), 2048, wide,
	},
	summary.Session: {
		sessionPrompt,
		[]string{"files", "decisions", "facts", "task", "last_completed", "open_items", "errors"},
		ptr(.3), 1000,
		caps{result: 500, message: 2_000},
	},
	summary.Range:    {rangePrompt, []string{"narrative", "facts", "open_items"}, nil, 800, wide},
	summary.TurnHead: {turnPrompt, []string{"narrative"}, nil, 400, wide},
	summary.Handover: {handoverPrompt, []string{"narrative", "facts", "open_items"}, nil, 2048, wide},
	summary.Chunk:    {DefaultPrompt, []string{"narrative"}, ptr(0), 1024, wide},
}

// Values hold the texts for the placeholders of a prompt.
type Values struct{ Persona, Existing, Messages string }

// Interpolate fills {persona}, {existing_summary} and {messages} into a prompt:
// every occurrence, literally and in one pass, so that what is filled in is
// never looked at again. An empty Existing reads "(no prior summary)".
func Interpolate(template string, v Values) string {
	if v.Existing == "" {
		v.Existing = "(no prior summary)"
	}
	return strings.NewReplacer("{persona}", v.Persona, "{existing_summary}", v.Existing, "{messages}", v.Messages).Replace(template)
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

// closing ends every prompt, after the data.
const closing = `Answer with one JSON object and nothing else: no words before or after it. Keep it below %d tokens. Leave a list empty rather than guess. It has this form:
%s`

// How the account that is asked for stands to the earlier summary.
const (
	replaceEarlier = "What you write replaces the earlier summary: carry over all of it that still matters, in fewer words, before what the messages add."
	keepEarlier    = "The earlier summary stays where it is: do not repeat it."
)

// user returns the text of the prompt.
func (r *run) user(existing, messages string) string {
	template := r.part.prompt
	if p := r.s.cfg.Prompt; p != "" {
		template = p
	}
	text := Interpolate(template, Values{Persona: r.s.cfg.Persona, Existing: fence("summary", existing), Messages: fence("messages", messages)})
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
	fmt.Fprintf(&b, closing, r.maxOutput()*4/5, form(r.part.fields))
	return b.String()
}

func (r *run) maxOutput() int { return or(r.s.cfg.MaxOutput, r.part.maxOutput) }

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
		req.Format = &codec.Format{Name: "summary", Schema: schema(r.part.fields)}
	}
	return req
}
