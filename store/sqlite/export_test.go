package sqlite

import (
	"context"
	"fmt"

	"github.com/seed-3db51b0e/precis/store"
)

// OpenAt opens a store whose schema stops at an older version.
func OpenAt(ctx context.Context, path string, version int) (*Store, error) {
	return open(ctx, path, Options{}, version)
}

// Newest is the newest schema version.
func Newest() int { return newest() }

// Limit lets the file grow to so many pages more.
func (s *Store) Limit(ctx context.Context, pages int) error {
	var n int
	if err := s.w.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&n); err != nil {
		return err
	}
	_, err := s.w.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, n+pages))
	return err
}

// Path is where the file lies.
func (s *Store) Path(ctx context.Context) (path string, err error) {
	err = s.w.QueryRowContext(ctx, `SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&path)
	return path, err
}

// SealedColumns are those whose values a sealed file turns, beside content.
func SealedColumns() (all []string) {
	for _, t := range turnings {
		for _, c := range t.columns {
			all = append(all, t.table+"."+c)
		}
	}
	return all
}

// Classify wraps an error of the driver's with the code given.
func Classify(code int) error { return sentinels[code&0xff] }

// OnDiskWith is the store as if so many bytes were free on its disk.
func (s *Store) OnDiskWith(bytes uint64) {
	s.free = func(string) (uint64, error) { return bytes, nil }
}

// CheckThread is what Check finds of a thread that it has listed.
func (s *Store) CheckThread(ctx context.Context, h store.Head) ([]store.Damage, error) {
	return s.checkThread(ctx, h, nil)
}
