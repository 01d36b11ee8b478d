// Command corpus runs the engine over recorded runs.
//
// Use:
//
//	go run ./internal/corpus -data DIR[,FILE…] -policies balanced,ladder -budgets 4096,8192 -mode final
//
// Every run over a budget is prepared once, whole, and what comes out is held
// against the laws: valid for its provider, within budget by exact count,
// exported as it came, the same bytes again from another database. What a run
// keeps and costs step by step is for precis replay. Law: it only reads the
// runs. Promise: the same runs give the same tables; the exit status is 1 when a
// law was broken.
//
// What a file may be is said in package replay.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	data, mode, model          string
	policies, budgets, sources string
	limit, workers             int
	json                       bool
}

// job holds what the flags ask for.
type job struct {
	options
	names   []string // of policies
	sizes   []int    // budgets, tokens
	input   precis.Input
	out     io.Writer
	advance func(done, all int)
}

var errBroken = errors.New("laws were broken, see the table")

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	j := job{out: stdout}
	f := flag.NewFlagSet("corpus", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&j.data, "data", "", "comma-separated files and folders of runs")
	f.StringVar(&j.mode, "mode", "final", "final is the only one")
	f.StringVar(&j.policies, "policies", "balanced", "comma-separated presets")
	f.StringVar(&j.budgets, "budgets", "4096,8192,16384,32768,65536", "comma-separated tokens")
	f.StringVar(&j.sources, "sources", "", "only these, comma-separated")
	f.IntVar(&j.limit, "limit", 0, "runs a source, 0 = all")
	f.IntVar(&j.workers, "workers", 2, "runs at a time")
	f.StringVar(&j.model, "model", "gpt-4.1", "model asked, for its prices and cache rules")
	f.BoolVar(&j.json, "json", false, "rows as JSON lines")
	if err := f.Parse(args); err != nil {
		return err
	}
	if err := j.prepare(stderr); err != nil {
		return err
	}
	if j.mode != "final" {
		return fmt.Errorf("unknown mode %q: precis replay has what was steps", j.mode)
	}
	runs, err := load(j.data, list(j.sources), j.limit)
	if err != nil {
		return err
	}
	return j.final(ctx, runs)
}

func (j *job) prepare(stderr io.Writer) error {
	j.names = list(j.policies)
	for _, s := range list(j.budgets) {
		n, err := strconv.Atoi(s)
		if err != nil || n <= 0 {
			return fmt.Errorf("parse -budgets: %q is no number of tokens", s)
		}
		j.sizes = append(j.sizes, n)
	}
	counter, err := bpe.Counter("o200k")
	if err != nil {
		return fmt.Errorf("load encoding: %w", err)
	}
	m, _ := model.Lookup(j.model)
	j.input = precis.Input{
		Model:  m,
		Meter:  token.Meter{Counter: counter, Overhead: token.OverheadOf("openai")},
		Client: precis.Client{Source: "openai"},
	}
	j.advance = progress(stderr)
	return nil
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// progress tells on a terminal how far the work is, elsewhere nothing.
func progress(w io.Writer) func(done, all int) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return func(int, int) {}
	}
	return func(done, all int) {
		fmt.Fprintf(f, "\r%d/%d runs", done, all)
		if done == all {
			fmt.Fprint(f, "\r\033[K")
		}
	}
}

// printJSON writes one line for each row.
func printJSON[T any](w io.Writer, rows []T) error {
	e := json.NewEncoder(w)
	for _, r := range rows {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return nil
}
