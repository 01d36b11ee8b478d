//go:build ignore

// Generate writes the vocabularies as tables that are used where they lie:
// o200k.table and cl100k.table; vocab.go says what is in them. It takes the
// ranks from the codecs of github.com/tiktoken-go/tokenizer (MIT), which hold
// OpenAI's published files; the tests compare the tables with the hash that
// OpenAI publishes for each.
//
//	go run generate.go
package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"log"
	"math/bits"
	"os"
	"slices"

	"github.com/tiktoken-go/tokenizer"
)

func main() {
	for name, encoding := range map[string]tokenizer.Encoding{
		"o200k": tokenizer.O200kBase, "cl100k": tokenizer.Cl100kBase,
	} {
		tokens, err := read(encoding)
		if err != nil {
			log.Fatalf("generate %s: %v", name, err)
		}
		data, err := table(tokens)
		if err != nil {
			log.Fatalf("generate %s: %v", name, err)
		}
		if err := os.WriteFile(name+".table", data, 0o644); err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, len(tokens), "tokens", len(data), "bytes")
	}
}

// read lists the tokens' texts by id.
func read(encoding tokenizer.Encoding) ([]string, error) {
	codec, err := tokenizer.Get(encoding)
	if err != nil {
		return nil, err
	}
	var tokens []string
	for {
		token, err := codec.Decode([]uint{uint(len(tokens))})
		if err != nil {
			return tokens, nil
		}
		tokens = append(tokens, token)
	}
}

// none is no token.
const none = 1<<18 - 1

// table is the header and the five parts.
func table(tokens []string) ([]byte, error) {
	halves, err := split(tokens)
	if err != nil {
		return nil, err
	}
	g := grow(tokens)
	slots := g.pack()
	heads := g.heads(slots)
	pairs, maybe := hashes(halves)
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(slots)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(tokens)))
	out = binary.LittleEndian.AppendUint32(out, uint32(bits.TrailingZeros(uint(len(pairs)))))
	out = binary.LittleEndian.AppendUint32(out, uint32(bits.TrailingZeros(uint(64*len(maybe)))))
	for id, t := range tokens {
		out = binary.LittleEndian.AppendUint64(out, uint64(halves[id][0])|uint64(halves[id][1])<<18|
			uint64(g.shorter[id])<<36|uint64(len(t)-1)<<54)
	}
	for _, w := range maybe {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	for _, p := range pairs {
		out = binary.LittleEndian.AppendUint32(out, p)
	}
	for _, h := range heads {
		out = binary.LittleEndian.AppendUint64(out, h)
	}
	out = append(out, 0, 0) // a slot is read with the two bytes before it
	for _, s := range slots {
		out = append(binary.LittleEndian.AppendUint32(out, uint32(s)), byte(s>>32), byte(s>>40))
	}
	return out, nil
}

// split finds the two tokens that byte-pair encoding makes each token of.
func split(tokens []string) ([][2]uint32, error) {
	ids := map[string]int{}
	out := make([][2]uint32, len(tokens))
	for id, t := range tokens {
		ids[t] = id
		if len(t) == 1 {
			out[id] = [2]uint32{uint32(id), uint32(id)}
			continue
		}
		left, right, err := halve(t, ids)
		if err != nil {
			return nil, err
		}
		out[id] = [2]uint32{uint32(left), uint32(right)}
	}
	return out, nil
}

