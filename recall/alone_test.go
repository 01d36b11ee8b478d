package recall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// A text that stands alone in its thread, as a conversation does that its client sent whole to be
// summarized, shows the line that holds the words of the query: words that the prompt lacks do not
// come before them.
//
// SPEC: L22, B8
func TestPassageOfOneText(t *testing.T) {
	var b strings.Builder
	b.WriteString("[User]: Read the files notes/01.txt to notes/30.txt with the shell, one command for each, in order. Do nothing else. Then answer this: [[ask vessel-tern]]\n")
	for i := range 40 {
		fmt.Fprintf(&b, "Berth log: vessel-%d took %d crates of tin and left without remarks.\n", 9000+i, 7*i)
	}
	b.WriteString("Berth log: vessel-gannet took 1902 crates of salt and left without remarks.\n")
	s, old := memory.New(), store.Key{Tenant: key.Tenant, Thread: "old"}
	write := func(k store.Key, ms []message.Message) thread.ID {
		es := thread.Extend("", ms)
		if _, err := s.Append(ctx, k, store.Batch{Entries: es, Now: now}); err != nil {
			t.Fatal(err)
		}
		return es[len(es)-1].ID
	}
	tip := write(old, said(b.String()))
	write(key, said("The conversation was summarized: the notes were read.", "Berth log: vessel-30070 took 1100 crates of salt and left without remarks.", "A last question: vessel-gannet"))
	if err := store.Link(ctx, s, key, store.Origin{Thread: old.Thread, Tip: tip}, now); err != nil {
		t.Fatal(err)
	}
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Search(ctx, recall.Topic{Text: "vessel-gannet took crates of salt", Lost: true})
	if err != nil {
		t.Fatal(err)
	}
	shown := false
	for _, f := range got.Hits {
		shown = shown || f.Ref == "earlier1:#1/1" && strings.Contains(f.Text, "1902")
	}
	if !shown {
		t.Errorf("the line is in none of %+v", got.Hits)
	}
}
