package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// Thread is one conversation as the list shows it.
type Thread struct {
	Thread   string    `json:"thread"`
	Title    string    `json:"title,omitempty"` // given by a person
	Agent    string    `json:"agent,omitempty"` // the format it came in
	Messages int       `json:"messages"`
	Version  int       `json:"plan_version"`
	Parent   string    `json:"parent,omitempty"`
	Relation string    `json:"relation,omitempty"` // to Parent: fork, subagent, continues
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
}

// Threads are the conversations of a tenant, last updated first.
type Threads struct {
	Page
	Threads []Thread `json:"threads"`
}

func (a *api) threads(r *http.Request) (any, error) {
	heads, err := a.store.Heads(r.Context(), a.o.Tenant)
	if err != nil {
		return nil, fmt.Errorf("list threads: %w", err)
	}
	all, word := []Thread{}, strings.ToLower(r.URL.Query().Get("q"))
	for _, h := range heads {
		t := threadOf(h)
		if word != "" {
			t.Title = a.title(r.Context(), t.Thread)
		}
		if word == "" || strings.Contains(strings.ToLower(t.Thread+"\n"+t.Title+"\n"+t.Agent), word) {
			all = append(all, t)
		}
	}
	from, to, err := pageOf(r, len(all), 500)
	if err != nil {
		return nil, err
	}
	for i := from; i < to; i++ { // of the rest nobody asks
		all[i].Title = a.title(r.Context(), all[i].Thread)
	}
	return Threads{Page{from, len(all)}, all[from:to]}, nil
}

func threadOf(h store.Head) Thread {
	t := Thread{
		Thread: h.Key.Thread, Agent: h.Format(), Messages: h.Len, Version: h.PlanVersion,
		Parent: h.Parent, Created: h.Created, Updated: h.Updated,
	}
	switch above, _, nested := strings.Cut(h.Key.Thread, "/"); {
	case h.Parent != "" && forked(h):
		t.Relation = "fork"
	case h.Parent != "":
		t.Relation = "continues"
	case nested:
		t.Parent, t.Relation = above, "subagent"
	}
	return t
}

// forked reports whether the name of a thread is that of its parent, or of the thread that
// the parent is a branch of, with a branch's letters.
func forked(h store.Head) bool {
	i := strings.LastIndex(h.Key.Thread, "~")
	return i > 0 && (h.Parent == h.Key.Thread[:i] || strings.HasPrefix(h.Parent, h.Key.Thread[:i+1]))
}

// title is the name that a person gave a thread, as the store keeps it.
type title struct {
	Title string `json:"title"`
}

// title is the name that a person gave to a thread, "" for none.
func (a *api) title(ctx context.Context, name string) string {
	data, err := a.store.Envelope(ctx, store.Key{Tenant: a.o.Tenant, Thread: name}.Answers())
	var t title
	if err != nil || json.Unmarshal(data, &t) != nil {
		return ""
	}
	return t.Title
}

// maxTitle is the longest name of a thread, in bytes.
const maxTitle = 200

// rename keeps the name that a person gives to a thread.
func (a *api) rename(ctx context.Context, name, to string) error {
	if len(to) > maxTitle {
		return badRequest("title: at most %d bytes", maxTitle)
	}
	k := store.Key{Tenant: a.o.Tenant, Thread: name}.Answers()
	data, err := json.Marshal(title{strings.TrimSpace(to)})
	if err != nil {
		return err
	}
	err = store.Retry(ctx, func() error {
		h, err := a.store.Head(ctx, k)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		_, err = a.store.Append(ctx, k, store.Batch{Tip: h.Tip, Envelope: data, Source: "answers", Now: a.o.Engine.Now()})
		return err
	})
	if err != nil {
		return fmt.Errorf("rename %s: %w", name, err)
	}
	return nil
}

// Summary sums up a thread. Sums that take prices are absent where no prices
// are known.
type Summary struct {
	Thread
	Tip         thread.ID `json:"tip"`
	Begins      string    `json:"begins,omitempty"` // what the user said first, cut
	Turns       int       `json:"turns"`
	Steps       int       `json:"steps"`
	Model       string    `json:"model,omitempty"`
	Window      int       `json:"window,omitempty"` // of the model, in tokens
	Policy      string    `json:"policy,omitempty"`
	Budget      int       `json:"budget,omitempty"`
	Trigger     int       `json:"trigger,omitempty"`
	Tokens      int       `json:"tokens"`        // of the next request
	Logged      int       `json:"logged_tokens"` // of it, had nothing been left out
	Compactions int       `json:"compactions"`   // plans that the engine made to leave something out
	// TurnsLeft is how many more turns fit before the trigger, at the growth so far.
	TurnsLeft *int `json:"turns_left,omitempty"`
	// Sent and All are tokens of all requests, Shared what began as the one before.
	Sent   int64 `json:"sent_tokens"`
	All    int64 `json:"all_tokens"`
	Shared int64 `json:"shared_tokens"`
	// USD is the estimated bill for input, Uncompacted that for sending everything.
	// Their difference is net of the prefixes that compactions broke.
	USD         *float64 `json:"usd,omitempty"`
	Uncompacted *float64 `json:"uncompacted_usd,omitempty"`
}

