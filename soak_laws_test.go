package precis_test

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// What engine and store may hold of one thread: a base, and so many bytes for
// each byte that clients said.
const (
	heapBase  = 16 << 20
	heapShare = 4
)

// body is a prompt without what came back for its turn only.
func body(turn *precis.Turn) []message.Message {
	n := len(turn.Messages)
	for n > 0 && len(turn.Origins) == len(turn.Messages) && turn.Origins[n-1].First < 0 {
		n--
	}
	return turn.Messages[:n]
}

func (s *soak) checkTurn(c *talk, in precis.Input, turn *precis.Turn) {
	s.checkFits(in, turn)
	s.checkCover(in, turn)
	s.checkSticky(c, turn)
	s.checkTail(c, in, turn)
	if s.n%3 == 0 || c != s.talks[0] {
		s.checkWire(in, turn)
	}
}

// SPEC: V4, V7
func (s *soak) checkFits(in precis.Input, turn *precis.Turn) {
	n := soakFixed(in) + in.Meter.Messages(turn.Messages)
	if n > in.Budget || n != turn.Compacted {
		s.Fatalf("turn %d, %s: the prompt has %d tokens, the turn says %d of %d (%s)\n%s", s.n, turn.Key.Thread, n, turn.Compacted, in.Budget, turn.Outcome, show(turn))
	}
	if turn.Outcome == precis.Compacted && turn.Compacted-tail(in, turn) >= turn.Before {
		s.Fatalf("turn %d, %s: compacted from %d to %d", s.n, turn.Key.Thread, turn.Before, turn.Compacted)
	}
}

func tail(in precis.Input, turn *precis.Turn) int {
	return in.Meter.Messages(turn.Messages[len(body(turn)):])
}

func soakFixed(in precis.Input) int {
	n := in.Meter.Overhead.Request + in.Meter.System(in.System) + in.Meter.Overhead.Tools
	for _, t := range in.Tools {
		n += in.Meter.Tool(t.Name, t.Description, t.Schema)
	}
	return n
}

// SPEC: V2, V1, V10
func (s *soak) checkCover(in precis.Input, turn *precis.Turn) {
	if turn.Thread.Len() != len(in.Messages) {
		s.Fatalf("turn %d, %s: %d messages in the log, %d sent", s.n, turn.Key.Thread, turn.Thread.Len(), len(in.Messages))
	}
	stands := make([]int, turn.Thread.Len())
	for i, o := range turn.Origins {
		if o.First < 0 || o.Record != nil {
			continue
		}
		stands[o.First]++
		if !turn.Messages[i].Edited && !itself(turn.Messages[i], in.Messages[o.First]) {
			s.Fatalf("turn %d, %s: message %d is not edited and not itself (-client +prompt):\n%s", s.n, turn.Key.Thread, o.First, cmp.Diff(in.Messages[o.First], turn.Messages[i]))
		}
	}
	for i := range stands {
		x := turn.Thread.At(i)
		covered := turn.Plan != nil && turn.Plan.Whole(x.ID) != nil
		if !x.Message.Meta && covered == (stands[i] == 1) && !emptiedBy(turn, i) || stands[i] > 1 {
			s.Fatalf("turn %d, %s: message %d of %d: covered %t, stands %d times", s.n, turn.Key.Thread, i, len(stands), covered, stands[i])
		}
	}
}

// itself says whether a message is the client's, but for what tools declared of
// its results: the log may know that when the client no longer does.
func itself(m, clients message.Message) bool {
	if reflect.DeepEqual(m, clients) {
		return true
	}
	m.Parts, clients.Parts = slices.Clone(m.Parts), slices.Clone(clients.Parts)
	for i := range m.Parts {
		m.Parts[i].Declared = nil
	}
	for i := range clients.Parts {
		clients.Parts[i].Declared = nil
	}
	return reflect.DeepEqual(m, clients)
}

// emptiedBy is true for a message whose every part was dropped or stripped.
func emptiedBy(turn *precis.Turn, i int) bool {
	for n, p := range turn.Thread.At(i).Message.Parts {
		if p.Kind == message.Thinking && turn.Plan != nil && turn.Plan.NoThinking.Holds(i) {
			continue
		}
		if turn.Plan == nil {
			return false
		}
		if r := turn.Plan.Part(turn.Thread.At(i).ID, n+1); r == nil || r.Action != plan.Drop {
			return false
		}
	}
	return true
}

// The prompt grows at its end only while the plan stands and the client sends
// what it sent.
//
// SPEC: V6
func (s *soak) checkSticky(c *talk, turn *precis.Turn) {
	last := c.last
	if last == nil || last.forms != c.forms || last.turn.Key != turn.Key || version(last.turn) != version(turn) {
		return
	}
	now := body(turn)
	for i := range last.body {
		if i >= len(now) || !reflect.DeepEqual(last.body[i], now[i]) {
			s.Fatalf("turn %d, %s (%s): the prompt changed at %d of %d without a plan (%d)\n%s\n%s", s.n, turn.Key.Thread, c.policy, i, len(now), version(turn), show(last.turn), show(turn))
		}
	}
}

