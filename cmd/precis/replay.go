package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/internal/term"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/policy/policyfile"
	"github.com/seed-3db51b0e/precis/replay"
	"github.com/seed-3db51b0e/precis/replay/report"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

const replayLong = `Replay runs policies over recorded runs and says, for every step an agent took,
what the prompt each policy would have sent still knew of what the step needed,
whether its provider would take it, and what all prompts would have cost. The
prompts are made by the real engine: log, plans, commits, step after step. No
model is asked and nothing leaves this machine.

CORPUS is a session file or request of any format that compact reads, a file
with a run on each line ({"id", "messages"}, OpenAI Chat, .jsonl or .jsonl.gz),
or a folder of such files.

Policies are the presets of precis policy list and, to compare with,
%s.

Prices are A (a cached token 0.1, another 1.25), O.1 (0.1, 1), O.5 (0.5, 1), any
pair CACHED/FRESH, or a model's name: then its provider's own prices and caching
rules hold; that of --model is added when --prices is not given. A cost is
relative to sending everything.

Judges are asked at every n-th step (--every) beside what steps need: reuse (of the
text that the next action copies, what the prompt still has), truth (which
statements of the state the messages bear out), redo (which completed side effects
it still shows), rules (which of the users' rules stand), recency (the same of a
prompt of the newest messages, as many tokens), bits (how much of what the history
tells of the next action the prompt tells, by a model that compresses; slow) and
controls (other plain prompts of as many tokens: rounds by chance, no tools, a
skeleton, anchors). fast is the first five, all is every one. The verdict comes
first: differences are of the same runs, with 95 %% intervals.

With --out, what was finished is kept there and not run again while the runs,
the policy and this program are the same; and page.html shows it in pictures.`

const replayExample = `  precis replay session.jsonl --budget 32k
  precis replay runs.jsonl.gz -p balanced,none,oracle -b 16k,32k --out report
  precis replay runs.jsonl -p balanced,strawman -b 16k --judges all --every 14
  precis replay ~/sessions --budget 64k --prices claude-sonnet-4-5,gpt-5.2`

// replaying is one run of the command.
type replaying struct {
	*streams
	policy, budget, model, prices, common, dump, outDir string
	judges, prime                                       string
	limit, workers, every                               int

	policies []replay.Policy
	budgets  []int
	known    model.Model
	meter    token.Meter
	judge    replay.Judge
	temp     string
}

func replayCommand(std *streams) *cobra.Command {
	r := &replaying{streams: std}
	var peers []string
	for _, b := range replay.Baselines {
		peers = append(peers, b.Name)
	}
	c := &cobra.Command{
		Use: "replay CORPUS…", Short: "run policies over recorded runs: what they keep and what they cost",
		Long: fmt.Sprintf(replayLong, strings.TrimSpace(term.Page{Columns: term.Columns}.Wrap(strings.Join(peers, ", "), ""))), Example: replayExample,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("name a session file, a file of runs or a folder", "run %s: no corpus given", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return r.run(c.Context(), args) },
	}
	f := c.Flags()
	f.StringVarP(&r.policy, "policy", "p", "balanced,none,dropmid40,oracle", "`names`")
	f.StringVarP(&r.budget, "budget", "b", "16384,32768", "`tokens`, like 16k,32k")
	f.StringVarP(&r.model, "model", "m", "gpt-4.1", "`name` of the model that counts")
	f.StringVar(&r.prices, "prices", "", "`list` of prices, comma-separated (default A,O.1,O.5)")
	f.StringVar(&r.judges, "judges", "fast", "`names`, comma-separated; or fast, all, none")
	f.IntVar(&r.every, "every", 8, "steps from one that the judges are asked at to the next")
	f.StringVar(&r.prime, "prime", "", "`file` of other runs that prime the judge of bits (default: the corpus, without the run at hand)")
	f.StringVar(&r.common, "common", "", "JSON `file` of values that are common vocabulary")
	f.IntVar(&r.limit, "limit", 0, "most runs of each source, 0 is all")
	f.StringVar(&r.dump, "dump", "", "`folder` for POLICY-BUDGET.jsonl of every prompt")
	f.StringVar(&r.outDir, "out", "", "`folder` for the page, the rows and what was finished")
	f.IntVar(&r.workers, "workers", runtime.GOMAXPROCS(0), "runs at a time")
	_ = c.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(append(policy.Names(), peers...), cobra.ShellCompDirectiveDefault))                          // declared before
	_ = c.RegisterFlagCompletionFunc("judges", cobra.FixedCompletions(append([]string{"fast", "all", "none"}, replay.Judges...), cobra.ShellCompDirectiveDefault)) // declared before
	complete(c, "model", (*model.Table)(nil).Names())
	return c
}

