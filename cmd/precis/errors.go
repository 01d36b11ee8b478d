package main

import (
	"encoding/json"
	"errors"
	"fmt"

	precis "github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
)

// The exit codes.
const (
	exitOK         = 0
	exitFailed     = 1
	exitUsage      = 2
	exitImpossible = 3
	exitInput      = 4
)

// failure is an error with what a person needs beside it.
type failure struct {
	code int
	err  error
	hint string // one line, "" for none
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func usage(hint, format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...), hint}
}

func fail(hint, format string, args ...any) error {
	return &failure{exitFailed, fmt.Errorf(format, args...), hint}
}

// hints are the advice for errors that come from below.
var hints = []struct {
	err  error
	hint string
}{
	{sqlite.ErrBusy, "another precis is writing to this database: try again, or choose another with --db"},
	{sqlite.ErrReadOnly, "choose a writable place with --db PATH; precis doctor says what is wrong"},
	{sqlite.ErrFull, "free some space, or choose another disk with --db PATH"},
	{sqlite.ErrNewer, "update precis, or choose another database with --db PATH"},
	{sqlite.ErrAlien, "this file belongs to another program: choose another with --db PATH"},
	{sqlite.ErrCorrupt, "restore the file from a backup, or choose another with --db PATH"},
	{precis.ErrNoRecord, "precis plan show lists the records of the plan"},
	{store.ErrStale, "another precis changed this thread meanwhile: try again"},
}

// explain makes a failure of any error.
func explain(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	f = &failure{code: exitFailed, err: err}
	var imp *precis.ImpossibleError
	if errors.As(err, &imp) {
		f.code = exitImpossible
		f.hint = fmt.Sprintf("the least that fits is about %s tokens: --budget %d", commas(imp.Floor), roundUp(imp.Floor))
		return f
	}
	for _, h := range hints {
		if errors.Is(err, h.err) {
			f.hint = h.hint
			break
		}
	}
	return f
}

// roundUp leaves a little room above n and ends in zeros.
func roundUp(n int) int {
	step := 100
	for step*50 < n {
		step *= 10
	}
	return (n + step - 1) / step * step
}

// tell reports a failure: to people on standard error and, where JSON was asked
// for, to programs on standard output.
func (a *app) tell(f *failure) {
	fmt.Fprintf(a.stderr, "precis: %s\n", clean(f.Error()))
	if f.hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", f.hint)
	}
	if !a.json {
		return
	}
	type body struct {
		Message string         `json:"message"`
		Hint    string         `json:"hint,omitempty"`
		Exit    int            `json:"exit"`
		Tokens  map[string]int `json:"tokens,omitempty"`
	}
	b := body{Message: f.Error(), Hint: f.hint, Exit: f.code}
	var imp *precis.ImpossibleError
	if errors.As(f.err, &imp) {
		b.Tokens = map[string]int{
			"budget": imp.Budget, "system": imp.System, "tools": imp.Tools, "last_user": imp.LastUser, "floor": imp.Floor,
		}
	}
	_ = a.object(map[string]body{"error": b}) // it is an error that is being told
}

// object writes one JSON value to standard output.
func (a *app) object(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
