package transcript

import "slices"

// node is a record's place in a session's tree.
type node struct {
	line       int
	id, parent string
	logical    string // where the conversation goes on when parent is empty
	session    string
	turn       bool // a message of the conversation being read
	dup        bool // its id was seen before
}

// tree finds the way from the root to a leaf.
type tree struct {
	nodes  []node
	at     map[string]int // first node of an id
	before []int          // of each node the nearest turn above it in the file, -1 if none
	note   func(format string, args ...any)
}

// newTree indexes nodes and marks those whose id was seen before.
func newTree(nodes []node, note func(string, ...any)) *tree {
	t := &tree{nodes: nodes, at: make(map[string]int, len(nodes)), before: make([]int, len(nodes)), note: note}
	last := -1
	for i := range nodes {
		n := &nodes[i]
		t.before[i] = last
		if n.id != "" {
			if _, n.dup = t.at[n.id]; !n.dup {
				t.at[n.id] = i
			}
		}
		if n.turn && !n.dup {
			last = i
		}
	}
	return t
}

// leaf is the last turn of the file, -1 if there is none.
func (t *tree) leaf() int {
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if t.nodes[i].turn && !t.nodes[i].dup {
			return i
		}
	}
	return -1
}

// path lists the nodes from the root to leaf.
func (t *tree) path(leaf int) []int {
	var up []int
	seen := make([]bool, len(t.nodes))
	for i := leaf; i >= 0; i = t.parent(i, seen) {
		seen[i] = true
		up = append(up, i)
	}
	slices.Reverse(up)
	return up
}

// parent is the node above i, -1 at the root. Where the pointer leads nowhere
// or back, the conversation goes on at the turn above it in the file, so that
// one lost line does not cost all that was said before it.
func (t *tree) parent(i int, seen []bool) int {
	n := t.nodes[i]
	id, what := n.parent, "is not in the file"
	if id == "" {
		id = n.logical
	}
	if id == "" {
		return -1
	}
	if j, ok := t.at[id]; ok {
		if !seen[j] {
			return j
		}
		what = "leads back to itself"
	}
	j := t.before[i]
	if j < 0 || seen[j] || t.nodes[j].session != n.session {
		t.note("line %d: its parent %s %s; the conversation starts here", n.line, id, what)
		return -1
	}
	t.note("line %d: its parent %s %s; read on from line %d", n.line, id, what, t.nodes[j].line)
	return j
}
