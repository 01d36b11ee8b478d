package transcript

import (
	"cmp"
	"encoding/json"

	"github.com/seed-3db51b0e/precis/message"
)

// piEntry is a line of a pi session.
type piEntry struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	ParentID  string          `json:"parentId"`
	Timestamp string          `json:"timestamp"`
	ModelID   string          `json:"modelId"`
	Summary   string          `json:"summary"`
	Content   json.RawMessage `json:"content"`
	Message   json.RawMessage `json:"message"`
	// TargetID is of an edit the entry that is changed, to null where it leaves.
	TargetID    string          `json:"targetId"`
	Replacement json.RawMessage `json:"replacement"`

	at line
}

var piBookkeeping = map[string]bool{
	"session": true, "model_change": true, "thinking_level_change": true, "compaction": true, "custom": true,
	"label": true, "session_info": true, "context_transform": true, "ephemeral": true, "context_edit": true,
}

// pi reads a session: a header, then entries that form a tree whose leaf is
// the last entry of the file. In version 1 the entries have no ids and the
// file's order is the conversation.
func (t *Transcript) pi(ls []line) {
	var entries []piEntry
	var nodes []node
	linear := true
	for _, l := range ls {
		e := piEntry{at: l}
		if err := l.object(&e); err != nil {
			t.broken(l, e.Type, err)
			continue
		}
		if e.Type == "session" {
			t.Session, t.Model = cmp.Or(t.Session, e.ID), cmp.Or(t.Model, e.ModelID)
			t.skip(l, e.Type, Bookkeeping, "")
			continue
		}
		linear = linear && e.ID == ""
		entries = append(entries, e)
		nodes = append(nodes, node{line: l.no, id: e.ID, parent: e.ParentID, turn: e.ID != ""})
	}
	tr := newTree(nodes, t.note)
	path := tr.path(tr.leaf())
	if linear {
		path = everything(len(entries))
	}
	t.piEmit(entries, nodes, path)
}

func everything(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}

func (t *Transcript) piEmit(entries []piEntry, nodes []node, path []int) {
	on, gone := make([]bool, len(entries)), map[string]bool{}
	for _, i := range path {
		if e := &entries[i]; e.Type == "context_edit" {
			gone[e.TargetID] = string(e.Replacement) == "null" || len(e.Replacement) == 0
		}
	}
	for _, i := range path {
		on[i] = true
		if e := &entries[i]; e.ID != "" && gone[e.ID] {
			t.skip(e.at, e.Type, Hidden, "")
			continue
		}
		t.piEntry(&entries[i])
	}
	for i := range entries {
		e := &entries[i]
		switch {
		case on[i]:
		case nodes[i].dup:
			t.skip(e.at, e.Type, Duplicate, "")
		case piBookkeeping[e.Type]:
			t.skip(e.at, e.Type, Bookkeeping, "")
		case e.speaks():
			t.skip(e.at, e.Type, OtherBranch, "")
		default:
			t.skip(e.at, e.Type, UnknownType, "")
		}
	}
}

func (e *piEntry) speaks() bool {
	return e.Type == "message" || e.Type == "custom_message" || e.Type == "branch_summary"
}

// piEntry reads an entry on the way to the leaf.
func (t *Transcript) piEntry(e *piEntry) {
	switch {
	case e.Type == "message":
		t.piMessage(e)
	case e.Type == "custom_message":
		parts, err := piContent(e.Content)
		t.piAdd(e, e.Type, message.Message{Role: message.User, Parts: parts}, err)
	case e.Type == "branch_summary", e.Type == "compaction" && len(t.Messages) == 0:
		// What a branch summary tells is not on this branch.
		t.piAdd(e, e.Type, summaryOf(e.Summary), nil)
	case e.Type == "compaction":
		t.skip(e.at, e.Type, Compaction, "")
	case piBookkeeping[e.Type]:
		t.Model = cmp.Or(e.ModelID, t.Model)
		t.skip(e.at, e.Type, Bookkeeping, "")
	default:
		t.skip(e.at, e.Type, UnknownType, "")
	}
}

func summaryOf(text string) message.Message {
	if text == "" {
		return message.Message{}
	}
	return message.TextOf(message.User, text)
}

func (t *Transcript) piAdd(e *piEntry, kind string, m message.Message, err error) {
	switch {
	case err != nil:
		t.broken(e.at, kind, err)
	case len(m.Parts) == 0:
		t.skip(e.at, kind, Empty, "")
	default:
		m.Raw, m.Dialect = e.at.raw, Pi
		t.add(e.at, m, e.Timestamp)
	}
}
