package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
	"github.com/seed-3db51b0e/precis/thread"
)

// attempts bounds how often a write is made anew because others were faster.
const attempts = 16

// errRace: another writer was faster, and the write has to be made anew from what is
// there now.
var errRace = errors.New("others wrote meanwhile")

// packedBatch is a batch with its content as it is stored. What is large has been
// written to the blob store.
type packedBatch struct {
	store.Batch
	seal     *sealing.Sealing // nil: the database is in the clear
	id       threadID
	bodies   [][]byte // of Entries
	variants [][]byte // of Variants
	envelope []byte   // nil: none
}

// Append implements store.Log. A batch that goes on from the thread's tip, or begins
// a thread, is one statement.
func (s *Store) Append(ctx context.Context, k store.Key, b store.Batch) (store.Head, error) {
	if err := b.Check(); err != nil {
		return store.Head{}, fail("append", k, err)
	}
	r, err := s.packBatch(ctx, k, b)
	if err != nil {
		return store.Head{}, fail("append", k, err)
	}
	h, err := s.appendSurely(ctx, k, r, 0)
	if err != nil {
		return store.Head{}, fail("append", k, err)
	}
	return h, nil
}

// appendSurely appends a batch, again where the connection broke. Then it may have been
// written before, and others may have gone on from it: it is no stale batch for that.
// tries is how often it was tried before.
func (s *Store) appendSurely(ctx context.Context, k store.Key, b *packedBatch, tries int) (h store.Head, err error) {
	err = s.retried(ctx, func() error {
		tries++
		if h, err = s.append(ctx, k, b); tries == 1 || len(b.Entries) == 0 || !errors.Is(err, store.ErrStale) {
			return err
		}
		at, lookErr := s.locate(ctx, s.pool, b.id, []thread.ID{b.Last()})
		if lookErr != nil {
			return lookErr
		}
		if _, written := at[b.Last()]; written {
			var th row
			th, err = s.find(ctx, s.pool, k)
			h = th.head
		}
		return err
	})
	return h, err
}

