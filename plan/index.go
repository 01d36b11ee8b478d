package plan

import "github.com/seed-3db51b0e/precis/thread"

// index finds records by what they cover. Values are record positions.
type index struct {
	whole map[thread.ID]int32
	parts map[thread.ID]map[int]int // by message and part
}

func indexed(records []Record) index {
	n := 0
	for i := range records {
		if s := &records[i].Span; s.Part == 0 {
			n += len(s.IDs)
		}
	}
	x := index{whole: make(map[thread.ID]int32, n), parts: map[thread.ID]map[int]int{}}
	for i := range records {
		s := &records[i].Span
		for _, id := range s.IDs {
			switch {
			case s.Part == 0:
				x.whole[id] = int32(i)
			case x.parts[id] == nil:
				x.parts[id] = map[int]int{s.Part: i}
			default:
				x.parts[id][s.Part] = i
			}
		}
	}
	return x
}

// Whole returns the record that covers the whole message, or nil.
func (p *Plan) Whole(id thread.ID) *Record {
	if i, ok := p.index.whole[id]; ok {
		return &p.Records[i]
	}
	return nil
}

// Over lists the record that covers the whole of each entry of a thread, nil for
// none. The plan must come from Build or a store.
func (p *Plan) Over(t *thread.Thread) []*Record {
	out := make([]*Record, t.Len())
	for r := range p.Records {
		if p.Records[r].Span.Part > 0 {
			continue
		}
		for _, i := range t.Positions(p.Records[r].Span.IDs) {
			if i >= 0 {
				out[i] = &p.Records[r]
			}
		}
	}
	return out
}

// Part returns the record on part n (counted from 1) of a message, or nil.
func (p *Plan) Part(id thread.ID, n int) *Record {
	if i, ok := p.index.parts[id][n]; ok {
		return &p.Records[i]
	}
	return nil
}

// Edits reports whether any record covers a part of the message.
func (p *Plan) Edits(id thread.ID) bool { return p.index.parts[id] != nil }

// Unpinned returns those of some pins that p does not have yet, each once. A nil plan has none.
func (p *Plan) Unpinned(pins []Ref) (fresh []Ref) {
	if len(pins) == 0 {
		return nil
	}
	have := map[Ref]bool{}
	if p != nil {
		for _, pin := range p.Pins {
			have[pin] = true
		}
	}
	for _, pin := range pins {
		if !have[pin] {
			have[pin] = true
			fresh = append(fresh, pin)
		}
	}
	return fresh
}

// Undo returns the version that an undo of p restores: the one before it or, where p
// is an undo itself, the one before what it restored. It returns false where nothing is
// left to undo.
func (p *Plan) Undo() (version int, ok bool) {
	if p.Restores > 0 {
		version = p.Restores - 2
	} else {
		version = p.Version - 1
	}
	return version, version >= 0
}

// Touches reports whether any record covers the message or a part of it.
func (p *Plan) Touches(id thread.ID) bool { return p.Edits(id) || p.Whole(id) != nil }

// Since returns the tokens of what a thread logged after the plan's Base.
func (p *Plan) Since(t *thread.Thread) (tokens int) {
	for i := p.ThreadVersion; i < t.Len(); i++ {
		tokens += t.At(i).Tokens
	}
	return tokens
}
