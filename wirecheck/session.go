package wirecheck

import "slices"

// lookBack is how many block positions a breakpoint looks back, itself
// included (WC2).
const lookBack = 20

// Session judges the successive calls of one Anthropic conversation: besides
// each body, WA9, WA13, WT1 to WT4 and WC2 between them. It learns thinking
// only from the replies it is shown; blocks it has not seen produced it lets
// pass, and what stands after a compaction block it lets stand under another
// prefix. The zero value is ready. Forks and side requests need a Session of
// their own. Not safe for concurrent use.
type Session struct {
	known   map[string]producedThinking // thinking by its signature or data
	removed map[string]bool             // thinking that a request has left out
	inputs  map[string][]byte           // of calls, by id, as first seen
	clearAt map[digest][]byte           // clear_at messages, by the prefix before them
	written map[digest]bool             // prefixes that end at a breakpoint
	last    *prompt                     // the request that the next reply answers
	reply   []string                    // thinking of the turn that the last reply ended
	calls   map[string]bool             // ids of the last reply's calls
}

// producedThinking is one thinking block as it was produced.
type producedThinking struct {
	content digest // of the block itself
	prefix  digest // of what stood before its turn
	before  string // the thinking that preceded it, "" for none
}

// Request judges the next request.
func (s *Session) Request(body []byte, o Options) []Fault {
	c := &checker{opt: o}
	root := c.object(body)
	if root == nil {
		return c.faults
	}
	s.start()
	p := readPrompt(c.anthropic(root, len(body)))
	s.boundThinking(c, p)
	s.openRound(c, p)
	s.clearAtMessages(c, p)
	s.callInputs(c, p)
	s.lookBacks(c, p)
	s.last = p
	return c.faults
}

// Reply learns the message that answered the last request: an object with its
// content, as an answer without streaming has it. Its faults are those of the
// object's form.
func (s *Session) Reply(message []byte) []Fault {
	c := &checker{}
	root := c.object(message)
	if root == nil || s.last == nil {
		return c.faults
	}
	s.reply, s.calls = nil, map[string]bool{}
	prefix, before := s.last.end, ""
	for _, b := range s.last.thinking {
		before = b.key
	}
	if n := len(s.last.r.turns); n > 0 && s.last.r.turns[n-1].role == "assistant" {
		prefix, s.reply = s.last.lastTurn, s.last.thinkingOf(n-1) // it is continued
	}
	for _, b := range c.blocks(root.get("content"), "content") {
		switch {
		case b.thinking():
			s.known[b.key()] = producedThinking{content: digestOf(b.node), prefix: prefix, before: before}
			before = b.key()
			s.reply = append(s.reply, before)
		case b.kind == "tool_use":
			id := b.node.get("id").text()
			s.calls[id] = true
			s.inputs[id] = b.node.get("input").bytes()
		}
	}
	return c.faults
}

func (s *Session) start() {
	if s.known != nil {
		return
	}
	s.known, s.removed = map[string]producedThinking{}, map[string]bool{}
	s.inputs, s.clearAt, s.written = map[string][]byte{}, map[digest][]byte{}, map[digest]bool{}
}

// boundThinking is WT1, and for models that bind thinking WT3 and WT4: it goes out as
// it was produced, under the prefix it was produced under, as an unbroken run,
// and never returns.
func (s *Session) boundThinking(c *checker, p *prompt) {
	drops := p.r.root.get("thinking").get("block_binding").get("prefix_mismatch_behavior").text() == "drop_block"
	out := map[string]bool{}
	for i, b := range p.thinking {
		out[b.key] = true
		t, ok := s.known[b.key]
		if ok && t.content != digestOf(b.node) {
			c.fault("WT1", b.path, "thinking differs from what was produced")
		}
		if !ok || drops || !p.r.model.binds() {
			continue
		}
		if t.prefix != b.prefix && !b.compacted {
			c.fault("WT3", b.path, "thinking under another prefix than it was produced under")
		}
		if i > 0 && t.before != p.thinking[i-1].key {
			c.fault("WT4", b.path, "thinking does not follow the thinking it was produced after")
		}
		if s.removed[b.key] {
			c.fault("WT4", b.path, "thinking that was left out returns")
		}
	}
	for key := range s.known {
		if !out[key] {
			s.removed[key] = true
		}
	}
}

// openRound is WT2: while the last reply's calls are being answered, its
// thinking stands as it came.
func (s *Session) openRound(c *checker, p *prompt) {
	n := len(p.r.turns)
	for n > 0 && p.r.turns[n-1].role == "system" {
		n--
	}
	if n < 2 || !p.r.turns[n-1].has("tool_result") {
		return
	}
	latest := p.r.turns[n-2]
	answered := slices.ContainsFunc(latest.blocks, func(b block) bool {
		return b.kind == "tool_use" && s.calls[b.node.get("id").text()]
	})
	if answered && !slices.Equal(p.thinkingOf(n-2), s.reply) {
		c.fault("WT2", latest.path, "the open tool round holds other thinking than was produced")
	}
}

// clearAtMessages is WA9: while the prefix before a clear_at message stands, so does
// the message, byte for byte.
func (s *Session) clearAtMessages(c *checker, p *prompt) {
	for i, m := range p.messages {
		if old, ok := s.clearAt[p.before[i]]; ok && string(old) != string(m.node.raw) {
			c.fault("WA9", m.path, "a clear_at message is gone or changed here")
		}
		if m.node.get("clear_at") != nil {
			s.clearAt[p.before[i]] = m.node.raw
		}
	}
}

// callInputs is WA13: an input that says the same is written the same.
func (s *Session) callInputs(c *checker, p *prompt) {
	for _, t := range p.r.turns {
		for _, b := range t.blocks {
			id, input := b.node.get("id").text(), b.node.get("input")
			old, seen := s.inputs[id]
			switch {
			case b.kind != "tool_use" || input == nil:
			case !seen:
				s.inputs[id] = input.raw
			case string(old) != string(input.raw) && sameValue(old, input):
				c.fault("WA13", join(b.path, "input"), "the input is written otherwise than before")
			}
		}
	}
}

// lookBacks is WC2: the longest prefix that an earlier request wrote to the
// cache and that still stands lies within reach of a breakpoint.
func (s *Session) lookBacks(c *checker, p *prompt) {
	deepest := -1
	var marks []cacheBlock
	for _, b := range cacheBlocks(p.r) {
		if s.written[b.digest] {
			deepest = b.at
		}
		if b.marked {
			marks = append(marks, b)
		}
	}
	reaches := func(m cacheBlock) bool { return deepest <= m.at && m.at-deepest < lookBack }
	if deepest >= 0 && len(marks) > 0 && !slices.ContainsFunc(marks, reaches) {
		c.fault("WC2", marks[len(marks)-1].path, "no breakpoint within %d blocks of the cached prefix", lookBack)
	}
	for _, m := range marks {
		s.written[m.digest] = true
	}
}
