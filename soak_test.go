package precis_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/sqlite"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/thread"
)

var (
	soakTurns = flag.Int("soak.turns", soakDefault, "turns of the long thread of TestSoak")
	soakSeed  = flag.Uint64("soak.seed", 1, "seed of TestSoak")
)

// One long thread and its family on one SQLite file: clients that fork, edit,
// lag, send other forms and fail, policies that take turns, undo, restarts. The
// laws are checked after every turn; what costs the whole history is checked
// ever more rarely. Same seed, same run.
//
// SPEC: V1, V2, V3, V4, V5, V6, V8, V9, L13, L14, L17
func TestSoak(t *testing.T) {
	turns := *soakTurns
	if testing.Short() {
		turns = min(turns, 100)
	}
	path := filepath.Join(t.TempDir(), "soak.db")
	soakOn(t, turns, func(ctx context.Context) (store.Store, error) { return sqlite.Open(ctx, path, sqlite.Options{}) })
}

// soakOn runs so many turns on a store that is opened anew at each restart.
func soakOn(t *testing.T, turns int, open func(context.Context) (store.Store, error)) {
	t.Helper()
	t.Logf("-soak.seed=%d -soak.turns=%d", *soakSeed, turns)
	s := newSoak(t, open)
	for s.n = 1; s.n <= turns; s.n++ {
		s.turn()
		if s.n%max(turns/20, 1) == 0 {
			s.measure()
		}
	}
	for _, c := range s.talks {
		s.audit(c)
	}
	s.restart()
	t.Logf("%+v", s.did)
	s.enough(turns)
}

// soak is the world of a run.
type soak struct {
	*testing.T
	*rand.Rand
	n        int // turn of the long thread
	reopen   func(context.Context) (store.Store, error)
	store    store.Store
	engines  map[string]*precis.Engine // by policy
	strict   bool                      // no stand-in for a summarizer that fails
	now      time.Time
	quill    quill
	talks    []*talk       // the long one, then one for each policy
	branches []*talk       // forks that may be continued
	bytes    int           // of all that clients ever said
	spent    time.Duration // in Prepare, since the last measurement
	asked    int           // how often, since then
	did      tally
}

// tally is what a run did, so that it can be seen to have done enough.
type tally struct {
	Prepared, Compacted, Forks, Behind, Reformed, Failed, Restarts, Expanded, Restored, Pinned, Rehydrated, Policies, Audits int
}

