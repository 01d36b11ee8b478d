package timeline

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/identifier"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/ref"
	"github.com/seed-3db51b0e/precis/thread"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
)

// Meta holds what a compaction notes about its summary record. It is
// written into plan.Record.Meta as JSON.
type Meta struct {
	Path string `json:"path"` // of the summary
	// CoveredTurns are the user turns that lie behind the summary as a whole,
	// SplitTurn the one of which only the beginning does, 0 for none.
	CoveredTurns []int `json:"covered_turn_ids"` // see Turns
	SplitTurn    int   `json:"split_turn_id,omitempty"`
	// Messages is how many messages the digest speaks of.
	Messages int    `json:"messages"`
	Digest   Digest `json:"compaction_digest"`
}

// Digest lists what lies behind a summary and where: enough to find all of it
// again. References are "#n", the n-th message of the thread. It is bounded:
// the newest items of a kind stay.
type Digest struct {
	Produced []produced `json:"produced_artifacts,omitempty"`
	Outputs  []output   `json:"tool_outputs,omitempty"`
	Searches []search   `json:"search_hits,omitempty"`
	Hidden   []hidden   `json:"hidden_blocks,omitempty"`
	// Left counts items that the bounds left out.
	Left int `json:"left_out,omitempty"`
}

// produced is a file that a call made, changed or deleted; the last change
// stands.
type produced struct {
	Path string      `json:"path"`
	Done tool.Access `json:"done"`
	Tool string      `json:"tool"`
	Call string      `json:"call"`           // "#n" of the call
	Mime string      `json:"mime,omitempty"` // by the ending of the path, "" for one that is not known
	// Visibility is the sensitivity of the tool's results: who may see the content.
	Visibility string `json:"visibility,omitempty"`
	// Sources are the paths and addresses that the agent had read or searched before in
	// the same user turn, the last ones.
	Sources []string `json:"sources_used,omitempty"`
}

// output sums up what the calls of one tool came to.
type output struct {
	Tool   string       `json:"tool"`
	Count  int          `json:"count"`
	Failed int          `json:"failed,omitempty"`
	Last   tool.Outcome `json:"last_outcome"`
	Refs   []string     `json:"refs"` // of the newest results, in order
}

// search is a search call and the paths its result names.
type search struct {
	Tool  string   `json:"tool"`
	Query string   `json:"query"`
	Paths []string `json:"paths,omitempty"`
	Call  string   `json:"call"`
}

// hidden is a block that stood behind other text when it was compacted.
type hidden struct {
	Path string    `json:"path"`
	Type blockType `json:"type"`
	How  string    `json:"how"`  // kind of replacement, or action
	Text string    `json:"text"` // what stood in its place, clipped
	Ref  string    `json:"ref"`
	ID   string    `json:"artifact,omitempty"` // where its content was externalized
}

// The bounds of a digest: items of a kind, references of a tool, paths of a
// search; bytes of a path or query, and of a replacement text.
const (
	maxItems = 64
	maxRefs  = 8
	maxPaths = 8
	maxName  = 256
	maxText  = 480
	maxScan  = 64 << 10 // bytes of a result that are looked at for paths
)

// Covered are messages that go behind a summary: those at the positions At, in order.
type Covered struct {
	Thread *thread.Thread
	At     []int
	// Record returns the record over part n (from 1) of entry i, or with n 0 over the
	// whole, nil for none.
	Record func(i, n int) *plan.Record
	// Sensitivity returns that of a tool's results.
	Sensitivity func(tool string) string
}

// Collect makes the digest of messages.
func Collect(of Covered) Digest {
	c := collector{t: of.Thread, sensitivity: of.Sensitivity}
	next := 0
	for _, i := range of.At {
		if i != next {
			c.lookBack(i)
		}
		next = i + 1
		if c.t.At(i).Message.Meta {
			continue
		}
		c.hidden(i, 0, of.Record(i, 0))
		for n := range c.t.At(i).Message.Parts {
			c.hidden(i, n+1, of.Record(i, n+1))
		}
		c.message(i)
	}
	return c.out.bound()
}

