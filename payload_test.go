package precis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

// screens is a session that looks at the screen at each step, after a picture of
// the user's own.
func screens(steps, bytes int) []message.Message {
	picture := func() message.Part {
		raw := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + strings.Repeat("A", bytes) + `"}}`
		return message.Part{Kind: message.Media, MediaType: "image/png", Size: bytes * 3 / 4, Raw: []byte(raw), Dialect: "anthropic"}
	}
	first := message.TextOf(message.User, "Book the flight on this picture.")
	first.Parts = append(first.Parts, picture())
	ms := []message.Message{first}
	for i := range steps {
		id := fmt.Sprintf("toolu_%d", i)
		ms = append(ms,
			message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "screenshot", Args: fmt.Sprintf(`{"n":%d}`, i)}}},
			message.Message{Role: message.User, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{
				{Kind: message.Text, Text: fmt.Sprintf("screen %d", i)}, picture(),
			}}}})
	}
	return ms
}

// loadOf is what a prompt weighs.
func loadOf(ms []message.Message) (l token.Load) {
	for _, m := range ms {
		l = l.Plus(token.LoadOf(m))
	}
	return l
}

// A session with a picture at each step stays within what its provider takes,
// although its tokens fit: the oldest pictures make room, with a line that says
// what they were, half of them at a time, so that the prefix breaks seldom. What
// the user sent first goes last.
//
// SPEC: V1, V4, V6, V8, B16 · WA12
func TestPicturesAndBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("megabytes of pictures")
	}
	for name, most := range map[string]token.Load{"pictures": {Media: 20}, "bytes": {Bytes: 90_000}, "both": {Media: 30, Bytes: 90_000}} {
		t.Run(name, func(t *testing.T) {
			e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
			all := screens(90, 2000)
			var last []message.Message
			commits, breaks := 0, 0
			for n := 1; n <= len(all); n += 2 {
				in := request("t", all[:n], 1_000_000)
				in.Limits.Payload = most
				turn := prepared(t, e, in)
				got := loadOf(turn.Messages)
				if most.Media > 0 && got.Media > most.Media || most.Bytes > 0 && got.Bytes > most.Bytes {
					t.Fatalf("step %d: %+v of %+v", n, got, most)
				}
				if len(turn.Failures) > 0 {
					t.Fatal(turn.Failures)
				}
				if turn.Outcome == precis.Compacted {
					commits++
				}
				for i := range last {
					if fmt.Sprint(last[i].Parts) != fmt.Sprint(turn.Messages[i].Parts) {
						breaks++
						break
					}
				}
				last = turn.Messages
			}
			if commits == 0 || commits > 12 || breaks != commits {
				t.Errorf("%d plans, %d breaks of the prefix", commits, breaks)
			}
			if loadOf(last[:1]).Media != 1 {
				t.Error("the user's own picture is gone")
			}
			if text := last[2].Parts[0].Body(); text != "screen 0\n[image/png, 1500 bytes left out of #3]" {
				t.Errorf("in its place: %q", text)
			}
		})
	}
}

// Where even the newest pictures are too many they go too, and what cannot be
// helped is said.
//
// SPEC: V4, V9
func TestPicturesOfOneMessage(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	m := screens(0, 100)[0]
	for range 9 {
		m.Parts = append(m.Parts, m.Parts[1])
	}
	in := request("t", []message.Message{m}, 100_000)
	in.Limits.Payload = token.Load{Media: 4}
	turn := prepared(t, e, in)
	if got := loadOf(turn.Messages).Media; got != 4 || turn.Plan == nil || turn.Plan.Records[0].Action != plan.Replace {
		t.Errorf("%d pictures, %+v", got, turn.Plan)
	}
	long := message.TextOf(message.User, strings.Repeat("word ", 2000))
	in = request("u", []message.Message{long}, 100_000)
	in.Limits.Payload = token.Load{Bytes: 5000}
	if turn, err := e.Prepare(t.Context(), in); err != nil || len(turn.Failures) == 0 {
		t.Errorf("%v: nothing is said of a text that is too long", err)
	}
}

// A message weighs what it weighs in the form that this request has it in: a client
// that sends what it said before with more bytes around it may pass the limit.
//
// SPEC: V4, V9
func TestBytesAreThoseOfThisRequest(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	in := request("t", nil, 100_000)
	in.Limits.Payload = token.Load{Bytes: 600}
	form := func(texts []string, space string) (ms []message.Message) {
		for _, text := range texts {
			m := message.TextOf(message.User, text)
			m.Raw = fmt.Appendf(nil, `{"role":"user",%s"content":%q}`, space, text)
			m.Dialect = "anthropic"
			ms = append(ms, m)
		}
		return ms
	}
	in.Messages = form([]string{"one", "two"}, "")
	if turn := prepared(t, e, in); turn.Outcome != precis.WithinBudget || len(turn.Failures) > 0 {
		t.Fatalf("%s, %v", turn.Outcome, turn.Failures)
	}
	in.Messages = form([]string{"one", "two", "three"}, strings.Repeat(" ", 300))
	turn := prepared(t, e, in)
	if got := loadOf(turn.Messages).Bytes; got > 600 && len(turn.Failures) == 0 {
		t.Errorf("%d bytes of 600 are sent, and nothing is said of it", got)
	}
}