func (s *Store) packBatch(ctx context.Context, k store.Key, b store.Batch) (*packedBatch, error) {
	r := &packedBatch{Batch: b, seal: s.seal, id: s.idOf(k), bodies: make([][]byte, len(b.Entries)), variants: make([][]byte, len(b.Variants))}
	err := each(ctx, len(b.Entries), func(ctx context.Context, i int) error {
		content, err := encoding.Message(b.Entries[i].Message)
		if err == nil {
			r.bodies[i], err = s.keep(ctx, r.id, content)
		}
		if err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range b.Variants {
		if r.variants[i], err = s.keep(ctx, r.id, b.Variants[i].Raw); err != nil {
			return nil, err
		}
	}
	if b.Envelope != nil {
		r.envelope, err = s.keep(ctx, r.id, b.Envelope)
	}
	return r, err
}

// AppendAll is Append of batches to several threads in one transaction, which costs
// one wait for the disk. It returns the error of each: none stops the others.
func (s *Store) AppendAll(ctx context.Context, all []store.Addition) []error {
	errs := make([]error, len(all))
	packed := make([]*packedBatch, len(all))
	done := make([]bool, len(all))
	_ = each(ctx, len(all), func(ctx context.Context, i int) error { // each has an error of its own
		if errs[i] = all[i].Batch.Check(); errs[i] == nil {
			packed[i], errs[i] = s.packBatch(ctx, all[i].Key, all[i].Batch)
		}
		if errs[i] != nil {
			errs[i] = fail("append", all[i].Key, errs[i])
		}
		return nil
	})
	tries := 0
	if s.together(ctx, all, packed, done) != nil { // what it did not do, as far as is known, is done one by one
		tries = 1
	}
	for i, a := range all {
		if errs[i] != nil || done[i] {
			continue
		}
		if _, err := s.appendSurely(ctx, a.Key, packed[i], tries); err != nil {
			errs[i] = fail("append", a.Key, err)
		}
	}
	return errs
}

// together runs the statements of all batches that are one statement, in the order of
// their threads, so that no two nodes wait for each other.
func (s *Store) together(ctx context.Context, all []store.Addition, packed []*packedBatch, done []bool) error {
	var order []int
	for i, b := range packed {
		if b != nil && b.ForkOf == "" && len(b.Variants) == 0 && (b.Tip == "" || len(s.seal.RawID(b.Tip)) > 0) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return bytes.Compare(packed[i].id[:], packed[j].id[:]) })
	var batch pgx.Batch
	ran := make([]bool, len(all))
	for _, i := range order {
		sql, args := packed[i].grow()
		if packed[i].Tip == "" {
			sql, args = beginSQL, packed[i].beginArgs(all[i].Key)
		}
		batch.Queue(sql, args...).QueryRow(func(r pgx.Row) error {
			_, err := s.scanThread(r.Scan)
			ran[i] = err == nil
			if errors.Is(err, pgx.ErrNoRows) {
				return nil // another way has to be found for it
			}
			return err
		})
	}
	if len(order) == 0 {
		return nil
	}
	err := s.pool.SendBatch(ctx, &batch).Close()
	if err == nil { // else nothing was written
		copy(done, ran)
	}
	return err
}

// append writes a batch by what is there, and again where others were faster.
func (s *Store) append(ctx context.Context, k store.Key, b *packedBatch) (store.Head, error) {
	if b.ForkOf == "" && len(b.Variants) == 0 { // as a rule
		th, err := s.straight(ctx, k, b)
		if !errors.Is(err, errRace) {
			return th.head, err
		}
	}
	for range attempts {
		h, err := s.appendFound(ctx, k, b)
		if !errors.Is(err, errRace) {
			return h, err
		}
	}
	return store.Head{}, store.ErrStale
}

// straight goes on from the tip that the batch names, or begins the thread.
func (s *Store) straight(ctx context.Context, k store.Key, b *packedBatch) (row, error) {
	switch {
	case b.Tip == "":
		return s.written(s.pool.QueryRow(ctx, beginSQL, b.beginArgs(k)...))
	case len(s.seal.RawID(b.Tip)) == 0: // no thread ends in what is no id
		return row{}, errRace
	}
	sql, args := b.grow()
	return s.written(s.pool.QueryRow(ctx, sql, args...))
}

// written reads the thread that a statement wrote; errRace where it wrote none.
func (s *Store) written(r pgx.Row) (row, error) {
	th, err := s.scanThread(r.Scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return th, errRace
	}
	return th, err
}

// appendFound finds out what the batch is to its thread: its beginning, a fork of
// another, what follows its tip, or a repeat of its end, which the tip shows: an id
// depends on all entries before it.
func (s *Store) appendFound(ctx context.Context, k store.Key, b *packedBatch) (store.Head, error) {
	th, err := s.find(ctx, s.pool, k)
	missing := errors.Is(err, store.ErrNotFound)
	switch {
	case err != nil && !missing:
		return store.Head{}, err
	case missing && b.ForkOf != "":
		return s.fork(ctx, k, b)
	case missing && b.Tip != "":
		return store.Head{}, store.ErrStale
	case missing:
		return s.begin(ctx, k, b)
	case b.ForkOf == "" && th.head.Tip == b.Tip:
		vs, err := s.forms(ctx, th, b, b.Variants, b.variants)
		if err != nil {
			return store.Head{}, err
		}
		th, err = s.written(s.pool.QueryRow(ctx, extendSQL, b.extendArgs(b.Tip, vs, th.erasures)...))
		return th.head, err
	case th.head.Tip == b.Last() && (b.ForkOf == "" || b.ForkOf == th.head.Parent):
		return s.again(ctx, th, b)
	}
	return store.Head{}, store.ErrStale
}

// begin writes a new thread that is no fork.
func (s *Store) begin(ctx context.Context, k store.Key, b *packedBatch) (store.Head, error) {
	vs, err := s.forms(ctx, row{id: b.id}, b, b.Variants, b.variants)
	if err != nil {
		return store.Head{}, err
	}
	th, err := s.written(s.pool.QueryRow(ctx, beginSQL, b.beginArgs(k, vs...)...))
	return th.head, err
}

// again keeps what the repeat of a batch brings beyond the first: raw forms, an
// envelope.
func (s *Store) again(ctx context.Context, th row, b *packedBatch) (store.Head, error) {
	var variants []store.Variant
	var bodies [][]byte
	for _, e := range b.Entries {
		if e.Message.Raw == nil {
			continue
		}
		variants = append(variants, store.Variant{ID: e.ID, Raw: e.Message.Raw, Dialect: e.Message.Dialect})
		bodies = append(bodies, nil) // it is there, as a rule
	}
	variants, bodies = append(variants, b.Variants...), append(bodies, b.variants...)
	vs, err := s.forms(ctx, th, b, variants, bodies)
	if err != nil || len(vs) == 0 && b.envelope == nil {
		return th.head, err
	}
	repeat := &packedBatch{seal: s.seal, id: b.id, envelope: b.envelope, Batch: store.Batch{Now: th.head.Updated}}
	th, err = s.written(s.pool.QueryRow(ctx, extendSQL, repeat.extendArgs(th.head.Tip, vs, th.erasures)...))
	return th.head, err
}

// formRow is a variant on its way into the database.
type formRow struct {
	place
	variant store.Variant
	body    []byte
}

// forms finds the places of variants among the thread's first entries and the batch's, and
// leaves out those that are there as the form their entry was logged in, and those of what
// was erased. A body that is nil is made.
func (s *Store) forms(ctx context.Context, th row, b *packedBatch, vs []store.Variant, bodies [][]byte) ([]formRow, error) {
	if len(vs) == 0 {
		return nil, nil
	}
	ids := make([]thread.ID, len(vs))
	for i := range vs {
		ids[i] = vs[i].ID
	}
	at, err := s.locate(ctx, s.pool, th.id, ids)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(at, func(_ thread.ID, p place) bool { return p.seq >= th.head.Len })
	for i, e := range b.Entries {
		if _, ok := at[e.ID]; !ok {
			at[e.ID] = place{branch: b.id, seq: th.head.Len + i, form: string(formOf(s.seal, e.Message))}
		}
	}
	var rows []formRow
	for i, v := range vs {
		p, ok := at[v.ID]
		if !ok {
			return nil, fmt.Errorf("variant of %s: %w", v.ID, store.ErrNotFound)
		}
		form := string(formOf(s.seal, message.Message{Raw: v.Raw, Dialect: v.Dialect}))
		if p.erased || p.form == form {
			continue
		}
		p.form = form
		if bodies[i] == nil {
			if bodies[i], err = s.keep(ctx, p.branch, v.Raw); err != nil {
				return nil, err
			}
		}
		rows = append(rows, formRow{p, v, bodies[i]})
	}
	return rows, nil
}

// formOf names the form in which a message came.
func formOf(x *sealing.Sealing, m message.Message) []byte {
	h := sha256.New()
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(m.Dialect)))) // a hash takes anything
	_, _ = h.Write([]byte(m.Dialect))
	_, _ = h.Write(m.Raw)
	sum := x.Hash([sha256.Size]byte(h.Sum(nil)))
	return sum[:16]
}