// lookBack notes what was read before position i, and nothing else.
func (c *collector) lookBack(i int) {
	before := collector{t: c.t, sensitivity: c.sensitivity}
	for at := max(i-2*farthest, 0); at < i; at++ {
		before.message(at)
	}
	c.read, c.calls = before.read, before.calls
}

func (c *collector) message(i int) {
	m := &c.t.At(i).Message
	if thread.Speaks(*m) {
		c.read = nil
	}
	for n := range m.Parts {
		c.part(thread.Place{Index: i, Part: n + 1})
	}
}

type collector struct {
	t           *thread.Thread
	sensitivity func(tool string) string
	calls       thread.Calls
	read        []source // in this user turn
	out         Digest
}

// source is a path or an address that was read or searched by the result at a position.
type source struct {
	name string
	at   int
}

// farthest is how many messages before a call a source of it may stand.
const farthest = 64

func (c *collector) part(at thread.Place) {
	switch p := c.t.Part(at); p.Kind {
	case message.Call:
		c.calls.Called(p.CallID, at)
	case message.Result:
		call, from := message.Part{Kind: message.Call, CallID: p.CallID, Name: p.Name}, at
		if made, ok := c.calls.Answered(p.CallID); ok {
			call, from = *c.t.Part(made), made
		}
		c.result(tool.Of(call, p), from.Index, at.Index)
	}
}

// result notes one answered call, by the positions of call and result.
func (c *collector) result(e tool.Envelope, called, answered int) {
	call := number(called)
	e.Tool = clip(e.Tool, maxName)
	if e.Tool == "" {
		e.Tool = "tool"
	}
	o := output{Tool: e.Tool, Count: 1, Last: e.Outcome, Refs: []string{number(answered)}}
	if e.Outcome == tool.Failure {
		o.Failed = 1
	}
	c.out.Outputs = joinOutput(c.out.Outputs, o)
	for _, w := range e.Touched {
		path := clip(w.Path, maxName)
		if w.Access.Changes() && e.Outcome != tool.Failure {
			c.out.Produced = joinProduced(c.out.Produced, produced{
				Path: path, Done: w.Access, Tool: e.Tool, Call: call, Mime: mimeOf(path), Visibility: c.sensitivity(e.Tool), Sources: c.sources(path, answered),
			})
		}
		if !w.Access.Changes() {
			c.note(path, answered)
		}
	}
	if q := query(e); q != "" {
		if e.Class == tool.Web {
			c.note(clip(q, maxName), answered)
		}
		s := search{Tool: e.Tool, Query: clip(q, maxName), Paths: paths(e.Output), Call: call}
		c.out.Searches = replaceBy(c.out.Searches, s, searchKey)
	}
}

// note notes what the result at a position read, the last of it at the end.
func (c *collector) note(name string, at int) {
	c.read = append(slices.DeleteFunc(c.read, func(x source) bool { return x.name == name || x.at < at-farthest }), source{name, at})
}

// sources are the last that were read before position at, beside path itself.
func (c *collector) sources(path string, at int) (names []string) {
	for _, x := range c.read {
		if x.name != path && x.at >= at-farthest {
			names = append(names, x.name)
		}
	}
	return names[max(len(names)-maxPaths, 0):]
}

// hidden notes what stood in place of a part or a message.
func (c *collector) hidden(i, n int, r *plan.Record) {
	if r == nil || r.Action == plan.Summarize || r.Kind == plan.Repaired || r.Kind == plan.Reencoded {
		return
	}
	e := c.t.At(i)
	b := Block{Type: typeOf(e.Message.Role, message.Text), Entry: i}
	call := ""
	if n > 0 {
		p := &e.Message.Parts[n-1]
		b.Type, call = typeOf(e.Message.Role, p.Kind), p.CallID
	}
	h := hidden{Path: pathOf(c.t, b, clip(call, maxName)), Type: b.Type, How: string(r.Kind), Text: r.Text, Ref: number(i), ID: r.Artifact}
	if h.How == "" {
		h.How = string(r.Action)
	}
	if r.Action == plan.Clear {
		h.Text = tool.Cleared(r.Tool, tool.Outcome(r.Outcome), r.Fields)
	}
	h.Text = clip(h.Text, maxText)
	c.out.Hidden = append(c.out.Hidden, h)
}