func (r *replaying) run(ctx context.Context, paths []string) (err error) {
	if err := r.check(); err != nil {
		return err
	}
	corpus := replay.Corpus{Paths: paths, Parse: openai.ParseMessage, Limit: r.limit}
	r.progress("reading the corpus")
	defer r.progress("")
	refs, skipped, err := corpus.Scan()
	if err != nil {
		return corpusFailure(err)
	}
	if r.temp, err = os.MkdirTemp("", "precis-replay-"); err != nil {
		return fmt.Errorf("run replay: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.temp)) }()
	if err := r.settle(); err != nil {
		return err
	}
	if err := r.primers(corpus, refs); err != nil {
		return err
	}
	out, err := r.compare(ctx, corpus, refs)
	switch {
	case err != nil && ctx.Err() != nil && r.outDir != "":
		return fail("the same command goes on where this one stopped", "run replay: interrupted")
	case err != nil:
		return err
	}
	r.progress("")
	for _, s := range skipped {
		r.note("%s holds no recorded run", s)
	}
	return r.show(paths, refs, out)
}

func corpusFailure(err error) error {
	hint := "name a session file, a request, rows {\"id\", \"messages\"} one a line, or a folder of them"
	return &failure{exitInput, err, hint}
}

// check refuses flags before anything is read.
func (r *replaying) check() error {
	for _, s := range strings.Split(r.budget, ",") {
		n, err := budgetFlag(s)
		if err != nil {
			return err
		}
		if n > 0 && !slices.Contains(r.budgets, n) {
			r.budgets = append(r.budgets, n)
		}
	}
	for _, name := range strings.Split(r.policy, ",") {
		p, err := r.named(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		switch same := slices.IndexFunc(r.policies, func(q replay.Policy) bool { return q.Name == p.Name }); {
		case same < 0:
			r.policies = append(r.policies, p)
		case r.policies[same].Stamp != p.Stamp:
			return usage("the rows of a policy stand under its name: give one of them another", "read --policy: two policies are named %q", p.Name)
		}
	}
	if err := errors.Join(atLeast("limit", r.limit, 0), atLeast("workers", r.workers, 1), atLeast("every", r.every, 1)); err != nil {
		return err
	}
	return r.readJudges()
}

func (r *replaying) readJudges() error {
	ask := &r.judge.Ask
	ask.Every = r.every
	for _, name := range strings.Split(r.judges, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "fast":
			ask.Judges = append(ask.Judges, replay.Quick...)
		case name == "all":
			ask.Judges = append(ask.Judges, replay.Judges...)
		case slices.Contains(replay.Judges, name):
			ask.Judges = append(ask.Judges, name)
		case name != "none":
			return usage("judges: fast, all, none, "+strings.Join(replay.Judges, ", "), "read --judges: unknown judge %q", name)
		}
	}
	slices.Sort(ask.Judges)
	ask.Judges = slices.Compact(ask.Judges)
	return nil
}

// mostPrimers is how many runs lend text to the model of the judge of bits.
const mostPrimers = 16

// primers reads runs at even distances, of the file named or of the corpus.
func (r *replaying) primers(corpus replay.Corpus, refs []replay.Ref) error {
	if !slices.Contains(r.judge.Ask.Judges, replay.AskBits) {
		return nil
	}
	if r.prime != "" {
		corpus = replay.Corpus{Paths: []string{r.prime}, Parse: corpus.Parse}
		var err error
		if refs, _, err = corpus.Scan(); err != nil {
			return corpusFailure(err)
		}
	}
	var chosen []replay.Ref
	for i := range min(mostPrimers, len(refs)) {
		chosen = append(chosen, refs[i*len(refs)/min(mostPrimers, len(refs))])
	}
	var all []replay.Primer
	for run, err := range corpus.Runs(chosen) {
		if err != nil {
			return err
		}
		all = append(all, replay.PrimerOf(run))
	}
	r.judge.Ask.Primers = replay.NewPrimers(all)
	return nil
}

// named is a baseline, or a preset on a store of its own for each run.
func (r *replaying) named(name string) (replay.Policy, error) {
	if b, ok := replay.Baseline(name); ok {
		return b, nil
	}
	p, err := setupNamed(name)
	switch {
	case errors.Is(err, policy.ErrUnknown) && !policyfile.IsPath(name):
		return replay.Policy{}, usage("presets: "+strings.Join(policy.Names(), ", ")+"; precis replay --help lists the others", "read --policy: unknown policy %q", name)
	case err != nil:
		return replay.Policy{}, err
	}
	stamp, err := json.Marshal(p)
	if err != nil {
		return replay.Policy{}, err
	}
	out := replay.Engine(p.Name, func(ctx context.Context) (*precis.Engine, func() error, error) { return r.engine(ctx, p) },
		func() precis.Input {
			return precis.Input{Model: r.known, Meter: r.meter, Client: precis.Client{Source: openai.Name}}
		})
	out.Stamp = string(stamp)
	return out, nil
}

// engine is an engine on a fresh database, and what removes it.
func (r *replaying) engine(ctx context.Context, p policyfile.Setup) (*precis.Engine, func() error, error) {
	own, err := os.MkdirTemp(r.temp, "run-")
	if err != nil {
		return nil, nil, err
	}
	s, err := sqlite.Open(ctx, filepath.Join(own, fileName), sqlite.Options{Readers: 1})
	if err != nil {
		return nil, nil, err
	}
	stop := func() error { return errors.Join(s.Close(), os.RemoveAll(own)) }
	e, err := precis.New(precis.Options{
		Store: s, Policy: p.Policy, Rehydrate: p.Rehydration, Tools: p.ToolPolicies(), Now: func() time.Time { return replayed },
	})
	if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return e, func() error { e.Close(); return stop() }, nil
}

// replayed is when every replay happens: what depends on the clock must not
// differ between machines.
var replayed = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// settle makes the judge.
func (r *replaying) settle() (err error) {
	r.known, _ = model.Lookup(r.model)
	if r.meter, err = bpe.Meter(r.known); err != nil {
		return fmt.Errorf("count for %s: %w", r.model, err)
	}
	r.judge = replay.Judge{
		Ask:   r.judge.Ask,
		Count: r.meter.Message, Dialect: openai.Name,
		Fixed: func(run replay.Run) int {
			return r.meter.Overhead.Request + r.meter.System(run.System) + r.meter.Tools(declared(run.Tools))
		},
		Encode: func(run replay.Run, ms []message.Message) ([]byte, error) {
			return openai.Codec{}.Encode(&codec.Request{Model: "gpt-4.1", System: run.System, Tools: run.Tools}, ms)
		},
	}
	if err := r.readPrices(); err != nil {
		return err
	}
	return r.readCommon()
}

func (r *replaying) readPrices() error {
	names := strings.Split(r.prices, ",")
	if r.prices == "" {
		names = nil
		for _, p := range replay.Prices {
			names = append(names, p.Name)
		}
		if r.model != "gpt-4.1" {
			names = append(names, r.model)
		}
	}
	for _, n := range names {
		p, err := replay.ParsePrice(strings.TrimSpace(n))
		if err != nil {
			return usage("A, O.1 and O.5 always work", "read --prices: %w", err)
		}
		r.judge.Prices = append(r.judge.Prices, p)
	}
	return nil
}

func (r *replaying) readCommon() error {
	r.judge.Common = map[string]bool{}
	if r.common == "" {
		return nil
	}
	b, err := os.ReadFile(r.common)
	var values []string
	if err == nil {
		err = json.Unmarshal(b, &values)
	}
	if err != nil {
		return &failure{exitInput, fmt.Errorf("read --common: %w", err), "the file is a JSON list of strings"}
	}
	for _, v := range values {
		r.judge.Common[v] = true
	}
	return nil
}

// stamp is all a score depends on beside run, policy and budget.
func (r *replaying) stamp() (string, error) {
	self, err := build()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, self, r.known.Name)
	for _, p := range r.judge.Prices {
		fmt.Fprintln(h, p.Name)
	}
	fmt.Fprintln(h, r.judge.Ask.Judges, r.every, r.judge.Ask.Primers.Digest())
	values := make([]string, 0, len(r.judge.Common))
	for v := range r.judge.Common {
		values = append(values, v)
	}
	slices.Sort(values)
	fmt.Fprintf(h, "%q", values)
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// build names this program: its version, or where that is no release's, what it
// consists of.
func build() (string, error) {
	if v := version(); strings.HasPrefix(v, "v") && !strings.Contains(v, "+dirty") {
		return v, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), errors.Join(err, f.Close())
}

func (r *replaying) compare(ctx context.Context, corpus replay.Corpus, refs []replay.Ref) (c *replay.Comparison, err error) {
	o := replay.Options{Judge: r.judge, Policies: r.policies, Budgets: r.budgets, Workers: r.workers, Done: r.advance(refs)}
	if r.outDir != "" {
		o.Judge.Keep = report.Prompts(r.outDir)
		if o.State, err = r.state(); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, o.State.Close()) }()
	}
	if r.dump != "" {
		if o.Dump, err = replay.NewDump(r.dump); err != nil {
			return nil, err
		}
	}
	defer r.lasting(fmt.Sprintf("replaying %s; large ones take minutes", term.Count(len(refs), "run")))()
	if c, err = replay.Compare(ctx, corpus.Runs(refs), o); err != nil {
		return nil, err
	}
	if o.Dump != nil {
		files, err := o.Dump.Finish()
		if err != nil {
			return nil, err
		}
		r.progress("")
		for _, f := range files {
			r.note("prompts are in %s", f)
		}
	}
	return c, nil
}