// fork writes a new thread that shares its parent's entries up to b.At.
func (s *Store) fork(ctx context.Context, k store.Key, b *packedBatch) (store.Head, error) {
	parent, err := s.find(ctx, s.pool, store.Key{Tenant: k.Tenant, Thread: b.ForkOf})
	if err != nil {
		return store.Head{}, fmt.Errorf("parent %q: %w", b.ForkOf, err)
	}
	shared := 0
	if b.At != "" {
		at, err := s.locate(ctx, s.pool, parent.id, []thread.ID{b.At})
		if err != nil {
			return store.Head{}, err
		}
		p, ok := at[b.At]
		if !ok {
			return store.Head{}, fmt.Errorf("fork point %s: %w", b.At, store.ErrForeign)
		}
		shared = p.seq + 1
	}
	th := row{id: b.id, shared: parent.line()}
	for i := range th.shared {
		th.shared[i].upto = min(th.shared[i].upto, shared-1)
	}
	known := parent
	known.head.Len = shared
	vs, err := s.forms(ctx, known, b, b.Variants, b.variants)
	if err != nil {
		return store.Head{}, err
	}
	envelope := b.envelope
	if envelope == nil {
		if envelope, err = s.copiedEnvelope(ctx, parent, b.id); err != nil {
			return store.Head{}, err
		}
	}
	made := *b
	made.envelope = envelope
	th.head.Source, th.head.Len = cmp.Or(b.Source, parent.head.Source), shared
	th, err = s.written(s.pool.QueryRow(ctx, forkSQL, made.forkArgs(k, parent, th, vs)...))
	return th.head, err
}

// copiedEnvelope is the last envelope of a thread as another thread's, nil for none.
func (s *Store) copiedEnvelope(ctx context.Context, from row, to threadID) ([]byte, error) {
	body, err := lastEnvelope(ctx, s.pool, from.id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil || object(body) == "" {
		return body, err
	}
	content, err := s.unpack(ctx, body)
	if err != nil {
		return nil, err
	}
	return s.keep(ctx, to, content)
}