// Then returns the digest of what d speaks of and next after it.
func (d Digest) Then(next Digest) Digest {
	out := Digest{Left: d.Left + next.Left}
	for _, p := range slices.Concat(d.Produced, next.Produced) {
		out.Produced = joinProduced(out.Produced, p)
	}
	for _, o := range slices.Concat(d.Outputs, next.Outputs) {
		out.Outputs = joinOutput(out.Outputs, o)
	}
	for _, s := range slices.Concat(d.Searches, next.Searches) {
		out.Searches = replaceBy(out.Searches, s, searchKey)
	}
	for _, h := range slices.Concat(d.Hidden, next.Hidden) {
		out.Hidden = replaceBy(out.Hidden, h, hiddenKey)
	}
	return out.bound()
}

func (d Digest) bound() Digest {
	d.Produced = last(d.Produced, maxItems, &d.Left)
	d.Outputs = last(d.Outputs, maxItems, &d.Left)
	d.Searches = last(d.Searches, maxItems, &d.Left)
	d.Hidden = last(d.Hidden, maxItems, &d.Left)
	return d
}

func last[T any](list []T, n int, left *int) []T {
	over := max(len(list)-n, 0)
	*left += over
	return list[over:]
}

// joinProduced puts a change last, in place of an earlier one of the path. What
// was created and then changed was created.
func joinProduced(list []produced, p produced) []produced {
	for _, old := range list {
		if old.Path == p.Path && old.Done == tool.Creates && p.Done == tool.Edits {
			p.Done = tool.Creates
		}
	}
	return replaceBy(list, p, func(p produced) string { return p.Path })
}

// joinOutput adds an output to that of the same tool, which moves to the end.
func joinOutput(list []output, o output) []output {
	for _, old := range list {
		if old.Tool == o.Tool {
			o.Count += old.Count
			o.Failed += old.Failed
			refs := slices.Concat(old.Refs, o.Refs)
			o.Refs = refs[max(len(refs)-maxRefs, 0):]
		}
	}
	return replaceBy(list, o, func(o output) string { return o.Tool })
}

func searchKey(s search) string { return s.Tool + "\x00" + s.Query }
func hiddenKey(h hidden) string { return h.Path + "\x00" + h.Ref }

// replaceBy puts x last, taking the place of an item with its key.
func replaceBy[T any](list []T, x T, key func(T) string) []T {
	k := key(x)
	list = slices.DeleteFunc(list, func(y T) bool { return key(y) == k })
	return append(list, x)
}

// query returns what a call searched for: the pattern or question of a search tool,
// the command line of a shell call that searches or lists. "" for the rest.
func query(e tool.Envelope) string {
	switch e.Class {
	case tool.Search, tool.List, tool.Web:
	case tool.Shell:
		lists := slices.ContainsFunc(e.Touched, func(w tool.Touch) bool { return w.Access == tool.Lists })
		if lists && program.Inspects(e.Command) {
			return e.Command
		}
		return ""
	default:
		return ""
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(e.KeyFields, &fields) != nil {
		return ""
	}
	for _, name := range []string{"pattern", "query", "url", "path"} {
		var s string
		if json.Unmarshal(fields[name], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// paths returns the first paths that a result names.
func paths(text string) (out []string) {
	text = text[:min(len(text), maxScan)]
	identifier.Scan(text, func(k identifier.Kind, a, b int) {
		if k != identifier.Path && k != identifier.File && k != identifier.URL || len(out) == maxPaths {
			return
		}
		if p := clip(text[a:b], maxName); !slices.Contains(out, p) {
			out = append(out, p)
		}
	})
	return out
}

// clip cuts a text to about n bytes, between characters, and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// number names the message at position i.
func number(i int) string { return ref.Message(i + 1).String() }
