package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-3db51b0e/precis/internal/disk"
)

// OpenReadOnly opens the store at path for reading: it makes no file, changes
// none, and needs no right to write. What would write is ErrReadOnly. There
// must be a file (fs.ErrNotExist), of this program's schema: ErrOlder says that
// Open has to bring it up to date first, ErrInterrupted that it has to take back what was
// half written.
//
// While others have the store open for writing, each call sees what was
// acknowledged before it. A file that nobody has open is read as it lies, with
// no lock, so that nothing is made beside it: who begins to write to it later
// is not seen, and may make reads fail with ErrCorrupt. Open it anew then.
func OpenReadOnly(ctx context.Context, path string, o Options) (*Store, error) {
	s, err := openReadOnly(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("open store %s for reading: %w", path, classify(err))
	}
	return s, nil
}

func openReadOnly(ctx context.Context, path string, o Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if fi.IsDir() {
		return nil, fmt.Errorf("%w: it is a folder", ErrReadOnly)
	}
	options, err := reading(path)
	if err != nil {
		return nil, err
	}
	zip, err := newCompressor()
	if err != nil {
		return nil, err
	}
	s := &Store{zip: zip, lines: newLines(), damaged: o.Damaged, dir: filepath.Dir(path), free: disk.Free}
	if s.r, err = connect(path, o, cmp.Or(o.Readers, 4), options+"&_pragma=query_only(1)"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.heads = &compiled{db: s.r}
	have, err := inspect(ctx, s.r)
	if interrupted(err) {
		err = fmt.Errorf("%w: %w", ErrInterrupted, err)
	}
	if err == nil && have < newest() {
		err = fmt.Errorf("schema %d, this program reads %d: %w", have, newest(), ErrOlder)
	}
	if err == nil {
		err = s.unlock(ctx, s.r, nil, o.Keys)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// reading chooses how to read a file without making one. A write-ahead log
// beside it is there while somebody has it open, or after a crash, and must be
// read with it. Without one SQLite would make one, unless immutable=1
// says that the file does not change. A rollback journal beside it may be that of a write
// that was interrupted, which immutable=1 would pass over.
func reading(path string) (options string, err error) {
	for _, end := range []string{"-wal", "-journal"} {
		if _, err := os.Stat(path + end); !errors.Is(err, fs.ErrNotExist) {
			return "mode=ro", err
		}
	}
	return "mode=ro&immutable=1", nil
}
