package discover

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/transcript"
)

// Compaction is one that the agent itself made.
type Compaction struct {
	// At states how many messages stood before it, From the first of them that stayed
	// word for word: At where none did.
	At, From int
	// Blind says that what was compacted is not in the file: what it lost cannot
	// be told.
	Blind   bool
	Summary string // what the agent put in place of the rest, as text
	Loss    Loss
}

// Loss holds what a compaction took out of the prompt.
type Loss struct {
	// Stood counts by kind the values in the prompt before, Lost those of them not
	// in the prompt after, Used those of the lost that the model wrote again later.
	Stood map[string]int `json:"stood"`
	Lost  map[string]int `json:"lost"`
	Used  map[string]int `json:"used"`
	// Again are the values of Used, sorted: they are content.
	Again []string `json:"-"`
}

// NewLoss is no loss, to be added to.
func NewLoss() Loss {
	return Loss{Stood: map[string]int{}, Lost: map[string]int{}, Used: map[string]int{}}
}

// Add adds another loss; l must be of NewLoss.
func (l *Loss) Add(o Loss) {
	for _, c := range []struct{ into, from map[string]int }{{l.Stood, o.Stood}, {l.Lost, o.Lost}, {l.Used, o.Used}} {
		for k, n := range c.from {
			c.into[k] += n
		}
	}
	l.Again = append(l.Again, o.Again...)
	slices.Sort(l.Again)
	l.Again = slices.Compact(l.Again)
}

// mark holds what a record says of a compaction.
type mark struct {
	summary string
	from    string   // id of the first message kept
	keeps   []string // ids of messages kept
}

// compactions reads the marks of the agent's own compactions. What stands
// between two messages is one compaction.
func compactions(t *transcript.Transcript, rs []record) []Compaction {
	at := sync.OnceValue(func() map[string]int { return positions(t) })
	var cs []Compaction
	for i, r := range rs {
		m, ok := markOf(t.Format, r)
		if !ok || t.Format == transcript.GeminiCLI && complete(m, at(), r.at) {
			continue
		}
		c := Compaction{At: r.at, From: r.at, Summary: m.summary, Blind: r.why == ""}
		if i > 0 && r.why != "" {
			m.keeps = append(m.keeps, boundary(rs[i-1])...)
		}
		if t.Format == transcript.GeminiCLI {
			m.keeps = nil // the whole prompt that followed is in the summary
		}
		for _, id := range append(m.keeps, m.from) {
			if n, ok := at()[id]; ok && id != "" && n < c.From {
				c.From = n
			}
		}
		if last := len(cs) - 1; last >= 0 && cs[last].At == c.At && !cs[last].Blind {
			cs[last].From = min(cs[last].From, c.From)
			cs[last].Summary = strings.TrimSpace(cs[last].Summary + "\n" + c.Summary)
			continue
		}
		cs = append(cs, c)
	}
	weigh(t.Messages, cs)
	return cs
}

// positions finds messages by the ids that their records have.
func positions(t *transcript.Transcript) map[string]int {
	at := map[string]int{}
	for i := len(t.Messages) - 1; i >= 0; i-- {
		var r struct {
			ID   string `json:"id"`
			UUID string `json:"uuid"`
			Info struct {
				ID string `json:"id"`
			} `json:"info"`
		}
		_ = json.Unmarshal(t.Messages[i].Raw, &r) // a record without an id is at no place
		for _, id := range []string{r.ID, r.UUID, r.Info.ID} {
			if id != "" {
				at[id] = i
			}
		}
	}
	return at
}

// compactionLine holds what records of all formats say of a compaction.
type compactionLine struct {
	Type             string          `json:"type"`
	IsCompactSummary bool            `json:"isCompactSummary"`
	Message          json.RawMessage `json:"message"`
	Summary          json.RawMessage `json:"summary"`
	Recent           string          `json:"recent"`
	FirstKept        string          `json:"firstKeptEntryId"`
	Set              json.RawMessage `json:"$set"`
	Payload          struct {
		Message     json.RawMessage `json:"message"`
		Replacement json.RawMessage `json:"replacement_history"`
	} `json:"payload"`
	Info struct {
		Summary json.RawMessage `json:"summary"`
	} `json:"info"`
	Parts []struct {
		Text string `json:"text"`
		Tail string `json:"tail_start_id"`
	} `json:"parts"`
}

// markOf reads a record as that of a compaction.
func markOf(format string, r record) (m mark, ok bool) {
	if r.why != "" && r.why != transcript.Compaction || r.why == "" && !r.names("ompact", `"summary"`) {
		return mark{}, false
	}
	var l compactionLine
	_ = json.Unmarshal(r.raw, &l) // a record of another shape is no compaction's
	switch format {
	case transcript.ClaudeCode:
		return mark{summary: leaves(l.Message)}, l.IsCompactSummary
	case transcript.Codex:
		return mark{summary: leaves(l.Payload.Message) + leaves(l.Payload.Replacement)}, l.Type == "compacted" || r.why != ""
	case transcript.Pi:
		return mark{summary: leaves(l.Summary), from: l.FirstKept}, l.Type == "compaction" || r.why != ""
	case transcript.GeminiCLI:
		return mark{summary: leaves(l.Set), keeps: ids(l.Set)}, r.why != ""
	}
	for _, p := range l.Parts {
		m.summary += p.Text
		if p.Tail != "" {
			m.from = p.Tail
		}
	}
	if l.Type == "compaction" {
		m.summary = leaves(l.Summary) + "\n" + l.Recent
	}
	return m, r.why != "" || l.Type == "compaction" || string(l.Info.Summary) == "true"
}

