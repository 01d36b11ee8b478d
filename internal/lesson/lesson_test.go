package lesson

import (
	"fmt"
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
		"nonsense":                {overflow.Overflow{Limit: 1, Output: 50, Unit: overflow.Tokens}, 100, 1, 1, 1000},
		"nothing is known of it":  {overflow.Overflow{Limit: 50, Unit: overflow.Tokens}, 0, 1, 1, 1000},
		"larger than was refused": {overflow.Overflow{Limit: 99, Requested: 100, Unit: overflow.Tokens}, 99, 98, 98, 1000},
	} {
		var l Lessons
		m := model.Model{Window: 1000}
		me := Subject{"p", "t", "m", "a"}
		got := l.Refused(me, c.o, c.sent)
		if got > c.sent && c.sent > 0 {
			t.Errorf("%s: %d after %d", name, got, c.sent)
		}
		for s, want := range map[Subject]int{me: c.mine, {"p", "t", "m", "b"}: c.its, {"p", "u", "m", "a"}: c.theirs, {"q", "t", "m", "a"}: 1000} {
			if n := l.Room(s, m, 5000, 0); n != want {
				t.Errorf("%s: room of %v is %d, want %d", name, s, n, want)
			}
		}
		l.Refused(me, overflow.Overflow{Limit: 10_000, Unit: overflow.Tokens}, 20_000)
		if n := l.Room(me, m, 5000, 0); n != c.mine {
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
		var l Lessons
		if got := l.Room(Subject{}, c.m, c.asked, c.reply); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// Usage corrects the counts, in steps, and no caller makes it keep more than so
// much.
//
// SPEC: L12
func TestUsageTeaches(t *testing.T) {
	var l Lessons
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
	for i := range 3 * mostLessons {
		l.Observe(Subject{Model: fmt.Sprint(i)}, 10_000, 10_000)
	}
	if n := len(l.known); n > mostLessons {
		t.Errorf("%d lessons", n)
	}
}
