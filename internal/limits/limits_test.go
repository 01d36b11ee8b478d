package limits

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/overflow"
)

// What a refusal teaches is lower than what was refused, is measured as prompts
// are, and holds for the model where the provider gave numbers, for the thread
// where it did not.
//
// SPEC: B6, L12, P1
func TestRefusalsTeach(t *testing.T) {
	for name, c := range map[string]struct {
		o                 overflow.Overflow
		sent              int
		mine, its, theirs int // room of the thread, of another one, of another tenant
	}{
		"counted alike":           {overflow.Overflow{Limit: 90, Requested: 120, Unit: overflow.Tokens}, 120, 90, 90, 1000},
		"counted too low":         {overflow.Overflow{Limit: 90, Requested: 180, Unit: overflow.Tokens}, 120, 60, 60, 1000},
		"counted too high":        {overflow.Overflow{Limit: 90, Requested: 100, Unit: overflow.Tokens}, 200, 90, 90, 1000},
		"with output":             {overflow.Overflow{Limit: 100, Requested: 120, Output: 10, Unit: overflow.Tokens}, 120, 90, 90, 1000},
		"only a limit":            {overflow.Overflow{Limit: 90, Unit: overflow.Tokens}, 120, 90, 90, 1000},
		"a limit above":           {overflow.Overflow{Limit: 500, Unit: overflow.Tokens}, 100, 80, 80, 1000},
		"no numbers":              {overflow.Overflow{Unit: overflow.Tokens}, 100, 80, 1000, 1000},
		"bytes":                   {overflow.Overflow{Limit: 3, Requested: 4, Unit: overflow.Bytes}, 100, 80, 1000, 1000},
		"a reply of most of it":   {overflow.Overflow{Limit: 200, Requested: 90, Output: 128, Unit: overflow.Tokens}, 90, 72, 1000, 1000},
		"no room beside a reply":  {overflow.Overflow{Limit: 200, Requested: 90, Output: 300, Unit: overflow.Tokens}, 90, 1000, 1000, 1000},
		"nothing is known of it":  {overflow.Overflow{Limit: 50, Unit: overflow.Tokens}, 0, 1000, 1000, 1000},
		"larger than was refused": {overflow.Overflow{Limit: 99, Requested: 100, Unit: overflow.Tokens}, 99, 98, 98, 1000},
	} {
		var l LearnedLimits
		m := model.Model{Window: 1000, Guess: true}
		me := Subject{"p", "t", "m", "a"}
		got := l.Refused(me, m, c.o, c.sent)
		if n := l.Room(Subject{"p", "t", "m", "b"}, m, 1000, 0); n != 1000 {
			t.Errorf("%s: one refusal taught another thread %d", name, n)
		}
		if n := l.Room(me, m, 1000, 0); n != c.mine {
			t.Errorf("%s: one refusal taught its thread %d, want %d", name, n, c.mine)
		}
		l.Refused(me, m, c.o, c.sent)
		if got > c.sent && c.sent > 0 {
			t.Errorf("%s: %d after %d", name, got, c.sent)
		}
		for s, want := range map[Subject]int{me: c.mine, {"p", "t", "m", "b"}: c.its, {"p", "u", "m", "a"}: c.theirs, {"q", "t", "m", "a"}: 1000} {
			if n := l.Room(s, m, 1000, 0); n != want {
				t.Errorf("%s: room of %v is %d, want %d", name, s, n, want)
			}
		}
		l.Refused(me, m, overflow.Overflow{Limit: 10_000, Unit: overflow.Tokens}, 20_000)
		if n := l.Room(me, m, 1000, 0); n != c.mine {
			t.Errorf("%s: forgotten: %d", name, n)
		}
	}
}