// sums remembers what threads came to, for as long as they stand still: the list of
// threads asks for many.
type sums struct {
	mu   sync.Mutex
	last map[string]Summary
}

// maxSums is how many are remembered.
const maxSums = 4096

// summed answers from what is remembered, where the thread is as it was then.
func (a *api) summed(r *http.Request) (any, error) {
	name := r.PathValue("thread")
	if !r.URL.Query().Has("sim") {
		h, err := a.store.Head(r.Context(), store.Key{Tenant: a.o.Tenant, Thread: name})
		if err != nil {
			return nil, fmt.Errorf("open thread %s: %w", name, err)
		}
		a.sums.mu.Lock()
		s, ok := a.sums.last[name]
		a.sums.mu.Unlock()
		if ok && s.Tip == h.Tip && s.Version == h.PlanVersion {
			s.Title = a.title(r.Context(), name)
			return s, nil
		}
	}
	v, err := a.open(r)
	if err != nil {
		return nil, err
	}
	s := a.summary(r.Context(), v)
	if !v.partial && !r.URL.Query().Has("sim") {
		a.sums.keep(s)
	}
	return s, nil
}

// keep remembers what a thread came to.
func (s *sums) keep(of Summary) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) >= maxSums {
		clear(s.last)
	}
	s.last[of.Thread.Thread] = of
}

// summary sums a thread up.
func (a *api) summary(ctx context.Context, v *view) Summary {
	s := v.summary()
	s.Title = a.title(ctx, v.head.Key.Thread)
	return s
}

func (v *view) summary() Summary {
	s := Summary{Thread: threadOf(v.head), Tip: v.head.Tip, Begins: v.begins(), Turns: v.t.Turns(), Steps: len(v.steps), Model: v.model.name()}
	if v.model.listed {
		s.Window = v.model.model.Window
	}
	if p := v.current(); p != nil {
		s.Policy = p.Policy
	}
	for i := range v.plans {
		if v.versionAt(i).compacts() {
			s.Compactions++
		}
	}
	all := v.timeline()
	for i := range all {
		x := &all[i]
		s.Sent, s.All, s.Shared = s.Sent+int64(x.tokens), s.All+int64(x.logged), s.Shared+int64(x.shared)
		if x.bill != nil {
			s.USD, s.Uncompacted = plus(s.USD, x.bill.usd), plus(s.Uncompacted, x.bill.all)
		}
	}
	if len(all) > 0 {
		last := &all[len(all)-1]
		s.Tokens, s.Logged = last.tokens, last.logged
		if p := v.limitsAt(last); p != nil {
			s.Budget, s.Trigger = p.Inputs.Budget, p.Inputs.Soft
			s.TurnsLeft = turnsLeft(last, s.Trigger, s.Turns)
		}
	}
	return s
}

// maxBegins is the most bytes of what a thread begins with, beginMessages where it is looked for.
const (
	maxBegins     = 160
	beginMessages = 8
)

// begins is what the user said first, without what the agent's program put in the user's name.
func (v *view) begins() string {
	for i := range min(v.t.Len(), beginMessages) {
		e := v.t.At(i)
		if e.Erased || !thread.Speaks(e.Message) {
			continue
		}
		return oneline.Clip(oneline.Of(textOfMessage(spokenIn(e.Message), nil)), maxBegins)
	}
	return ""
}

// spokenIn returns a message without what is not the user's in it.
func spokenIn(m message.Message) message.Message {
	w, said := thread.WordsOf(&m), m
	said.Parts = nil
	for i, p := range m.Parts {
		if p.Kind == message.Text {
			p.Text = w.Said(i)
		}
		if !w.Note(i) {
			said.Parts = append(said.Parts, p)
		}
	}
	return said
}

// turnsLeft is how many turns fit before the trigger; nil where it cannot be said.
func turnsLeft(last *step, trigger, turns int) *int {
	if turns == 0 || last.logged == 0 || trigger == 0 {
		return nil
	}
	growth := float64(last.logged-last.sent[layerSystem]) / float64(turns)
	if growth <= 0 {
		return nil
	}
	n := max(int(float64(trigger-last.tokens)/growth), 0)
	return &n
}
