package wirecheck

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"sort"
)

// digest names canonical content: members sorted, cache markers left out, a
// string and the single text block it stands for alike.
type digest [sha256.Size]byte

// prompt is a request with the digests of its prefixes, as thinking is bound to
// them: system, tools that are not deferred, and the messages before, without
// thinking (WT3, WT10).
type prompt struct {
	r        *request
	messages []turn   // without those of settings only
	before   []digest // of what stands before each message
	lastTurn digest   // of what stands before the last turn
	end      digest
	thinking []placedThinking
}

// placedThinking is a thinking block in a request.
type placedThinking struct {
	block
	key       string
	turn      int
	prefix    digest
	compacted bool // a compaction block stands before it
}

// key names a thinking block: its signature, or its data.
func (b block) key() string {
	if b.kind == "redacted_thinking" {
		return b.node.get("data").text()
	}
	return b.node.get("signature").text()
}

func (p *prompt) thinkingOf(turn int) []string {
	var keys []string
	for _, b := range p.thinking {
		if b.turn == turn {
			keys = append(keys, b.key)
		}
	}
	return keys
}

// readPrompt digests message by message and so that merged neighbours and
// separate ones are alike.
func readPrompt(r *request) *prompt {
	p := &prompt{r: r}
	h := prefixHash(r)
	role, turn, compacted := "", -1, false
	for _, m := range r.messages {
		if m.settingsOnly() {
			continue
		}
		p.messages = append(p.messages, m)
		p.before = append(p.before, current(h))
		if m.role != role {
			role, p.lastTurn = m.role, current(h)
			turn++
			fmt.Fprintf(h, "|%s|", role)
		}
		for _, b := range m.blocks {
			if b.thinking() {
				p.thinking = append(p.thinking, placedThinking{b, b.key(), turn, p.lastTurn, compacted})
				continue
			}
			compacted = compacted || b.kind == "compaction"
			writeBlock(h, b)
		}
	}
	p.end = current(h)
	return p
}

func prefixHash(r *request) hash.Hash {
	h := sha256.New()
	for _, t := range r.root.get("tools").elements() {
		if string(t.get("defer_loading").bytes()) != "true" {
			canonical(h, t, "cache_control")
		}
	}
	for _, b := range systemBlocks(r) {
		writeBlock(h, b)
	}
	return h
}

func systemBlocks(r *request) []block {
	system := r.root.get("system")
	if system == nil {
		return nil
	}
	return new(checker).blocks(system, "system")
}

// cacheBlock is one position of the cached prefix.
type cacheBlock struct {
	at     int
	path   string
	marked bool
	digest digest // of all up to and including it
}

// cacheBlocks are tools, system and message blocks in the order they are
// cached (WC1).
func cacheBlocks(r *request) []cacheBlock {
	var all []cacheBlock
	h := sha256.New()
	add := func(b block) {
		writeBlock(h, b)
		all = append(all, cacheBlock{len(all), b.path, b.node.get("cache_control") != nil, current(h)})
	}
	for i, t := range r.root.get("tools").elements() {
		add(block{kind: "tool", path: index("tools", i), node: t})
	}
	h.Write([]byte("|system|"))
	for _, b := range systemBlocks(r) {
		add(b)
	}
	for _, t := range r.turns {
		fmt.Fprintf(h, "|%s|", t.role)
		for _, b := range t.blocks {
			add(b)
		}
	}
	return all
}

func current(h hash.Hash) (d digest) {
	h.Sum(d[:0])
	return d
}

func digestOf(n *node) digest {
	h := sha256.New()
	canonical(h, n, "")
	return current(h)
}

// sameValue reports whether a text of JSON holds the value of a node.
func sameValue(text []byte, n *node) bool {
	old := new(checker).parse(text)
	return old != nil && digestOf(old) == digestOf(n)
}

func writeBlock(h hash.Hash, b block) {
	if b.node.is('"') {
		fmt.Fprintf(h, `{"text":%q,"type":"text",}`, b.node.str)
		return
	}
	canonical(h, b.node, "cache_control")
}

// canonical writes a value without the members of a name. What is left out of
// a block is left out of the blocks in its content, and nowhere else: a call's
// input is content.
func canonical(h hash.Hash, n *node, without string) {
	switch n.kind {
	case '{':
		order := make([]int, len(n.names))
		for i := range order {
			order[i] = i
		}
		sort.SliceStable(order, func(i, j int) bool { return n.names[order[i]] < n.names[order[j]] })
		h.Write([]byte("{"))
		for _, i := range order {
			name, inner := n.names[i], ""
			if without != "" && name == without {
				continue
			}
			if name == "content" || name == "source" {
				inner = without
			}
			fmt.Fprintf(h, "%q:", name)
			canonical(h, n.vals[i], inner)
			h.Write([]byte(","))
		}
		h.Write([]byte("}"))
	case '[':
		h.Write([]byte("["))
		for _, v := range n.vals {
			canonical(h, v, without)
			h.Write([]byte(","))
		}
		h.Write([]byte("]"))
	case '"':
		fmt.Fprintf(h, "%q", n.str)
	default:
		h.Write(n.raw)
	}
}
