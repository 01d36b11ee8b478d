package main

import (
	precis "github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/report"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/transcript"
)

// compaction is one run of the command: its flags, then what it found.
type compaction struct {
	*app
	extras
	budget, model, policy, format, to, outFile, reportFile string
	pins                                                   []string

	source  string // the file's name, for people
	input   *transcript.Transcript
	data    []byte // the input as it came
	known   model.Model
	sure    bool // the model is in the table
	assumed bool // nobody named the model
	meter   token.Meter
	tokens  int // the budget
	chosen  policy.Policy
	target  string // dialect of the output
	asked   string // thread key
	turn    *precis.Turn
	report  *report.Report
	flags   string // for commands that are about this thread: see flagsFor
	request []byte
}
