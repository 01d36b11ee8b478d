package lineage_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis/internal/engine/lineage"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
)

var (
	summary = "1. The user had the agent port the billing service.\n2. All handlers of /invoices are ported.\n3. " + strings.Repeat("The tests of the ledger wait for a decision about rounding. ", 4)
	key     = store.Key{Tenant: "t", Thread: "old"}
	next    = store.Key{Tenant: "t", Thread: "new"}
)

func said(text string) []message.Message {
	return []message.Message{message.TextOf(message.Assistant, text)}
}

func asked(text string) []message.Message {
	return []message.Message{message.TextOf(message.User, text)}
}

// A history goes on from the thread whose reply it holds whole, in whatever lines and
// tags; not for another user or tenant, and not where the reply is short, changed, what
// a tool said, or was given to more than one conversation.
//
// SPEC: B23, V10
func TestFind(t *testing.T) {
	wrapped := "This session is being continued from a previous conversation.\nSummary:\n" + strings.ReplaceAll(summary, "\n", "\n\n* ") + "\nGo on."
	result := message.Message{Role: message.User, Parts: []message.Part{{Kind: message.Result, CallID: "c", Parts: []message.Part{{Kind: message.Text, Text: summary}}}}}
	for name, c := range map[string]struct {
		reply string
		user  string
		key   store.Key
		fresh []message.Message
		later bool // it departs within the history
		want  bool
	}{
		"as it is":          {reply: summary, fresh: asked(summary), want: true},
		"in tags":           {reply: "<analysis>Hm.</analysis>\n<summary>\n" + summary + "</summary>", fresh: asked(wrapped), want: true},
		"behind others":     {reply: summary, fresh: append(asked("Port it."), asked("Another model wrote:\n"+summary)...), later: true, want: true},
		"as an answer":      {reply: summary, fresh: append(asked("What did we do so far?"), said(summary)...), want: true},
		"an echo":           {reply: summary, fresh: append(asked("And now?"), said(summary)...), later: true},
		"another user":      {reply: summary, user: "mallory", fresh: asked(summary)},
		"another tenant":    {reply: summary, key: store.Key{Tenant: "u", Thread: "new"}, fresh: asked(summary)},
		"the same thread":   {reply: summary, key: key, fresh: asked(summary)},
		"changed":           {reply: summary, fresh: asked(strings.Replace(summary, "rounding", "sums", 1))},
		"short":             {reply: "All of it is done.", fresh: asked("All of it is done.")},
		"a tool's":          {reply: summary, fresh: []message.Message{result}},
		"nothing of it":     {reply: summary, fresh: asked(strings.Repeat("Port the search service next. ", 12))},
		"a part of it only": {reply: summary, fresh: asked(summary[:len(summary)-80])},
	} {
		t.Run(name, func(t *testing.T) {
			r := lineage.New()
			r.Keep(key, "", "tip", said(c.reply))
			if c.key == (store.Key{}) {
				c.key = next
			}
			of, ok := r.Find(c.key, c.user, c.fresh, !c.later)
			if ok != c.want || ok && of != (store.Origin{Thread: "old", Tip: "tip"}) {
				t.Errorf("%v %t", of, ok)
			}
		})
	}
	r := lineage.New()
	r.Keep(key, "", "tip", said(summary))
	r.Keep(store.Key{Tenant: "t", Thread: "other"}, "", "tip2", said(summary))
	if of, ok := r.Find(next, "", asked(summary), true); ok {
		t.Errorf("two conversations had this reply: %v", of)
	}
}

// Replies that are kept at the same time are all found.
//
// SPEC: B23
func TestKeepTogether(t *testing.T) {
	r := lineage.New()
	var all sync.WaitGroup
	replies := []string{summary, strings.ToUpper("of the search service: ") + summary}
	for i, text := range replies {
		all.Go(func() { r.Keep(store.Key{Thread: strconv.Itoa(i)}, "", "tip", said(text)) })
	}
	all.Wait()
	for i, text := range replies {
		if of, ok := r.Find(next, "", asked(text), true); ok {
			t.Errorf("reply %d is found for another tenant: %v", i, of)
		}
		of, ok := r.Find(store.Key{Thread: "new"}, "", asked(text), true)
		if !ok || of.Thread != strconv.Itoa(i) {
			t.Errorf("reply %d is found in thread %q, %v", i, of.Thread, ok)
		}
	}
}

// Notes tell another process of replies, the newest of too many, and hold none of their
// words; what it gave the same reply to is told apart from that.
//
// SPEC: B23, V10
func TestNotes(t *testing.T) {
	r, data := lineage.New(), []byte("not ours")
	keep := func(k store.Key, text string) {
		joined, err := lineage.Join(data, r.Keep(k, "anna", "tip", said(text)))
		if err != nil {
			t.Fatal(err)
		}
		data = joined
	}
	for n := range lineage.MaxNotes + 5 {
		keep(store.Key{Tenant: "t", Thread: strconv.Itoa(n)}, strconv.Itoa(n)+summary)
	}
	if strings.Contains(string(data), "billing") {
		t.Errorf("the notes hold words: %s", data)
	}
	other := lineage.New()
	other.Keep(store.Key{Tenant: "t", Thread: "its own"}, "anna", "tip", said("36"+summary))
	notes, err := lineage.ReadNotes(data)
	if err != nil || len(notes) != lineage.MaxNotes {
		t.Fatalf("%d notes, %v", len(notes), err)
	}
	other.Take("t", "anna", notes)
	for n, want := range map[string]bool{"35": true, "5": true, "4": false, "36": false} {
		if of, ok := other.Find(next, "anna", asked(n+summary), true); ok != want || ok && of.Thread != n {
			t.Errorf("reply %s: %v %t", n, of, ok)
		}
	}
	if _, ok := other.Find(next, "bert", asked("35"+summary), true); ok {
		t.Error("another user's reply is found")
	}
}
