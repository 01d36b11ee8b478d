package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// An error is one line, whatever it is made of, and below it stands the hint; a line that
// repeats the one before it is said once.
//
// SPEC: B8
func TestAnErrorIsOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a list":  {errors.New("connect to `z`:\n\t127.0.0.1: refused\n\t127.0.0.1: refused\n\t::1: refused"), "connect to `z`: 127.0.0.1: refused; ::1: refused"},
		"several": {errors.Join(errors.New("write events: full"), errors.New("close log: full")), "write events: full; close log: full"},
		"one":     {errors.New("find \"a  b\": not found"), "find \"a  b\": not found"},
	} {
		var said bytes.Buffer
		newStreams(strings.NewReader(""), &bytes.Buffer{}, &said).tell(&failure{exitFailed, c.err, "try again"})
		if got := said.String(); got != "precis: "+c.want+"\nhint: try again\n" {
			t.Errorf("%s: it says %q", name, got)
		}
	}
}
