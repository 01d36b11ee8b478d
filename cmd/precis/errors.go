package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/proxy/config"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/blob"
	"github.com/seed-3db51b0e/precis/store/postgres"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/store/transfer"
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

// copyOut is the advice where a file must be written to before it can be read, and cannot be.
const copyOut = "copy it to a place that can be written, its -wal or -journal too where there is one, and name the copy with --db PATH"

// hints are the advice for errors that come from below: the first one that is of an error.
var hints = []struct {
	err  error
	hint string
}{
	{sqlite.ErrBusy, "another precis is writing to this database: try again, or choose another with --db"},
	{sqlite.ErrFull, "free some space, or choose another disk with --db PATH"},
	{sqlite.ErrIO, "the disk may be full, failing, or one without shared memory (a network mount); precis doctor says what is free; --db PATH chooses another"},
	{sqlite.ErrNewer, "update precis, or choose another database with --db PATH"},
	{sqlite.ErrAlien, "this file belongs to another program: choose another with --db PATH"},
	{sqlite.ErrNoFile, "choose the file of a database with --db PATH; if this one was, restore it from a backup"},
	{sqlite.ErrCorrupt, "move the file away with its -wal and -shm, and restore it: precis db copy BACKUP FILE; without a backup, precis db copy --salvage FROM TO saves what can be read in another; precis doctor says what is damaged"},
	{sqlite.ErrSealed, "give its key with --key FILE or PRECIS_KEY"},
	{sqlite.ErrClear, "precis db seal seals it; or leave --key and PRECIS_KEY out"},
	{postgres.ErrSealed, "give its key with --key FILE or PRECIS_KEY"},
	{postgres.ErrClear, "leave --key and PRECIS_KEY out; precis db copy moves it into a new database, which a key seals"},
	{seal.ErrKey, "give the key file that it was sealed with, with --key FILE or PRECIS_KEY"},
	{sqlite.ErrOlder, copyOut},
	{sqlite.ErrInterrupted, copyOut},
	{sqlite.ErrReadOnly, "choose a writable place with --db PATH; precis doctor says what is wrong"},
	{postgres.ErrUnavailable, "see that the server runs and the URL is right; precis doctor says more"},
	{postgres.ErrOlder, "precis db migrate brings the schema up to date"},
	{postgres.ErrNewer, "update precis on this machine"},
	{postgres.ErrDenied, "docs/operating.md says what the role of a node needs"},
	{postgres.ErrFull, "free some space on the database's disk"},
	{postgres.ErrCorrupt, "precis doctor says what is damaged; restore it from a backup; without one, precis db copy --salvage FROM TO saves what can be read in another"},
	{blob.ErrURL, "write --blobs as a folder, or as s3://bucket/prefix?endpoint=https://host"},
	{blob.ErrUnavailable, "see that the endpoint is right, the server runs, and its bucket is there; --blobs, PRECIS_BLOBS and AWS_ENDPOINT_URL name them"},
	{transfer.ErrDiffers, "copy into an empty database, or into one that only earlier copies wrote to"},
	{precis.ErrNoRecord, "precis plan show lists the records of the plan"},
	{store.ErrStale, "another precis changed this thread meanwhile: try again"},
}

// hintFor is the advice for an error, "" for none.
func hintFor(err error) string { return explain(err).hint }

// explain makes a failure of any error.
func explain(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	f = &failure{code: exitFailed, err: err}
	if c := (*config.Error)(nil); errors.As(err, &c) {
		f.code, f.hint = exitUsage, "docs/proxy.md lists every field"
		return f
	}
	var imp *precis.ImpossibleError
	if errors.As(err, &imp) {
		f.code = exitImpossible
		f.hint = fmt.Sprintf("the least that fits is about %s tokens: --budget %d", term.Comma(imp.Floor), roundUp(imp.Floor))
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

// invoked is how this program is called again from where it was called: by its name
// where the shell found it, else by the path that was written.
func invoked(arg string) string {
	switch {
	case strings.Contains(filepath.ToSlash(arg), "/go-build"): // go run made it, and removes it
		return "go run ./cmd/precis"
	case !strings.ContainsAny(arg, `/\`):
		return "precis"
	}
	return term.Quote(arg)
}