// ids returns those of the messages that gemini-cli made of its history.
func ids(set json.RawMessage) []string {
	var v struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	_ = json.Unmarshal(set, &v) // what is no list has none
	var all []string
	for _, m := range v.Messages {
		all = append(all, m.ID)
	}
	return all
}

// complete reports whether gemini-cli wrote all messages down that stood before: it
// does so too when it only masked some.
func complete(m mark, at map[string]int, before int) bool {
	known := 0
	for _, id := range m.keeps {
		if n, ok := at[id]; ok && n < before {
			known++
		}
	}
	all := 0
	for _, n := range at {
		if n < before {
			all++
		}
	}
	return known >= all
}

// boundary lists the ids that Claude Code's mark before a summary says were
// kept.
func boundary(r record) []string {
	var l struct {
		Metadata struct {
			Messages json.RawMessage `json:"preservedMessages"`
			Segment  json.RawMessage `json:"preservedSegment"`
		} `json:"compactMetadata"`
	}
	if !strings.HasSuffix(r.kind, "compact_boundary") || json.Unmarshal(r.raw, &l) != nil {
		return nil
	}
	return strings.Fields(leaves(l.Metadata.Messages) + " " + leaves(l.Metadata.Segment))
}

// leaves are the strings of a JSON value, a line each; names are not among them.
func leaves(raw json.RawMessage) string {
	var b strings.Builder
	d := json.NewDecoder(bytes.NewReader(raw))
	var value func() bool
	value = func() bool {
		tok, err := d.Token()
		if err != nil {
			return false
		}
		switch v := tok.(type) {
		case string:
			b.WriteString(v + "\n")
		case json.Delim:
			for d.More() {
				if v == '{' {
					if _, err := d.Token(); err != nil {
						return false
					}
				}
				if !value() {
					return false
				}
			}
			_, err = d.Token()
		}
		return err == nil
	}
	value()
	return b.String()
}

// values returns those of a text, by kind.
func values(text string, into map[string]identifier.Kind) {
	identifier.Scan(text, func(k identifier.Kind, start, end int) { into[text[start:end]] = k })
}

// said are the values of a message; thinking is sent to no model again.
func said(m message.Message) map[string]identifier.Kind {
	vs := map[string]identifier.Kind{}
	for _, p := range m.Parts {
		if p.Kind != message.Thinking {
			values(p.Body(), vs)
		}
	}
	return vs
}

// weigh tells of every compaction what it lost.
func weigh(ms []message.Message, cs []Compaction) {
	if len(cs) == 0 {
		return
	}
	all := make([]map[string]identifier.Kind, len(ms))
	for i, m := range ms {
		all[i] = said(m)
	}
	last := lastUses(ms, all)
	standing := map[string]identifier.Kind{}
	from := 0
	for i := range cs {
		c := &cs[i]
		for _, vs := range all[from:c.At] {
			maps.Copy(standing, vs)
		}
		after := map[string]identifier.Kind{}
		values(c.Summary, after)
		for _, vs := range all[c.From:c.At] {
			maps.Copy(after, vs)
		}
		if !c.Blind {
			c.Loss = loss(standing, after, last, c.At)
		}
		standing, from = after, c.At
	}
}

// lastUses is of every value the last message in which the model wrote it.
func lastUses(ms []message.Message, all []map[string]identifier.Kind) map[string]int {
	last := map[string]int{}
	for i, m := range ms {
		if m.Role == message.Assistant {
			for v := range all[i] {
				last[v] = i
			}
		}
	}
	return last
}

func loss(before, after map[string]identifier.Kind, last map[string]int, at int) Loss {
	l := NewLoss()
	for v, k := range before {
		l.Stood[k.String()]++
		if _, ok := after[v]; ok {
			continue
		}
		l.Lost[k.String()]++
		if n, ok := last[v]; ok && n >= at {
			l.Used[k.String()]++
			l.Again = append(l.Again, v)
		}
	}
	slices.Sort(l.Again)
	return l
}

// Prompt returns what the agent would have sent after a history of the session's
// first messages: all of it, or its last compaction and what came since.
func (s *Session) Prompt(history []message.Message) []message.Message {
	for i := len(s.Compactions) - 1; i >= 0; i-- {
		c := s.Compactions[i]
		if c.Blind || c.At > len(history) {
			continue
		}
		prompt := []message.Message{message.TextOf(message.User, c.Summary)}
		return append(prompt, history[c.From:]...)
	}
	return history
}
