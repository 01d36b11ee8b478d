package main

import (
	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/policy/policyfile"
	"github.com/seed-3db51b0e/precis/report"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/transcript"
)

// compaction is one run of the command.
type compaction struct {
	*app
	compactFlags
	conversation
	sizing
	outcome
}

type compactFlags struct {
	extras
	budget, model, policy, format, to, outFile, reportFile string
	pins                                                   []string
	detail                                                 *float64 // nil: the policy's
}

// conversation holds what was read.
type conversation struct {
	source string // the file's name, for people
	input  *transcript.Transcript
	data   []byte // the input as it came
}

// sizing says which model the request is for, and how large it may be.
type sizing struct {
	named
	meter  token.Meter
	tokens int // the budget
	chosen policyfile.Setup
	target string // dialect of the output
}

// outcome holds what compacting made of it.
type outcome struct {
	asked   string // thread key
	turn    *precis.Turn
	report  *report.Report
	flags   string // for commands that are about this thread: see flagsFor
	request []byte
}