// What comes back stays within the reserve.
//
// SPEC: L14
func (s *soak) checkTail(c *talk, in precis.Input, turn *precis.Turn) {
	if n, most := tail(in, turn), policyOf(s, c.policy).Reserve(turn.Budget); n > most {
		s.Fatalf("turn %d, %s: %d tokens came back, the reserve is %d", s.n, turn.Key.Thread, n, most)
	}
}

// SPEC: V3
func (s *soak) checkWire(in precis.Input, turn *precis.Turn) {
	if us := turn.Thread.Units(); !in.Mode.CloseOpenCalls && len(us) > 0 && us[len(us)-1].Open {
		return // its results are on the way
	}
	if turn.Thread.Len() == 0 {
		return
	}
	chat, err := openai.Codec{}.Encode(&codec.Request{Model: "gpt-4o"}, turn.Messages)
	if err != nil {
		s.Fatalf("turn %d, %s: encode for openai: %v\n%s", s.n, turn.Key.Thread, err, show(turn))
	}
	if faults := wirecheck.OpenAI(chat, wirecheck.Options{}); len(faults) > 0 {
		s.Fatalf("turn %d, %s: openai: %v\n%s", s.n, turn.Key.Thread, faults, show(turn))
	}
	claude, err := anthropic.Codec{}.Encode(&codec.Request{Model: "claude-sonnet-4-5"}, turn.Messages)
	if err != nil {
		s.Fatalf("turn %d, %s: encode for anthropic: %v\n%s", s.n, turn.Key.Thread, err, show(turn))
	}
	if faults := wirecheck.Anthropic(claude, wirecheck.Options{}); len(faults) > 0 {
		s.Fatalf("turn %d, %s: anthropic: %v\n%s", s.n, turn.Key.Thread, faults, show(turn))
	}
}

// revise changes the plan by hand: undoes a record or a message, goes back to an
// older version, pins.
//
// SPEC: V8, B16
func (s *soak) revise(c *talk) {
	if c.last == nil || c.last.turn.Plan == nil || len(c.last.turn.Plan.Records) == 0 {
		return
	}
	e, k, now := s.engine(c.policy), c.last.turn.Key, c.last.turn.Plan
	c.last.revised = true
	r := now.Records[s.IntN(len(now.Records))]
	var p *plan.Plan
	var err error
	switch s.IntN(4) {
	case 0:
		p, err = e.Expand(s.Context(), k.Thread, r.ID)
		if err == nil && p.Find(r.ID) != nil {
			s.Fatalf("turn %d, %s: record %s is still there", s.n, k.Thread, r.ID)
		}
		s.did.Expanded++
	case 1:
		id := r.Span.IDs[s.IntN(len(r.Span.IDs))]
		p, err = e.ExpandMessage(s.Context(), k.Thread, id)
		if err == nil && p.Touches(id) {
			if x := p.Part(id, max(r.Span.Part, 1)); x == nil || x.Kind != plan.Repaired {
				s.Fatalf("turn %d, %s: message %s is still touched", s.n, k.Thread, id)
			}
		}
		s.did.Expanded++
	case 2:
		p, err = e.Restore(s.Context(), k.Thread, max(now.Version-s.IntN(4), 0))
		s.did.Restored++
	case 3:
		if c.pins++; c.pins > 6 {
			return
		}
		id := r.Span.IDs[s.IntN(len(r.Span.IDs))]
		if i, ok := c.last.turn.Thread.Find(id); !ok || c.last.turn.Thread.At(i).Tokens > 100 {
			return
		}
		p, err = e.Pin(s.Context(), k.Thread, plan.Ref{ID: id})
		s.did.Pinned++
	}
	if errors.Is(err, precis.ErrNoRecord) {
		return
	}
	if err != nil {
		s.Fatalf("turn %d, %s: revise: %v", s.n, k.Thread, err)
	}
	if p.Version != now.Version+1 && !errors.Is(err, precis.ErrNoRecord) {
		s.Fatalf("turn %d, %s: plan %d after %d", s.n, k.Thread, p.Version, now.Version)
	}
}

// fail is a request that goes wrong: the conversation goes on.
//
// SPEC: V9
func (s *soak) fail(c *talk) {
	ctx, stop := context.WithCancel(s.Context())
	defer stop()
	in := s.input(c)
	if s.IntN(2) == 0 {
		stop()
	} else {
		in.Mode.Force, s.quill.gone = true, stop
	}
	turn := s.engine(c.policy).SafeCompact(ctx, in)
	s.quill.gone = nil
	s.did.Failed++
	if len(turn.Messages) == 0 {
		s.Fatalf("turn %d, %s: nothing to send after %v", s.n, c.name, turn.Failures)
	}
	for _, err := range turn.Failures {
		if !errors.Is(err, context.Canceled) {
			s.Fatalf("turn %d, %s: %v", s.n, c.name, err)
		}
	}
	if c.last != nil {
		c.last.revised = true // it may have compacted before it failed
	}
}

// enough says that a run was not idle.
func (s *soak) enough(turns int) {
	if turns < 300 {
		return
	}
	d := s.did
	for name, n := range map[string]int{
		"compacted": d.Compacted, "forks": d.Forks, "behind": d.Behind, "reformed": d.Reformed, "failed": d.Failed,
		"undone": d.Expanded + d.Restored + d.Pinned, "audits": d.Audits,
	} {
		if n == 0 {
			s.Errorf("%s: none in %d turns", name, turns)
		}
	}
}
