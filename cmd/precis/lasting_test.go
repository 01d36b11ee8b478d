package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// What lasts is told where nobody sees the progress, once; what is soon done is not.
func TestWhatLastsIsTold(t *testing.T) {
	was := lastsAfter
	defer func() { lastsAfter = was }()
	for after, want := range map[time.Duration]string{0: "note: counting\n", time.Hour: ""} {
		lastsAfter = after
		told := writes{make(chan string, 1)}
		stop := newStreams(strings.NewReader(""), &bytes.Buffer{}, told).lasting("counting")
		got := ""
		if want != "" {
			got = <-told.said
		}
		stop()
		if got != want || len(told.said) > 0 {
			t.Errorf("after %v: told %q", after, got)
		}
	}
}

// writes hands on what is written.
type writes struct{ said chan string }

func (w writes) Write(b []byte) (int, error) {
	w.said <- string(b)
	return len(b), nil
}
