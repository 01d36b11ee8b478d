package bpe

import "math/bits"

// trie finds the longest token at the start of a text. It is a double array:
// the child of a node by a label is at the node's base ^ label, if the slot
// there names the node as its parent. A slot holds
//
//	parent<<40 | base<<20 | token+1
//
// Slot 0 is the root, whose base is rootBase; a node without children has base
// 0, where nothing names it.
type trie []uint64

const (
	rootBase = 256
	slotBits = 20
	slotMask = 1<<slotBits - 1
)

// longest is the longest token that s starts with; s is not empty, and every
// byte is a token.
func (t trie) longest(s string) uint32 {
	parent, base, best := uint64(0), uint64(rootBase), uint64(0)
	for i := range len(s) {
		at := base ^ uint64(s[i])
		if at >= uint64(len(t)) {
			break
		}
		e := t[at]
		if e>>(2*slotBits) != parent {
			break
		}
		if token := e & slotMask; token != 0 {
			best = token
		}
		parent, base = at, e>>slotBits&slotMask
	}
	return uint32(best - 1)
}

// growing is a trie of linked nodes; node 0 is the root. A child always comes
// after its parent.
type growing struct{ nodes []node }

type node struct {
	child, sibling uint32 // 0 = none
	token          uint32 // id + 1, 0 = none
	children       uint16
	label          byte
}

// child is the node under parent by label, new if there was none.
func (g *growing) child(parent uint32, label byte) uint32 {
	for i := g.nodes[parent].child; i != 0; i = g.nodes[i].sibling {
		if g.nodes[i].label == label {
			return i
		}
	}
	i := uint32(len(g.nodes))
	g.nodes = append(g.nodes, node{label: label, sibling: g.nodes[parent].child})
	g.nodes[parent].child = i
	g.nodes[parent].children++
	return i
}

// shorter is the nearest token above each token, none where there is none.
func (g *growing) shorter(tokens int) []uint32 {
	out := make([]uint32, tokens)
	above := make([]uint32, len(g.nodes)) // token+1 above a node, or its own
	for i := range g.nodes {
		for c := g.nodes[i].child; c != 0; c = g.nodes[c].sibling {
			above[c] = above[i]
			if t := g.nodes[c].token; t != 0 {
				out[t-1] = above[i] - 1
				above[c] = t
			}
		}
	}
	return out
}

// pack lays the trie out, nodes with many children first, so that those with
// one fill the gaps.
func (g *growing) pack() trie {
	p := packer{}
	p.block()
	p.block()
	p.take(0)
	base := make([]uint32, len(g.nodes))
	slot := make([]uint32, len(g.nodes))
	labels := make([]byte, 0, 256)
	for _, i := range g.parents() {
		labels = labels[:0]
		for c := g.nodes[i].child; c != 0; c = g.nodes[c].sibling {
			labels = append(labels, g.nodes[c].label)
		}
		base[i] = rootBase
		if i != 0 {
			base[i] = p.place(labels)
		}
		for c := g.nodes[i].child; c != 0; c = g.nodes[c].sibling {
			slot[c] = base[i] ^ uint32(g.nodes[c].label)
			p.take(slot[c])
		}
	}
	t := make(trie, 64*len(p.free))
	for i := range g.nodes {
		if i > 0 {
			t[slot[i]] |= uint64(base[i])<<slotBits | uint64(g.nodes[i].token)
		}
		for c := g.nodes[i].child; c != 0; c = g.nodes[c].sibling {
			t[slot[c]] |= uint64(slot[i]) << (2 * slotBits)
		}
	}
	return t
}

// parents lists the nodes that have children by falling number of them; the
// root, which has 256, is first.
func (g *growing) parents() []uint32 {
	var start [258]int
	for _, n := range g.nodes {
		start[257-n.children]++
	}
	total := 0
	for i := range start {
		start[i], total = total, total+start[i]
	}
	out := make([]uint32, total)
	for i, n := range g.nodes {
		out[start[257-n.children]] = uint32(i)
		start[257-n.children]++
	}
	return out[:start[256]]
}

// packer finds free slots. Slots come in blocks of 256, four words of bits;
// siblings share a block.
type packer struct {
	free []uint64 // bit set: slot is free
	open int      // first word worth looking at for several children
	gap  int      // first word with a free slot
}

func (p *packer) block() {
	p.free = append(p.free, ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0))
}

func (p *packer) take(slot uint32) { p.free[slot/64] &^= 1 << (slot % 64) }

// patience is how many words a family of nodes looks through before the first
// of them is closed to families.
const patience = 8

// place finds a base whose slots for these labels are free.
func (p *packer) place(labels []byte) uint32 {
	if len(labels) == 1 {
		return p.single() ^ uint32(labels[0])
	}
	for w := p.open; ; w++ {
		if w == len(p.free) {
			p.block()
		}
		for m := p.free[w]; m != 0; m &= m - 1 {
			base := uint32(64*w+bits.TrailingZeros64(m)) ^ uint32(labels[0])
			if p.fits(base, labels) {
				if w > p.open+patience {
					p.open++
				}
				return base
			}
		}
	}
}

// single is the first free slot.
func (p *packer) single() uint32 {
	for ; ; p.gap++ {
		if p.gap == len(p.free) {
			p.block()
		}
		if m := p.free[p.gap]; m != 0 {
			return uint32(64*p.gap + bits.TrailingZeros64(m))
		}
	}
}

func (p *packer) fits(base uint32, labels []byte) bool {
	for _, l := range labels {
		if s := base ^ uint32(l); p.free[s/64]>>(s%64)&1 == 0 {
			return false
		}
	}
	return true
}
