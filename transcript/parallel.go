package transcript

import (
	"cmp"
	"slices"
)

// withParallel adds to path what hangs beside it. Claude Code writes a line a
// block, and a result's parent is the line of its call: of several calls in
// one reply only one is on the way to the leaf. The other calls of the reply
// and their results come right after its last call on the path.
func (c *claude) withParallel(path []int) []int {
	s := siblings{claude: c, seen: map[claudeBlock]bool{}, last: map[string]int{}, reply: map[string]string{}}
	on := make([]bool, len(c.records))
	for at, i := range path {
		on[i] = true
		s.note(at, &c.records[i])
	}
	beside := s.collect(on)
	full := make([]int, 0, len(path))
	for at, i := range path {
		full = append(full, i)
		if id := c.records[i].api.ID; id != "" && s.last[id] == at {
			full = append(full, beside[id]...)
		}
	}
	return full
}

// siblings finds the calls and results of the path's replies that are not on
// the path.
type siblings struct {
	*claude
	seen  map[claudeBlock]bool // calls and results of the conversation
	last  map[string]int       // of a reply its last place on the path
	reply map[string]string    // of an assistant line's id its reply's id
}

func (s *siblings) note(at int, r *claudeLine) {
	s.fresh(r)
	if r.Type == "assistant" && r.api.ID != "" {
		s.last[r.api.ID] = at
		s.reply[r.UUID] = r.api.ID
	}
}

// collect lists by reply the missing calls, then the missing results.
func (s *siblings) collect(on []bool) map[string][]int {
	calls, results := map[string][]int{}, map[string][]int{}
	for i := range s.records {
		r := &s.records[i]
		if on[i] || !s.nodes[i].turn || s.nodes[i].dup {
			continue
		}
		id := s.reply[cmp.Or(r.SourceToolAssistantUUID, r.ParentUUID)]
		if r.Type == "assistant" {
			id = r.api.ID
		}
		if _, ok := s.last[id]; !ok || !s.fresh(r) {
			continue
		}
		if r.Type == "user" {
			results[id] = append(results[id], i)
			continue
		}
		calls[id] = append(calls[id], i)
		s.reply[r.UUID] = id
	}
	for id, is := range results {
		calls[id] = slices.Concat(calls[id], is)
	}
	return calls
}

// fresh reports whether a line holds calls or results and none that was seen
// before; then they are seen.
func (s *siblings) fresh(r *claudeLine) bool {
	var ids []claudeBlock
	for _, b := range r.api.Content {
		if b != (claudeBlock{}) {
			ids = append(ids, b)
		}
	}
	old := slices.ContainsFunc(ids, func(b claudeBlock) bool { return s.seen[b] })
	for _, b := range ids {
		s.seen[b] = true
	}
	return len(ids) > 0 && !old
}

// claudeBlock holds what ties calls to results: a call has the first, its result
// the second.
type claudeBlock struct {
	ID        string `json:"id"`
	ToolUseID string `json:"tool_use_id"`
}