// The budget is what was asked for, within what the window leaves beside the
// reply; a guessed window does not overrule a budget that was asked for.
//
// SPEC: B6, L11
func TestRoom(t *testing.T) {
	known := model.Model{Window: 200, Input: 150}
	guessed := model.Model{Window: 200, Guess: true}
	for _, c := range []struct {
		m                  model.Model
		asked, reply, want int
	}{
		{known, 100, 0, 100},
		{known, 900, 0, 150},
		{known, 900, 80, 120},
		{known, 100, 80, 100},
		{known, 900, 101, 150}, // nobody means that
		{guessed, 900, 80, 900},
		{guessed, 100, 0, 100},
	} {
		var l LearnedLimits
		if got := l.Room(Subject{}, c.m, c.asked, c.reply); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// What was learned outlives who learned it; what cannot be read is begun anew.
//
// SPEC: L12, G2
func TestLimitsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db.lessons.json")
	var l LearnedLimits
	if err := l.Keep(File(path)); err != nil {
		t.Fatal(err)
	}
	s := Subject{Provider: "p", Tenant: "me", Model: "m", Thread: "t"}
	for i := range 9 {
		l.Observe(s.Everywhere(), 10_000+i, (10_000+i)*3/2)
	}
	for range 2 {
		l.Refused(s, model.Model{}, overflow.Overflow{Limit: 5000, Requested: 6000, Unit: overflow.Tokens}, 6000)
	}
	l.Refused(s, model.Model{}, overflow.Overflow{}, 4000)
	l.TooHeavy(s, overflow.Overflow{Unit: overflow.Bytes}, 1000)
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	var next LearnedLimits
	if err := next.Keep(File(path)); err != nil {
		t.Fatal(err)
	}
	known := model.Model{Window: 9000}
	if a, b := l.Of(s.Everywhere()).Applied.Factor, next.Of(s.Everywhere()).Applied.Factor; a != b || b < 1.4 {
		t.Errorf("factor %v, then %v", a, b)
	}
	for _, at := range []Subject{s, s.Everywhere()} {
		if a, b := l.Room(at, known, 9000, 0), next.Room(at, known, 9000, 0); a != b || b > 5000 {
			t.Errorf("room %d, then %d", a, b)
		}
	}
	if a, b := next.Weight(s, 0), next.Weight(s.Everywhere(), 0); a != 800 || b != 0 {
		t.Errorf("%d bytes, %d elsewhere", a, b)
	}
	if err := os.WriteFile(path, []byte(`{"format":9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var last LearnedLimits
	if err := last.Keep(File(path)); err == nil {
		t.Error("another format was read")
	}
	last.Refused(s, model.Model{}, overflow.Overflow{}, 4000)
	if err := new(LearnedLimits).Keep(File(path)); err != nil {
		t.Errorf("not written anew: %v", err)
	}
	if es, err := os.ReadDir(filepath.Dir(path)); err != nil || len(es) != 1 {
		t.Errorf("%v: %d files", err, len(es))
	}
	if err := new(LearnedLimits).Flush(); err != nil {
		t.Error(err)
	}
	var lost LearnedLimits
	if err := lost.Keep(File(filepath.Join(t.TempDir(), "no", "such", "folder"))); err != nil {
		t.Error(err)
	}
	lost.Refused(s, model.Model{}, overflow.Overflow{}, 4000)
	if lost.Flush() == nil || lost.Room(s, known, 9000, 0) != 3200 {
		t.Error("what was learned and cannot be kept is lost, or nobody is told")
	}
}

// Usage corrects the counts, in steps, and no caller makes it keep more than so
// much.
//
// SPEC: L12
func TestUsageTeaches(t *testing.T) {
	var l LearnedLimits
	s := Subject{Provider: "p", Model: "m"}
	for i := range 40 {
		l.Observe(s, 10_000+i, (10_000+i)*3/2)
	}
	if f := l.Of(s).Applied.Factor; f < 1.4 || f > 1.6 {
		t.Errorf("factor %v", f)
	}
	before := l.Of(s).Applied
	l.Observe(s, 20_000, 30_100)
	if l.Of(s).Applied != before {
		t.Error("a little more changed every count")
	}
	for i := range 3 * maxSubjects {
		l.Observe(Subject{Model: fmt.Sprint(i)}, 10_000, 10_000)
	}
	if n := l.known.Stats().Entries; n > maxSubjects {
		t.Errorf("%d subjects", n)
	}
}
