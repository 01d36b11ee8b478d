package doctor

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// sealed checks that nothing of what was said stands in the raw files of a sealed
// database, and looks for the text that was asked for.
func sealed(ctx context.Context, s *sqlite.Store, db Database) []Finding {
	f := Finding{Check: "sealing", OK: true, Found: "not sealed: who can read the file can read the conversations"}
	z, err := s.Sealing(ctx)
	if err == nil && z.Sealed {
		err = proven(ctx, s, db, z, &f)
	}
	if err != nil {
		f.OK, f.Found = false, err.Error()
	}
	if db.LookFor == "" {
		return []Finding{f}
	}
	return []Finding{f, lookFor(ctx, s, db)}
}

// KeyFile checks that others cannot read the keys.
func KeyFile(path string) Finding {
	f := permissions(path)
	f.Check = "key"
	return f
}

// proven looks for passages of the log in the raw files.
func proven(ctx context.Context, s *sqlite.Store, db Database, z sqlite.Sealing, f *Finding) error {
	passages := map[string]bool{}
	err := eachText(ctx, s, func(text string) {
		for i := 0; i+passage <= len(text) && len(passages) < maxPassages; i += max(passage, len(text)/4) {
			passages[text[i:i+passage]] = true
		}
	})
	if err != nil {
		return err
	}
	var list []string
	schema := sqlite.Schema()
	for p := range passages {
		if !strings.Contains(schema, p) { // an agent may have read it
			list = append(list, p)
		}
	}
	seen, err := sqlite.Traces(ctx, db.Path, list)
	if err != nil {
		return err
	}
	if len(seen) > 0 || z.Clear > 0 {
		f.OK, f.Fix = false, "stop what uses the database, then precis db seal"
		f.Found = fmt.Sprintf("%s in the clear, and %d of %s of the conversations stand in the raw files",
			term.Count(z.Clear, "piece")+" of content", len(seen), term.Count(len(list), "passage"))
		return nil
	}
	f.Found = fmt.Sprintf("%s sealed with key %s or older ones; of %s of the conversations none stands in the raw files",
		term.Count(z.Contents, "piece")+" of content", db.Keys.Primary(), term.Count(len(list), "passage"))
	return nil
}

// passage is the length of what is looked for, in bytes: long enough to stand nowhere by
// chance, in a file of any size.
const (
	passage     = 24
	maxPassages = 100_000
)

// eachText calls f with every text of every message of every thread.
func eachText(ctx context.Context, s *sqlite.Store, f func(string)) error {
	heads, err := s.AllHeads(ctx)
	if err != nil {
		return err
	}
	for _, h := range heads {
		es, err := s.Load(ctx, h.Key)
		if err != nil {
			return err
		}
		for _, e := range es {
			if !e.Erased {
				texts(e.Message.Parts, f)
			}
		}
	}
	return nil
}

func texts(parts []message.Part, f func(string)) {
	for _, p := range parts {
		f(p.Text)
		f(p.Args)
		texts(p.Parts, f)
	}
}

// lookFor says where a text stands: in conversations, and in the raw files.
func lookFor(ctx context.Context, s *sqlite.Store, db Database) Finding {
	f := Finding{Check: "look for", OK: true}
	said := map[store.Key]int{}
	messages := 0
	heads, err := s.AllHeads(ctx)
	for _, h := range heads {
		if err == nil {
			n := 0
			n, err = holding(ctx, s, h.Key, db.LookFor)
			if n > 0 {
				said[h.Key] = n
				messages += n
			}
		}
	}
	var seen map[string]int
	if err == nil {
		seen, err = sqlite.Traces(ctx, db.Path, []string{db.LookFor})
	}
	if err != nil {
		f.OK, f.Found = false, err.Error()
		return f
	}
	n := seen[db.LookFor]
	verb := "hold"
	if messages == 1 {
		verb = "holds"
	}
	f.Found = fmt.Sprintf("%s of %s %s it; in the raw files it stands %s", term.Count(messages, "message"), term.Count(len(said), "thread"), verb, term.Count(n, "time"))
	switch {
	case n > 0 && s.Sealed():
		f.OK, f.Fix = false, "stop what uses the database, then precis db seal"
	case n > 0 && messages == 0:
		f.OK, f.Fix = false, "stop what uses the database, then precis db vacuum"
	}
	return f
}

// holding counts the messages of a thread that hold a text.
func holding(ctx context.Context, s *sqlite.Store, k store.Key, text string) (n int, err error) {
	es, err := s.Load(ctx, k)
	for _, e := range es {
		held := bytes.Contains(e.Message.Raw, []byte(text))
		texts(e.Message.Parts, func(s string) { held = held || strings.Contains(s, text) })
		if held {
			n++
		}
	}
	return n, err
}
