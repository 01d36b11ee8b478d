package doctor_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/doctor"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/thread"
)

var key = store.Key{Thread: "t"}

// planned makes a file with three versions of a plan and returns its path and the
// thread. The record of version n summarizes the first n messages.
func planned(t *testing.T) (string, *thread.Thread) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.db")
	s := open(t, path)
	var ms []message.Message
	for i := range 9 {
		ms = append(ms, message.TextOf(message.User, fmt.Sprint("message ", i)))
	}
	b := store.Batch{Entries: thread.Extend("", ms), Now: time.Unix(1, 0)}
	if _, err := s.Append(t.Context(), key, b); err != nil {
		t.Fatal(err)
	}
	th, err := thread.New(b.Entries)
	if err != nil {
		t.Fatal(err)
	}
	for v := range 3 {
		if err := s.Commit(t.Context(), key, version(t, th, v+1), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path, th
}

func version(t *testing.T, th *thread.Thread, v int) *plan.Plan {
	t.Helper()
	var ids []thread.ID
	for i := range v {
		ids = append(ids, th.At(i).ID)
	}
	p, err := plan.Build(plan.Plan{Thread: "t", Base: th.Tip(), Version: v, ThreadVersion: th.Len(), CreatedAt: time.Unix(int64(v), 0).UTC(), Records: []plan.Record{
		{Action: plan.Summarize, Text: fmt.Sprint("summary of version ", v), Span: plan.Span{IDs: ids}},
	}}, th)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // the test may have closed it
	return s
}

// flip changes one byte, in the file, of the content that a query selects.
func flip(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	var content []byte
	if err := db.QueryRowContext(t.Context(), query).Scan(&content); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(file, content)
	if at < 0 {
		t.Fatal("the content is not in the file")
	}
	file[at+len(content)/2] ^= 0x5a
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	header = `SELECT b.data FROM plans p JOIN blobs b ON b.id = p.header WHERE p.version = %d`
	record = `SELECT b.data FROM records r JOIN blobs b ON b.id = r.body WHERE r.len = %d`
)

// One damaged byte of a plan does not take the thread: the newest version that is sound
// takes its place, what is committed then shares nothing with what is damaged, doctor
// names the damage, and repairs it.
//
// SPEC: V1, V9
func TestDamagedPlan(t *testing.T) {
	for name, c := range map[string]struct {
		damage []string
		stands int // the version that takes the place of the current one
	}{
		"header":          {[]string{fmt.Sprintf(header, 3)}, 2},
		"record":          {[]string{fmt.Sprintf(record, 3)}, 2},
		"two versions":    {[]string{fmt.Sprintf(record, 3), fmt.Sprintf(header, 2)}, 1},
		"all versions":    {[]string{fmt.Sprintf(record, 3), fmt.Sprintf(header, 2), fmt.Sprintf(record, 1)}, 0},
		"an older one":    {[]string{fmt.Sprintf(header, 1)}, 3},
		"nothing of them": {nil, 3},
	} {
		t.Run(name, func(t *testing.T) {
			path, th := planned(t)
			for _, query := range c.damage {
				flip(t, path, query)
			}
			told := 0
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{Damaged: func(store.Key, error) { told++ }})
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.Plan(t.Context(), key)
			if err != nil || p.Version != 3 {
				t.Fatalf("%+v, %v", p, err)
			}
			want := ""
			if c.stands > 0 {
				want = fmt.Sprint("summary of version ", c.stands)
			}
			if got := fmt.Sprint(p.Records); !strings.Contains(got, want) || (want == "") != (len(p.Records) == 0) {
				t.Fatalf("version %d stands: %s", c.stands, got)
			}
			if (told > 0) != (c.stands < 3) {
				t.Errorf("told %d times", told)
			}
			if es, err := s.Load(t.Context(), key); err != nil || len(es) != 9 {
				t.Fatalf("%d messages, %v", len(es), err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			bad(t, path, false, len(c.damage) == 0)
			bad(t, path, true, true)
			bad(t, path, false, true)
			s = open(t, path)
			if p, err = s.Plan(t.Context(), key); err != nil || !strings.Contains(fmt.Sprint(p.Records), want) {
				t.Fatalf("after the repair: %+v, %v", p, err)
			}
			again := version(t, th, 3)
			again.Version = p.Version + 1
			if err := s.Commit(t.Context(), key, again, nil); err != nil {
				t.Fatal(err)
			}
			if p, err = s.Plan(t.Context(), key); err != nil || !strings.Contains(fmt.Sprint(p.Records), "summary of version 3") {
				t.Fatalf("the same records again: %+v, %v", p, err)
			}
		})
	}
}

// The next commit after a damaged plan is sound without a repair.
//
// SPEC: V1, V9
func TestCommitAfterDamage(t *testing.T) {
	path, th := planned(t)
	flip(t, path, fmt.Sprintf(record, 3))
	s := open(t, path)
	if _, err := s.Plan(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	again := version(t, th, 3)
	again.Version = 4
	if err := s.Commit(t.Context(), key, again, nil); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Plan(t.Context(), key); err != nil || p.Version != 4 || !strings.Contains(fmt.Sprint(p.Records), "summary of version 3") {
		t.Fatalf("%+v, %v", p, err)
	}
}

// Of a file with a page that cannot be read, doctor promises a repair only where the repair
// does what it says, and else says how to save what can be read.
//
// SPEC: V1, V9
func TestDamagedPages(t *testing.T) {
	path, _ := planned(t)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content := func(repair bool) (f doctor.Finding) {
		for _, f = range doctor.Installation(t.Context(), doctor.Database{Path: path, Repair: repair}, func(error) string { return "" }) {
			if f.Check == "content" || f.Check == "database" && !f.OK {
				break
			}
		}
		return f
	}
	found := map[bool]int{}
	for page := 1; page < len(file)/4096; page++ {
		damaged := bytes.Clone(file)
		for i := range 4096 {
			damaged[page*4096+i] = byte(i * 7)
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		first := content(false)
		if first.OK {
			continue
		}
		repairs := strings.Contains(first.Fix, "--repair")
		found[repairs]++
		if after := content(true); repairs && !after.OK || !repairs && !strings.Contains(first.Fix, "--salvage") && first.Fix != doctor.Unreadable {
			t.Errorf("page %d: %+v, and after a repair %+v", page, first, after)
		}
	}
	if found[false] == 0 {
		t.Error("no page was missed")
	}
}

// bad runs doctor and checks what it says of the content.
func bad(t *testing.T, path string, repair, want bool) {
	t.Helper()
	for _, f := range doctor.Installation(context.Background(), doctor.Database{Path: path, Repair: repair}, func(error) string { return "" }) {
		if f.Check == "content" && (f.OK != want || !want && !strings.Contains(f.Fix, "--repair")) {
			t.Errorf("repair %v: %+v", repair, f)
		}
	}
}
