package adapt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/adapt"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
)

func engine(t *testing.T, preset string) (*precis.Engine, store.Store) {
	t.Helper()
	p, err := policy.Named(preset)
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New()
	e, err := precis.New(precis.Options{Store: st, Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e, st
}

// history is a task and rounds of two calls each, one of which answers at length.
func history(rounds int) []message.Message {
	ms := []message.Message{message.TextOf(message.User, "Look after the harbour. Its name is Northwick.")}
	for n := range rounds {
		call := message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Text, Text: fmt.Sprintf("I look at berth %d.", n)}}}
		answer := message.Message{Role: message.Tool}
		for i, text := range []string{strings.Repeat(fmt.Sprintf("berth %d: crane %d stands still\n", n, n*7919), 30), "empty"} {
			id := fmt.Sprintf("call_%d_%d", n, i)
			call.Parts = append(call.Parts, message.Part{Kind: message.Call, CallID: id, Name: "look", Args: fmt.Sprintf(`{"berth":%d}`, n)})
			answer.Parts = append(answer.Parts, message.Part{Kind: message.Result, CallID: id, Name: "look", Parts: []message.Part{{Kind: message.Text, Text: text}}})
		}
		ms = append(ms, call, answer)
	}
	return ms
}

// Under every preset each message of a prompt is one that came, or names what it is made
// from: the parts that stand are the very parts, and the first message that is not the
// system's is not the assistant's.
//
// SPEC: B26
func TestPositions(t *testing.T) {
	for _, preset := range []string{"balanced", "ladder", "session", "timeline", "truncate", "clip"} {
		t.Run(preset, func(t *testing.T) {
			e, _ := engine(t, preset)
			c := adapt.New(e, adapt.Options{Thread: "t", Budget: 4000}).Conversation("")
			own := history(0)
			whole, edited, written := 0, 0, 0
			for n := range 40 {
				own = append(own, history(n + 1)[2*n+1:]...)
				prompt := c.Step(t.Context(), adapt.Request{Framework: "test", Messages: own}).Prompt
				if prompt[0].Role == message.Assistant {
					t.Fatalf("step %d begins with the assistant: %+v", n, prompt[0])
				}
				for _, m := range prompt {
					switch {
					case m.Whole:
						whole++
						if m.Digest() != own[m.Own].Digest() {
							t.Fatalf("step %d: message %d is another", n, m.Own)
						}
					case m.Own >= 0:
						edited++
						checkParts(t, m, own[m.Own])
					default:
						written++
					}
				}
			}
			if whole == 0 || edited+written == 0 {
				t.Errorf("%d messages stood, %d were edited, %d written: nothing was compacted", whole, edited, written)
			}
		})
	}
}

func checkParts(t *testing.T, m adapt.Message, own message.Message) {
	t.Helper()
	if len(m.Of) != len(m.Parts) {
		t.Fatalf("%d positions of %d parts", len(m.Of), len(m.Parts))
	}
	used := map[int]bool{}
	for i, p := range m.Parts {
		n := m.Of[i]
		if n < 0 {
			if !p.Edited {
				t.Errorf("part %d is new and not edited", i)
			}
			continue
		}
		if used[n] {
			t.Errorf("part %d stands twice", n)
		}
		used[n] = true
		if same := p.Body() == own.Parts[n].Body() && p.CallID == own.Parts[n].CallID; !p.Edited && !same {
			t.Errorf("part %d stands and is another: %+v", n, p)
		}
	}
}

// What stands for many messages is made from none of them, whoever spoke first: no two messages of a
// prompt are made from one.
func TestSummariesAreWritten(t *testing.T) {
	for _, preset := range []string{"balanced", "timeline", "truncate", "clip"} {
		e, _ := engine(t, preset)
		c := adapt.New(e, adapt.Options{Thread: "t", Budget: 4000}).Conversation("")
		own := []message.Message{message.TextOf(message.User, "Look after the harbour."), message.TextOf(message.User, "Its name is Northwick.")}
		written := 0
		for n := range 60 {
			own = append(own, history(n + 1)[2*n+1:]...)
			if n%5 == 4 {
				own = append(own, message.TextOf(message.User, fmt.Sprintf("And what of berth %d?", 100+n)))
			}
			used := map[int]bool{}
			for _, m := range c.Step(t.Context(), adapt.Request{Framework: "test", Messages: own}).Prompt {
				if m.Own < 0 {
					written++
					continue
				}
				if used[m.Own] {
					t.Fatalf("%s, step %d: two messages are made from message %d", preset, n, m.Own)
				}
				if used[m.Own] = true; !m.Whole && own[m.Own].Role == message.User {
					t.Fatalf("%s, step %d: %q is made from %q", preset, n, m.Parts[0].Text, own[m.Own].Parts[0].Text)
				}
			}
		}
		if written == 0 {
			t.Errorf("%s: nothing was written", preset)
		}
	}
}