// halve merges the bytes of a token with the tokens before it, which must end
// in two.
func halve(token string, ids map[string]int) (left, right int, err error) {
	parts := make([]string, len(token))
	for i := range len(token) {
		parts[i] = token[i : i+1]
	}
	whole := ids[token]
	for {
		best, at := whole, -1
		for i := range len(parts) - 1 {
			if id, ok := ids[parts[i]+parts[i+1]]; ok && id < best {
				best, at = id, i
			}
		}
		if at < 0 {
			break
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
	if len(parts) != 2 {
		return 0, 0, fmt.Errorf("token %d %q has no pair of its own: %q", whole, token, parts)
	}
	return ids[parts[0]], ids[parts[1]], nil
}

const factor = 0x9E3779B97F4A7C15

// hashes are the table of pairs, three quarters full, and the bits that
// say which may be in it, ten for each.
func hashes(halves [][2]uint32) (pairs []uint32, maybe []uint64) {
	size := bits.Len(uint(len(halves)))
	pairs = make([]uint32, 1<<size)
	wide := bits.Len(uint(len(halves)*10 - 1))
	maybe = make([]uint64, 1<<(wide-6))
	for id, h := range halves {
		if h[0] == uint32(id) {
			continue
		}
		hash := (uint64(h[0])<<18 | uint64(h[1])) * factor
		bit := hash >> (64 - wide)
		maybe[bit/64] |= 1 << (bit % 64)
		i := hash >> (64 - size)
		for pairs[i] != 0 {
			i = (i + 1) % uint64(len(pairs))
		}
		pairs[i] = uint32(hash>>16)<<18 | uint32(id)
	}
	return pairs, maybe
}

// trie is a trie of linked nodes; node 0 is the root. A child always comes after
// its parent.
type trie struct {
	nodes   []node
	shorter []uint32 // the longest token that is a proper prefix of each, or none
}

type node struct {
	child, sibling uint32 // 0 = none
	token          uint32 // id + 1, 0 = none
	best           uint32 // lowest id at or below
	children       int
	label          byte
}

func grow(tokens []string) *trie {
	g := &trie{nodes: make([]node, 1), shorter: make([]uint32, len(tokens))}
	for id, t := range tokens {
		at := uint32(0)
		for i := range len(t) {
			at = g.child(at, t[i], uint32(id))
		}
		g.nodes[at].token = uint32(id) + 1
	}
	for id, t := range tokens {
		g.shorter[id] = none
		at := uint32(0)
		for i := range len(t) - 1 {
			at = g.child(at, t[i], uint32(id))
			if token := g.nodes[at].token; token != 0 {
				g.shorter[id] = token - 1
			}
		}
	}
	return g
}

// child is the node under parent by label, new if there was none.
func (g *trie) child(parent uint32, label byte, id uint32) uint32 {
	for i := g.nodes[parent].child; i != 0; i = g.nodes[i].sibling {
		if g.nodes[i].label == label {
			return i
		}
	}
	i := uint32(len(g.nodes))
	g.nodes = append(g.nodes, node{label: label, sibling: g.nodes[parent].child, best: id})
	g.nodes[parent].child = i
	g.nodes[parent].children++
	return i
}

const rootBase = 256

// pack lays the trie out as a double array: families of several children first,
// those of frequent tokens before others, so that what is used together lies
// together; only children fill the gaps. Every base is one node's alone, so that
// a slot need not name its parent but only its label. An empty slot is no token
// and leads to the first 256 slots, where leaves lead to as well and no label
// matches.
func (g *trie) pack() []uint64 {
	p := packer{free: make([]uint64, 4), based: map[int]bool{0: true, rootBase: true}}
	base := make([]int, len(g.nodes))
	slot := make([]int, len(g.nodes))
	last := rootBase + 255
	for _, i := range g.parents() {
		base[i] = rootBase
		if i != 0 {
			base[i] = p.place(g.labels(i))
		}
		last = max(last, base[i]+255)
		for c := g.nodes[i].child; c != 0; c = g.nodes[c].sibling {
			slot[c] = base[i] + int(g.nodes[c].label)
			p.take(slot[c])
		}
	}
	slots := make([]uint64, last+1)
	for i := range 256 {
		slots[i] = uint64(^i & 0xFF)
	}
	for i, n := range g.nodes[1:] {
		slots[slot[i+1]] = uint64(n.label) | uint64(n.token)<<8 | uint64(6*base[i+1])<<26
	}
	return slots
}

// thirds states how many bits tell of the third bytes of a head.
const thirds = 24

// heads are the nodes of two bytes, by the first and the second, each with a bit
// for its children's labels.
func (g *trie) heads(slots []uint64) []uint64 {
	heads := make([]uint64, 1<<16)
	for a := g.nodes[0].child; a != 0; a = g.nodes[a].sibling {
		first := slots[rootBase+int(g.nodes[a].label)]
		for b := g.nodes[a].child; b != 0; b = g.nodes[b].sibling {
			second := slots[int(first>>26)/6+int(g.nodes[b].label)]
			h := second >> 26 << 42
			h |= second >> 8 & (1<<18 - 1) << 24
			for c := g.nodes[b].child; c != 0; c = g.nodes[c].sibling {
				h |= 1 << (g.nodes[c].label % thirds)
			}
			heads[int(g.nodes[a].label)<<8|int(g.nodes[b].label)] = h
		}
	}
	return heads
}

func (g *trie) labels(i uint32) (labels []byte) {
	for c := g.nodes[i].child; c != 0; c = g.nodes[c].sibling {
		labels = append(labels, g.nodes[c].label)
	}
	return labels
}

// parents lists the nodes that have children, the root first.
func (g *trie) parents() []uint32 {
	var out []uint32
	for i, n := range g.nodes {
		if n.children > 0 {
			out = append(out, uint32(i))
		}
	}
	size := func(i uint32) int { return -min(bits.Len(uint(g.nodes[i].children)), 9) }
	slices.SortStableFunc(out, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(g.nodes[a].best, g.nodes[b].best))
	})
	return out
}

// packer finds free slots.
type packer struct {
	free  []uint64 // bit set: slot is free
	based map[int]bool
	open  int // first word worth looking at for several children
	gap   int // first word with a free slot
}

func (p *packer) room(slot int) {
	for len(p.free) <= slot/64 {
		p.free = append(p.free, ^uint64(0))
	}
}

func (p *packer) take(slot int) {
	p.room(slot)
	p.free[slot/64] &^= 1 << (slot % 64)
}

func (p *packer) isFree(slot int) bool {
	p.room(slot)
	return p.free[slot/64]>>(slot%64)&1 != 0
}

// patience states how many words a family looks through before the first of them is
// closed to families.
const patience = 64

// place finds a base of nobody whose slots for these labels are free.
func (p *packer) place(labels []byte) int {
	first := &p.open
	if len(labels) == 1 {
		first = &p.gap
	}
	for w := *first; ; w++ {
		p.room(64 * w)
		for m := p.free[w]; m != 0; m &= m - 1 {
			base := 64*w + bits.TrailingZeros64(m) - int(labels[0])
			if base <= 0 || p.based[base] || !p.fits(base, labels) {
				continue
			}
			p.based[base] = true
			if len(labels) > 1 && w > p.open+patience {
				p.open++
			}
			for p.gap < len(p.free) && p.free[p.gap] == 0 {
				p.gap++
			}
			return base
		}
	}
}

func (p *packer) fits(base int, labels []byte) bool {
	for _, l := range labels {
		if !p.isFree(base + int(l)) {
			return false
		}
	}
	return true
}
