// Package hostile says how hard the tests that attack the project try, and collects what
// they did.
//
// Use: Begin in a test, N for how often it attacks, Found for what came of it. Law: a test
// takes its short form unless PRECIS_HOSTILE is set; PRECIS_HOSTILE_KILLS=500 sets the
// number of one kind. Promise: with PRECIS_HOSTILE_REPORT=FILE every attack that ran is a
// line of a Markdown table in FILE, one that failed, too; `make hostile` runs all of them
// in their long form and prints the table.
package hostile

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Attack is one kind of attack in one test.
type Attack struct {
	// N is how often to attack.
	N int

	t     testing.TB
	kind  string
	begun time.Time
	found string
}

// Begin begins an attack of a kind, a word. short is how often it attacks among all other
// tests, a fifth of it with -short.
func Begin(t testing.TB, kind string, short, long int) *Attack {
	t.Helper()
	a := &Attack{N: short, t: t, kind: kind, begun: time.Now()}
	if testing.Short() {
		a.N = max(short/5, 1)
	}
	if os.Getenv("PRECIS_HOSTILE") != "" {
		a.N = long
	}
	if s := os.Getenv("PRECIS_HOSTILE_" + strings.ToUpper(kind)); s != "" {
		var err error
		if a.N, err = strconv.Atoi(s); err != nil {
			t.Fatalf("PRECIS_HOSTILE_%s: %v", strings.ToUpper(kind), err)
		}
	}
	t.Cleanup(a.report)
	return a
}

// Rapid makes rapid.Check try N times, until the test ends.
func (a *Attack) Rapid() {
	a.t.Helper()
	const name = "rapid.checks"
	before := flag.Lookup(name).Value.String()
	if err := flag.Set(name, strconv.Itoa(a.N)); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = flag.Set(name, before) }) // it was valid
}

// Found records the result of the attack, for the table.
func (a *Attack) Found(format string, args ...any) { a.found = fmt.Sprintf(format, args...) }

// report adds the attack to the table.
func (a *Attack) report() {
	if a.t.Failed() {
		a.found = "FAILED " + a.found
	}
	row := fmt.Sprintf("| %s | %d | %s | %.0f s | `%s` |\n", a.kind, a.N, a.found, time.Since(a.begun).Seconds(), a.t.Name())
	a.t.Log(row)
	path := os.Getenv("PRECIS_HOSTILE_REPORT")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(row)
		_ = f.Close() // what was not written is no row
	}
	if err != nil {
		a.t.Error(err)
	}
}
