package limits

import (
	"errors"
	"fmt"
	"testing"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/overflow"
)

// shelf is a place in memory.
type shelf struct {
	data    []byte
	version int
	writing func()
	broken  error
}

func (s *shelf) Version() (string, error) {
	if s.version == 0 {
		return "", nil
	}
	return fmt.Sprint(s.version), nil
}

func (s *shelf) Read() (data []byte, version string, err error) {
	version, err = s.Version()
	return s.data, version, err
}

func (s *shelf) Write(data []byte) (version string, err error) {
	if s.broken != nil {
		return "", s.broken
	}
	if f := s.writing; f != nil {
		s.writing = nil
		f()
	}
	s.data = data
	s.version++
	return s.Version()
}

// What is learned while the place is being written is not taken for written: what another
// process writes next does not replace it.
//
// SPEC: B6
func TestLearnedWhileWriting(t *testing.T) {
	place := &shelf{}
	var l LearnedLimits
	if err := l.Keep(place); err != nil {
		t.Fatal(err)
	}
	m := model.Model{Window: 1000, Guess: true}
	refused := overflow.Overflow{Unit: overflow.Tokens} // four fifths of what was sent, for the thread
	me := Subject{"p", "t", "m", "late"}
	place.writing = func() {
		l.changes(me, func(x *Limits) { x.window.believe(80, l.now(), chosenTime) })
	}
	l.Refused(Subject{"p", "t", "m", "first"}, m, refused, 100)
	other := LearnedLimits{}
	if err := other.Keep(place); err != nil {
		t.Fatal(err)
	}
	other.Refused(Subject{"p", "t", "m", "other"}, m, refused, 100)
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := l.Room(me, m, 1000, 0); n != 80 {
		t.Errorf("the room is %d: what was learned while the place was written is lost", n)
	}
}

// What waits for a place that cannot be written is bounded as all that is kept.
//
// SPEC: B6
func TestBrokenPlaceIsBounded(t *testing.T) {
	var l LearnedLimits
	if err := l.Keep(&shelf{broken: errors.New("disk is full")}); err != nil {
		t.Fatal(err)
	}
	for i := range maxSubjects + 100 {
		l.changes(Subject{"p", "t", fmt.Sprint(i), ""}, func(x *Limits) { x.largest = 1 })
	}
	l.write()
	if n := len(l.own); n == 0 || n > maxSubjects {
		t.Errorf("%d subjects wait to be written, of %d that are kept", n, maxSubjects)
	}
}