// What a user had erased does not come back with the framework's own message.
func TestErasedStaysErased(t *testing.T) {
	e, st := engine(t, "balanced")
	c := adapt.New(e, adapt.Options{Thread: "t", Budget: 100_000}).Conversation("")
	own := append(history(1), message.TextOf(message.User, "The password is swordfish."), message.TextOf(message.Assistant, "Noted."), message.TextOf(message.User, "Go on."))
	c.Step(t.Context(), adapt.Request{Framework: "test", Messages: own})
	log, err := st.Load(t.Context(), store.Key{Thread: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Erase(t.Context(), "t", log[3].ID, artifact.Tombstone{By: "ann", Reason: "a password"}); err != nil {
		t.Fatal(err)
	}
	for i, m := range c.Step(t.Context(), adapt.Request{Framework: "test", Messages: own}).Prompt {
		if m.Whole != (i != 3) || strings.Contains(fmt.Sprint(m.Parts), "swordfish") {
			t.Errorf("message %d: whole %v, %+v", i, m.Whole, m.Parts)
		}
	}
}

// A prompt that is refused for its length is made shorter once; its window holds for the
// calls after it. Other errors change nothing.
func TestRefused(t *testing.T) {
	e, _ := engine(t, "balanced")
	a := adapt.New(e, adapt.Options{Thread: "t", Budget: 100_000})
	c, own := a.Conversation(""), history(40)
	s := c.Step(t.Context(), adapt.Request{Framework: "test", Messages: own})
	if s.Refused(t.Context(), errors.New("connection reset")) {
		t.Error("an error of the network was answered")
	}
	long := errors.New("prompt is too long: 9000 tokens > 6000 maximum")
	before := len(s.Prompt)
	if !s.Refused(t.Context(), long) || len(s.Prompt) >= before {
		t.Fatalf("%d messages, then %d", before, len(s.Prompt))
	}
	s.Accepted(codec.Usage{})
	if s.Refused(t.Context(), long) {
		t.Error("a prompt was refused twice, and made a third time")
	}
	if next := c.Step(t.Context(), adapt.Request{Framework: "test", Messages: own}); len(next.Prompt) >= before {
		t.Error("the next prompt is as long as the one that was refused")
	}
}

// Whatever fails, the framework's own messages are sent.
func TestFailsOpen(t *testing.T) {
	e, _ := engine(t, "balanced")
	own := history(40)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var log bytes.Buffer
	for name, ctx := range map[string]context.Context{"ended": ended, "impossible": t.Context()} {
		s := adapt.New(e, adapt.Options{Thread: name, Budget: 10, Log: slog.New(slog.NewTextHandler(&log, nil))}).Conversation("").Step(ctx, adapt.Request{Framework: "test", Messages: own})
		if len(s.Prompt) != len(own) {
			t.Errorf("%s: %d of %d messages", name, len(s.Prompt), len(own))
		}
		for i, m := range s.Prompt {
			if !m.Whole || m.Own != i {
				t.Errorf("%s: message %d is not as it came", name, i)
			}
		}
	}
	if text := log.String(); strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, `msg="compaction failed; the request goes as it came" stage=impossible`) {
		t.Errorf("log %s", text)
	}
	if s := adapt.New(e, adapt.Options{}).Conversation("").Step(t.Context(), adapt.Request{Framework: "test"}); len(s.Prompt) != 0 {
		t.Errorf("no messages became %d", len(s.Prompt))
	}
}

// The recall tools answer from what the conversation's own history holds.
func TestAnswer(t *testing.T) {
	e, _ := engine(t, "balanced")
	a := adapt.New(e, adapt.Options{Thread: "t", Budget: 4000})
	c := a.Conversation("")
	if got := c.Answer(t.Context(), "precis_grep", `{"query":"crane"}`); !strings.HasPrefix(got, "miss: ") {
		t.Errorf("before any step: %q", got)
	}
	c.Step(t.Context(), adapt.Request{Framework: "test", Messages: history(40)})
	if got := c.Answer(t.Context(), "precis_grep", `{"query":"berth 3: crane 23757"}`); !strings.Contains(got, "crane 23757 stands still") {
		t.Errorf("%q", got)
	}
	if n := len(a.Tools()); n != 4 {
		t.Errorf("%d tools", n)
	}
	if ts := adapt.New(e, adapt.Options{NoRecall: true}).Tools(); ts != nil {
		t.Errorf("%d tools that nobody wants", len(ts))
	}
}

// A prompt for a model without the recall tools tells it to call none of them.
func TestNoWordOfToolsThatAreNotThere(t *testing.T) {
	e, _ := engine(t, "balanced")
	a := adapt.New(e, adapt.Options{Thread: "t", Budget: 4000})
	for _, tools := range [][]codec.Tool{nil, a.Tools()} {
		told := false
		for _, m := range a.Conversation("").Step(t.Context(), adapt.Request{Framework: "test", Messages: history(40), Tools: tools}).Prompt {
			told = told || strings.Contains(fmt.Sprint(m.Parts), "precis_read(")
		}
		if told != (tools != nil) {
			t.Errorf("with %d tools: told %v", len(tools), told)
		}
	}
}

// Names of a conversation: the run's, the options', the framework's session, and else
// what it begins with.
func TestThreadNames(t *testing.T) {
	e, st := engine(t, "balanced")
	named := adapt.WithThread(t.Context(), "run")
	begin := func(ctx context.Context, option, session string) {
		adapt.New(e, adapt.Options{Thread: option}).Conversation(session).Step(ctx, adapt.Request{Framework: "test", Messages: history(1)})
	}
	begin(named, "option", "session")
	begin(t.Context(), "option", "session")
	begin(t.Context(), "", "session")
	begin(t.Context(), "", "")
	for _, name := range []string{"run", "option", "session"} {
		if h, err := st.Head(t.Context(), store.Key{Thread: name}); err != nil || h.Len != 3 {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
	all, err := st.Heads(t.Context(), "")
	if err != nil || len(all) != 4 {
		t.Errorf("%d threads, %v", len(all), err)
	}
}

// What a person pins, and what an undo gives back, stands in the next prompt as the
// framework's own message.
//
// SPEC: B26
func TestPinsAndUndo(t *testing.T) {
	e, st := engine(t, "balanced")
	c, own := adapt.New(e, adapt.Options{Thread: "t", Budget: 4000}).Conversation(""), history(40)
	stands := func() map[int]bool {
		whole := map[int]bool{}
		for _, m := range c.Step(t.Context(), adapt.Request{Framework: "test", Messages: own}).Prompt {
			whole[m.Own] = m.Whole
		}
		return whole
	}
	if stands()[5] {
		t.Fatal("message 5 did not leave the prompt")
	}
	log, err := st.Load(t.Context(), store.Key{Thread: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Pin(t.Context(), "t", plan.Ref{ID: log[5].ID}); err != nil {
		t.Fatal(err)
	}
	if !stands()[5] {
		t.Error("message 5 is pinned and does not stand")
	}
	if stands()[9] {
		t.Fatal("message 9 did not leave the prompt")
	}
	if _, err := e.ExpandMessage(t.Context(), "t", log[9].ID); err != nil {
		t.Fatal(err)
	}
	if now := stands(); !now[9] || !now[10] {
		t.Error("message 9 was given back with its results and does not stand")
	}
}

// A panic in reading or writing a framework's messages does not reach the agent: its own
// messages are sent, and the log is told.
func TestPanicsOfAdaptersAreSurvived(t *testing.T) {
	e, _ := engine(t, "balanced")
	var told strings.Builder
	a := adapt.New(e, adapt.Options{Thread: "t", Budget: 4000, Log: slog.New(slog.NewTextHandler(&told, nil))})
	c, own := a.Conversation(""), []string{"a", "b"}
	same := func(m adapt.Message, _ *string) string { return m.Parts[0].Body() }
	unread := c.Step(t.Context(), c.Read(t.Context(), func() adapt.Request { panic("the reader broke") }))
	if got := adapt.Write(t.Context(), unread, own, same); !slices.Equal(got, own) {
		t.Errorf("what could not be read is sent as %q", got)
	}
	s := c.Step(t.Context(), c.Read(t.Context(), func() adapt.Request { return adapt.Request{Framework: "test", Messages: history(40)} }))
	if got := adapt.Write(t.Context(), s, own, func(adapt.Message, *string) string { panic("the writer broke") }); !slices.Equal(got, own) {
		t.Errorf("what could not be written is sent as %q", got)
	}
	if strings.Count(told.String(), "panic") != 2 {
		t.Errorf("the log is told %s", told.String())
	}
}

// Sessions whose names hold a "/" are not taken for each other.
func TestSessionNames(t *testing.T) {
	a, b := adapt.SessionName("app", "ann/1", "s", ""), adapt.SessionName("app", "ann", "1/s", "")
	if a == b {
		t.Errorf("both are %q", a)
	}
	for want, names := range map[string][]string{"library/ann/session-1/librarian": {"library", "ann", "session-1", "librarian", ""}, "": {"", ""}} {
		if got := adapt.SessionName(names...); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A value that has no JSON is named by its type, and what it holds stays out of the log.
func TestValueWithoutJSON(t *testing.T) {
	type secret struct {
		Password string
		Reader   func()
	}
	if got := string(adapt.JSON(secret{Password: "swordfish"})); got != `"adapt_test.secret"` {
		t.Error(got)
	}
}