func newSoak(t *testing.T, open func(context.Context) (store.Store, error)) *soak {
	s := &soak{
		T: t, Rand: rand.New(rand.NewPCG(*soakSeed, 0)), reopen: open,
		now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	s.talks = append(s.talks, &talk{name: "long", policy: "ladder", dialect: "anthropic", budget: 16_000})
	for i, name := range policy.Names() {
		c := &talk{name: name, policy: name, dialect: []string{"openai", "anthropic"}[i%2], budget: 4_000 + 1_500*i}
		if i%3 == 1 {
			c.model = model.Model{Thinking: model.Bound}
		}
		s.talks = append(s.talks, c)
	}
	for _, c := range s.talks {
		c.ledger = &ledger{map[thread.ID]message.Message{}, map[thread.ID][][]byte{}, map[string]map[thread.ID]message.Message{}}
		s.say(c, message.TextOf(message.System, "You are careful and brief."), s.words(message.User, c.dialect, "Keep the build of payment-core green. Never touch the ledger."))
	}
	s.open()
	t.Cleanup(s.close)
	return s
}

func (s *soak) open() {
	st, err := s.reopen(s.Context())
	if err != nil {
		s.Fatalf("turn %d: %v", s.n, err)
	}
	s.store, s.engines, s.strict = st, map[string]*precis.Engine{}, s.IntN(3) == 0
}

func (s *soak) close() {
	for _, e := range s.engines {
		e.Close()
	}
	if err := s.store.Close(); err != nil {
		s.Errorf("turn %d: %v", s.n, err)
	}
	s.engines = nil
}

// restart loses everything but the file and what clients hold.
func (s *soak) restart() {
	s.close()
	s.open()
	s.did.Restarts++
}

func (s *soak) engine(name string) *precis.Engine {
	if s.engines[name] == nil {
		s.engines[name] = s.newEngine(name)
	}
	return s.engines[name]
}

func (s *soak) newEngine(name string) *precis.Engine {
	now := s.now
	e, err := precis.New(precis.Options{
		Store: s.store, Policy: policyOf(s, name), Summarizer: &s.quill, NoFallback: s.strict,
		Now: func() time.Time { return later(now, s.now) },
	})
	if err != nil {
		s.Fatal(err)
	}
	return e
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// errQuill is what a quill fails with.
var errQuill = errors.New("the quill is broken")

// quill is a summarizer that may fail, or see its request go away.
type quill struct {
	extract.Summarizer
	broken bool
	gone   context.CancelFunc
}

func (*quill) Name() string { return "quill/1" }

func (q *quill) Summarize(ctx context.Context, in summary.Input) (*summary.Structured, error) {
	if q.gone != nil {
		q.gone()
		return nil, ctx.Err()
	}
	if q.broken {
		return nil, errQuill
	}
	return q.Summarizer.Summarize(ctx, in)
}

// turn is one turn of the long thread, and what happens beside it.
func (s *soak) turn() {
	s.step(s.talks[0])
	if s.IntN(8) == 0 {
		s.step(s.talks[1+s.IntN(len(s.talks)-1)])
	}
	if s.rarely(20, s.talks[0]) {
		s.fork(s.talks[s.IntN(2)*s.IntN(len(s.talks))])
	}
	if len(s.branches) > 0 && s.IntN(12) == 0 {
		s.step(s.branches[s.IntN(len(s.branches))])
	}
	if s.n%max(*soakTurns/25, 40) == 0 {
		names := policy.Names()
		s.did.Policies++
		s.talks[0].policy, s.talks[0].budget = names[(s.did.Policies*5+2)%len(names)], s.budget()
	}
	if s.IntN(150) == 0 {
		s.restart()
	}
}

// budget is one for the long thread: in a long run its compactions are deeper and
// rarer, since each reads all that was said.
func (s *soak) budget() int { return min(8_000+10**soakTurns, 40_000) + s.IntN(10)*2_000 }

// rarely is true once in n turns of a client, and ever more rarely as its history
// grows, for what costs the whole of it.
func (s *soak) rarely(n int, c *talk) bool { return s.IntN(n+len(c.ms)*n/2_000) == 0 }

// step is one turn of a client's conversation.
func (s *soak) step(c *talk) {
	s.lag(c)
	s.now = s.now.Add(time.Duration(1+s.IntN(50)) * time.Second)
	if s.IntN(40) == 0 {
		s.now = s.now.Add(20 * time.Minute)
	}
	s.grow(c)
	if s.IntN(25) == 0 {
		s.reform(c)
	}
	if s.rarely(25, c) {
		s.revise(c)
	}
	if s.rarely(40, c) {
		s.fail(c)
	}
	s.prepare(c, s.input(c))
	if c != s.talks[0] && s.IntN(10) == 0 || c == s.talks[0] && s.n%(20+len(c.ms)/40) == 0 {
		s.audit(c)
	}
}

// input is what the client asks now.
func (s *soak) input(c *talk) precis.Input {
	in := request(c.name, c.ms, c.budget)
	in.Model, in.System, in.Tools = c.model, soakSystem, soakTools
	in.Mode.CloseOpenCalls = !c.open() || s.IntN(2) == 0
	in.Mode.Force = s.rarely(200, c)
	return in
}

// prepare asks for a prompt and checks the laws on it.
func (s *soak) prepare(c *talk, in precis.Input) *precis.Turn {
	s.Helper()
	s.quill.broken = s.IntN(30) == 0
	start := time.Now()
	turn, err := s.engine(c.policy).Prepare(s.Context(), in)
	s.spent += time.Since(start)
	if err != nil {
		s.Fatalf("turn %d, %s (%s): %v", s.n, c.name, c.policy, err)
	}
	for _, err := range turn.Failures {
		if !errors.Is(err, errQuill) {
			s.Errorf("turn %d, %s: %v", s.n, turn.Key.Thread, err)
		}
	}
	s.did.Prepared++
	s.asked++
	s.did.Rehydrated += len(turn.Rehydrated)
	if turn.Outcome == precis.Compacted {
		s.did.Compacted++
	}
	s.remember(c, turn)
	s.checkTurn(c, in, turn)
	c.last = &sent{in: in, turn: turn, body: body(turn), forms: c.forms, policy: c.policy, now: s.now}
	s.quill.broken = false
	if s.Failed() {
		s.FailNow()
	}
	return turn
}

// remember notes what was sent, by the id it has in the log.
func (s *soak) remember(c *talk, turn *precis.Turn) {
	for i := c.from; i < turn.Thread.Len(); i++ {
		id, m := turn.Thread.At(i).ID, c.ms[i]
		first, ok := c.said[id]
		switch {
		case !ok:
			c.said[id] = m
		case !bytes.Equal(first.Raw, m.Raw) && m.Raw != nil:
			c.others[id] = append(c.others[id], m.Raw)
		}
	}
	came, from := c.branched[turn.Key.Thread], c.from
	if came == nil {
		came, from = map[thread.ID]message.Message{}, 0
		c.branched[turn.Key.Thread] = came
	}
	for i := from; i < turn.Thread.Len(); i++ {
		if id := turn.Thread.At(i).ID; came[id].Role == "" {
			came[id] = c.ms[i]
		}
	}
	c.from = turn.Thread.Len()
}

// audit checks what costs a reading of the whole thread: the export, the plan's
// versions, and that an engine without a memory gives the same prompt.
func (s *soak) audit(c *talk) {
	if c.last == nil {
		return
	}
	s.did.Audits++
	s.export(c)
	s.contiguous(c)
	last := c.last
	if !last.settled(c, s.now) {
		return
	}
	e := s.newEngine(c.policy)
	defer e.Close()
	again, err := e.Prepare(s.Context(), last.in)
	if err != nil {
		s.Fatalf("turn %d, %s: prepare with another engine: %v", s.n, c.name, err)
	}
	if version(again) != version(last.turn) || !reflect.DeepEqual(body(again), last.body) {
		s.Fatalf("turn %d, %s: an engine that remembers gave (%s, plan %d, %d tokens)\n%s\none that does not (%s, plan %d, %d tokens)\n%s", s.n, last.turn.Key.Thread,
			last.turn.Outcome, version(last.turn), last.turn.Compacted, show(last.turn), again.Outcome, version(again), again.Compacted, show(again))
	}
}

// SPEC: V1
func (s *soak) export(c *talk) {
	es, err := s.store.Load(s.Context(), c.last.turn.Key)
	if err != nil {
		s.Fatal(err)
	}
	th, err := thread.New(es)
	if err == nil {
		err = th.Verify()
	}
	if err != nil || th.Len() < c.last.turn.Thread.Len() {
		s.Fatalf("turn %d, %s: %d messages, sent %d: %v", s.n, c.name, len(es), len(c.ms), err)
	}
	for i := range es {
		want, branched := c.said[es[i].ID], c.branched[c.last.turn.Key.Thread][es[i].ID]
		if !reflect.DeepEqual(es[i].Message, want) && !reflect.DeepEqual(es[i].Message, branched) {
			s.Fatalf("turn %d, %s: message %d of %d changed in the log (-sent +logged):\n%s", s.n, c.last.turn.Key.Thread, i, len(es), cmp.Diff(want, es[i].Message))
		}
		if c.others[es[i].ID] != nil {
			s.checkForms(c, es[i].ID)
		}
	}
}

func (s *soak) checkForms(c *talk, id thread.ID) {
	k := c.last.turn.Key
	vs, err := s.store.Variants(s.Context(), k, id)
	if err != nil {
		s.Fatal(err)
	}
	kept := map[string]bool{string(c.said[id].Raw): true, string(c.branched[k.Thread][id].Raw): true}
	for _, v := range vs {
		kept[string(v.Raw)] = true
	}
	for _, raw := range c.others[id] {
		if !kept[string(raw)] {
			s.Fatalf("turn %d, %s: a form of %s is not kept: %s", s.n, k.Thread, id, raw)
		}
	}
}

// SPEC: L17
func (s *soak) contiguous(c *talk) {
	infos, err := s.store.PlanVersions(s.Context(), c.last.turn.Key)
	if err != nil {
		s.Fatal(err)
	}
	for i, v := range infos {
		if v.Version != i+1 {
			s.Fatalf("turn %d, %s: version %d at place %d", s.n, c.last.turn.Key.Thread, v.Version, i+1)
		}
	}
}

// measure starts anew and compares what engine and store hold once the long
// thread went on with what clients hold: it may grow with the history only, by a
// stated share.
func (s *soak) measure() {
	c, all := s.talks[0], heap()
	v := version(c.last.turn)
	for _, x := range slices.Concat(s.branches, s.talks) {
		x.last = nil // holds a thread as an engine made it
	}
	s.restart()
	without := heap()
	s.Logf("turn %d: %d messages, %.1f MB said, plan %d; heap %.1f MB, of it engines and store %.1f MB; %.1f ms a Prepare",
		s.n, len(c.ms), mb(s.bytes), v, mb(int(all)), mb(int(all)-int(without)), float64(s.spent.Microseconds())/1000/float64(max(s.asked, 1)))
	s.step(c)
	held, most := int(heap())-int(without), heapBase+heapShare*s.bytes
	s.Logf("turn %d: an engine that holds the long thread alone: %.1f MB", s.n, mb(held))
	if held > most {
		s.Errorf("turn %d: the long thread takes %.1f MB, at most %.1f are its", s.n, mb(held), mb(most))
	}
	s.spent, s.asked = 0, 0
}

func mb(n int) float64 { return float64(n) / (1 << 20) }

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
