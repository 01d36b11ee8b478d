package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
)

// threadBodies are the columns that hold content of a thread, with what tells rows of the
// thread apart.
var threadBodies = []struct{ table, column, key string }{
	{"entries", "body", "seq"},
	{"variants", "body", "n"},
	{"envelopes", "body", "n"},
	{"plans", "header", "version"},
	{"records", "body", "n"},
	{"artifacts", "body", "n"},
}

// Reseal moves what older keys sealed to the newest of keys, with which the store was
// opened, so that the older ones can be taken out of the ring: thread by thread, while
// others read and write. All others must have been opened with these keys before: a store
// with the older keys alone cannot read what is sealed anew, and goes on sealing with
// them; a further Reseal moves that. The cache of summaries is dropped. It returns how many
// pieces of content it sealed anew.
func (s *Store) Reseal(ctx context.Context, keys *seal.Keyring) (contents int, err error) {
	if s.seal == nil {
		return 0, fmt.Errorf("reseal store: %w", ErrClear)
	}
	heads, err := s.AllHeads(ctx)
	for _, h := range heads {
		if err == nil {
			var n int
			n, err = s.resealThread(ctx, s.idOf(h.Key))
			contents += n
		}
	}
	if err == nil {
		err = s.resealIndex(ctx, keys)
	}
	if err != nil {
		return contents, fmt.Errorf("reseal store: %w", classify(err))
	}
	return contents, nil
}

func (s *Store) resealIndex(ctx context.Context, keys *seal.Keyring) error {
	index, err := s.index(ctx)
	if err == nil {
		index, err = sealing.Again(keys, index)
	}
	if err == nil {
		_, err = s.pool.Exec(ctx, `UPDATE sealing SET key = $1`, index)
	}
	if err == nil {
		_, err = s.pool.Exec(ctx, `DELETE FROM summaries`)
	}
	return err
}

func (s *Store) resealThread(ctx context.Context, id threadID) (contents int, err error) {
	err = s.erasing(ctx, func(tx pgx.Tx) (old [][]byte, err error) {
		contents = 0
		if _, err := tx.Exec(ctx, `SELECT 1 FROM threads WHERE id = $1 FOR UPDATE`, id[:]); err != nil {
			return nil, err
		}
		for _, t := range threadBodies {
			var keys []int64
			var stored [][]byte
			err := eachRow(ctx, tx, func(rows pgx.Rows) error {
				var key int64
				var body []byte
				err := rows.Scan(&key, &body)
				keys, stored = append(keys, key), append(stored, body)
				return err
			}, strings.NewReplacer("TABLE", t.table, "COLUMN", t.column, "KEY", t.key).Replace(`SELECT KEY, COLUMN FROM TABLE WHERE thread = $1 AND length(COLUMN) > 0`), id[:])
			if err != nil {
				return nil, err
			}
			for i, body := range stored {
				to, err := s.resealBody(ctx, id, body)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", t.table, err)
				}
				if to == nil {
					continue
				}
				if _, err := tx.Exec(ctx, `UPDATE `+t.table+` SET `+t.column+` = $3 WHERE thread = $1 AND `+t.key+` = $2`, id[:], keys[i], to); err != nil {
					return nil, err
				}
				contents, old = contents+1, append(old, body)
			}
		}
		return old, nil
	})
	return contents, err
}

// resealBody is a body sealed with the newest key, nil if it is so already.
func (s *Store) resealBody(ctx context.Context, id threadID, body []byte) ([]byte, error) {
	if len(body) < headerLen {
		return nil, fmt.Errorf("%w: body of %d bytes", ErrCorrupt, len(body))
	}
	data, name := body[headerLen:], object(body)
	if name != "" && s.blobs == nil {
		return nil, errors.New("read blob: the content lies in a blob store, and none is configured")
	}
	if name != "" {
		var err error
		ctx, cancel := s.forBlob(ctx, int(binary.BigEndian.Uint64(body[1+sha256.Size:])))
		data, err = s.blobs.Get(ctx, name)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("read blob: %w", err)
		}
	}
	if s.seal.Newest(data) {
		return nil, nil
	}
	content, err := s.unpack(ctx, body)
	switch {
	case err != nil:
		return nil, err
	case name == "":
		return s.pack(content)
	}
	return s.keep(ctx, id, content)
}