func (r *replaying) state() (*replay.State, error) {
	if err := os.MkdirAll(r.outDir, 0o755); err != nil {
		return nil, fmt.Errorf("keep what was finished: %w", err)
	}
	stamp, err := r.stamp()
	if err != nil {
		return nil, err
	}
	return replay.OpenState(filepath.Join(r.outDir, "state.jsonl"), stamp)
}

// advance shows how far the work is and about how long it still takes.
func (r *replaying) advance(refs []replay.Ref) func(replay.Run) {
	start, runs, bytes, all := time.Now(), 0, 0, 0
	for _, f := range refs {
		all += f.Size
	}
	return func(run replay.Run) {
		runs++
		bytes += run.Ref.Size
		left := time.Duration(float64(time.Since(start)) * float64(all-bytes) / float64(max(bytes, 1)))
		r.progress(fmt.Sprintf("%d of %s, about %s left", runs, term.Count(len(refs), "run"), left.Round(time.Second)))
	}
}

// show prints and writes what came out.
func (r *replaying) show(paths []string, refs []replay.Ref, c *replay.Comparison) error {
	res := report.Result{
		Version: version(), Corpus: paths, Runs: len(refs), Model: r.model, Counter: r.meter.Counter.Name(),
		Exact: r.meter.Exact(), Common: len(r.judge.Common), Rows: c.Rows, Pitfalls: c.Pitfalls(r.judge),
		Verdict: c.Conclusions(), Judges: r.judge.Ask.Judges, Every: r.every,
	}
	if len(c.Rows) == 0 {
		return fail("choose --budget between the two: a run counts when it is longer than 1.05 budgets (else give a smaller one) and its first message takes no more than half of one (else give a larger one)",
			"replay: none of %s is judged at these budgets", term.Count(len(refs), "run"))
	}
	if r.outDir != "" {
		var names []string
		for _, p := range r.policies {
			names = append(names, p.Name)
		}
		files, err := report.Write(r.outDir, res, c, names)
		if err != nil {
			return err
		}
		res.Files = files
	}
	if r.json {
		return r.object(res)
	}
	fmt.Fprint(r.page, report.Text(r.paper.Columns, res))
	if n := len(res.Files); n > 0 {
		r.note("wrote %s; rows and pictures are beside it", res.Files[n-1])
	}
	return nil
}
