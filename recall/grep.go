package recall

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// Query asks for lines.
type Query struct {
	Pattern *regexp.Regexp // required; matched against single lines, of JSON as it reads
	Ref     string         // search only what this names; "" is the whole thread
	Role    message.Role   // only messages of this role (see RoleOf); "" is any
	Tool    string         // only calls and results of this tool; "" is any
	Source  Source         // only what is kept there; "" is anywhere
	Covered bool           // only what the prompt does not show as it was said
	Newest  bool           // the newest message first, not the oldest
	Context int            // lines shown before and after a hit
	Skip    int            // hits left out before the first returned
	Max     int            // most hits returned; 0 is 100, negative is no bound
	Width   int            // most bytes of a line shown; 0 is 400, negative is no bound
	Work    *Work          // what this search and others may cost; nil is no bound
}

// Source names where a text is kept.
type Source string

// The sources. What was moved out is in both: its message stays in the log.
const (
	FromLog       Source = "log"
	FromArtifacts Source = "artifacts"
)

// Hit is a line that matches.
type Hit struct {
	Ref    string       `json:"ref"` // "#12/2", or an artifact's id
	Number int          `json:"number"`
	Role   message.Role `json:"role"`
	Tool   string       `json:"tool,omitempty"`
	Line   int          `json:"line"` // within the part, counted from 1; of JSON with escapes, as it reads without them
	Text   string       `json:"text"`
	// State tells what stands in the prompt for the part: see the function State.
	State  string   `json:"state"`
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// Hits hold what a query found, by message in thread order or, with Newest, against it.
type Hits struct {
	Hits  []Hit `json:"hits"`
	Total int   `json:"total"` // lines that match, also those not returned
}

// Grep searches every part of every message, and artifacts that hold other
// text than their message does, and then what the thread goes on from; earlier look-ups, which repeat what they found,
// only where Ref or Tool names them. It returns ErrMiss when nothing matches.
func (r *Reader) Grep(ctx context.Context, q Query) (Hits, error) {
	in := append([]*Reader{r}, r.earlier...)
	if q.Ref != "" {
		one, ref := r.of(q.Ref)
		in, q.Ref = []*Reader{one}, ref
	}
	s := searcher{q: q, matcher: newMatcher(ctx, q.Work, q.Pattern)}
	if s.q.Max == 0 {
		s.q.Max = 100
	}
	if s.q.Width == 0 {
		s.q.Width = 400
	}
	for _, s.r = range in {
		s.names = Tools(s.r.Thread)
		if err := s.run(ctx); err != nil {
			return Hits{}, err
		}
	}
	switch {
	case s.out.Total > 0:
	case q.Ref != "":
		return Hits{}, fmt.Errorf("grep %q in %s: %w", q.Pattern, q.Ref, outside("no line matches"))
	default:
		return Hits{}, fmt.Errorf("grep %q: %w: no line matches", q.Pattern, ErrMiss)
	}
	return s.out, nil
}

type searcher struct {
	matcher
	r     *Reader
	q     Query
	names map[string]string
	out   Hits
}

func (s *searcher) run(ctx context.Context) error {
	if s.q.Ref == "" {
		for n := range s.r.Thread.Len() {
			i := n
			if s.q.Newest {
				i = s.r.Thread.Len() - 1 - n
			}
			if err := cmp.Or(ctx.Err(), s.message(i, 0)); err != nil {
				return fmt.Errorf("grep %q: %w", s.q.Pattern, err)
			}
		}
		return s.artifacts(ctx)
	}
	p, err := s.r.Find(ctx, s.q.Ref)
	switch {
	case err != nil:
		return err
	case p.Artifact != nil:
		text, err := s.r.content(ctx, *p.Artifact)
		if err != nil {
			return err
		}
		return s.text(Hit{Ref: s.r.label + p.Artifact.ID, Number: p.Index + 1, Tool: p.Artifact.Tool}, unescaped(text))
	case p.Record != nil:
		for _, id := range p.Record.Span.IDs {
			if i, ok := s.r.Thread.Find(id); ok {
				if err := s.message(i, p.Part); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return s.message(p.Index, p.Part)
}

// message searches a part, or all parts (part 0), of the message at i.
func (s *searcher) message(i, part int) error {
	e := s.r.Thread.At(i)
	if s.q.Role != "" && RoleOf(e.Message) != s.q.Role {
		return nil
	}
	for n := range e.Message.Parts {
		p := e.Message.Parts[n]
		if part != 0 && part != n+1 || !s.wanted(i, n) {
			continue
		}
		err := s.text(Hit{
			Ref: s.r.nameOf(Place{Index: i, Part: n + 1}), Number: i + 1, Role: RoleOf(e.Message),
			Tool: toolOf(p, s.names), State: s.r.state(e.ID, n+1),
		}, asRead(p))
		if err != nil {
			return err
		}
	}
	return nil
}

// wanted reports whether the query is for part n, counted from 0, of message i.
func (s *searcher) wanted(i, n int) bool {
	e := s.r.Thread.At(i)
	p := e.Message.Parts[n]
	return (s.q.Tool == "" || toolOf(p, s.names) == s.q.Tool) &&
		(s.q.Tool != "" || s.q.Ref != "" || !repeats(p, s.names)) && // an earlier look-up would find itself
		(!s.q.Covered || s.r.label != "" || hides(s.r.Plan, e.ID, n+1)) &&
		(s.q.Source != FromArtifacts || s.r.moved(e.ID, n+1))
}

// moved reports whether an artifact was taken from a part of an entry; part 0 is
// any of it.
func (r *Reader) moved(id thread.ID, part int) bool {
	return slices.ContainsFunc(r.takenFrom(id), func(n int) bool {
		of := r.Artifacts[n].Part
		return part == 0 || of == 0 || of == part
	})
}

// artifacts searches those whose content is not the text of their source.
func (s *searcher) artifacts(ctx context.Context) error {
	if s.q.Source == FromLog {
		return nil
	}
	for n, a := range s.r.Artifacts {
		i, text, ok := s.r.ownText(ctx, n)
		if !ok {
			continue
		}
		role := RoleOf(s.r.Thread.At(i).Message)
		if (s.q.Role == "" || s.q.Role == role) && (s.q.Tool == "" || s.q.Tool == a.Tool) {
			if err := s.text(Hit{Ref: s.r.label + a.ID, Number: i + 1, Role: role, Tool: a.Tool, State: "externalize"}, unescaped(text)); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// text adds the lines of text that match, like h but for the line.
func (s *searcher) text(h Hit, text string) error {
	var before []string // the last q.Context lines
	rest := text
	for n := 1; rest != ""; n++ {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		line = strings.TrimSuffix(line, "\r")
		at, err := s.find(line)
		if err != nil {
			return err
		}
		if at != nil {
			s.out.Total++
			if s.out.Total > s.q.Skip && (s.q.Max < 0 || len(s.out.Hits) < s.q.Max) {
				h.Line, h.Text = n, window(line, at[0], at[1], s.q.Width)
				h.Before, h.After = slices.Clone(before), s.after(rest)
				s.out.Hits = append(s.out.Hits, h)
			}
		}
		if s.q.Context > 0 {
			before = append(before[max(0, len(before)+1-s.q.Context):], window(line, 0, 0, s.q.Width))
		}
	}
	return nil
}

func (s *searcher) after(rest string) []string {
	var out []string
	for len(out) < s.q.Context && rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		out = append(out, window(strings.TrimSuffix(line, "\r"), 0, 0, s.q.Width))
	}
	return out
}

// window is line, or width bytes of it around [a, b) with "…" where it is cut.
func window(line string, a, b, width int) string {
	if width < 0 || len(line) <= width {
		return line
	}
	from := max(0, min(a-max(0, width-(b-a))/2, len(line)-width))
	to := min(len(line), from+width)
	for from > 0 && from < to && !utf8.RuneStart(line[from]) {
		from++
	}
	for to < len(line) && to > from && !utf8.RuneStart(line[to]) {
		to--
	}
	out := line[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(line) {
		out += "…"
	}
	return out
}
