package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/internal/sealing"
)

// Errors of the database, beside those of package store.
var (
	// ErrUnavailable: the database cannot be reached, or does not take writes now.
	ErrUnavailable = errors.New("database cannot be reached")
	// ErrFull: the disk of the database is used up.
	ErrFull = errors.New("no space left for the database")
	// ErrDenied: the role may not do this, or not log in.
	ErrDenied = errors.New("database refuses this role")
	// ErrCorrupt: what was read is not what was written.
	ErrCorrupt = errors.New("store is corrupt")
	// ErrSealed: the database is sealed, and no keys were given.
	ErrSealed = errors.New("database is sealed")
	// ErrClear: keys were given for a database that holds conversations in the clear.
	ErrClear = errors.New("database is not sealed")
	// ErrOlder: the schema is missing or older than this program's: Migrate brings it
	// up to date.
	ErrOlder = errors.New("database needs a migration")
	// ErrNewer: the schema is more than one version ahead of this program.
	ErrNewer = errors.New("database was migrated for a newer version of this program")
)

// sentinels maps codes of SQL errors to errors. A class, the first two characters,
// stands for all its codes.
var sentinels = map[string]error{
	"08":    ErrUnavailable,
	"53300": ErrUnavailable, // too many connections
	"57P01": ErrUnavailable, // the server shuts down
	"57P02": ErrUnavailable,
	"57P03": ErrUnavailable, // it starts
	"25006": ErrUnavailable, // it is a replica now
	"40001": ErrUnavailable, // serialization failure
	"40P01": ErrUnavailable, // deadlock
	"53100": ErrFull,
	"42501": ErrDenied,
	"28":    ErrDenied,
	"3D000": ErrUnavailable, // no such database, yet
	"42P01": ErrOlder,       // no such table
}

// classify wraps an error of the database's in the sentinel of its kind.
func classify(err error) error {
	if err == nil {
		return nil
	}
	if kind := kindOf(err); kind != nil && !errors.Is(err, kind) {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

func kindOf(err error) error {
	if errors.Is(err, sealing.ErrDamaged) {
		return ErrCorrupt
	}
	var of *pgconn.PgError
	if errors.As(err, &of) {
		if kind := sentinels[of.Code]; kind != nil {
			return kind
		}
		return sentinels[of.Code[:min(2, len(of.Code))]]
	}
	var connect *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) || err.Error() == "conn closed" {
		return ErrUnavailable
	}
	return nil
}

// retried calls f again while the database cannot be reached, within the store's
// patience. Whatever f does must be the same done twice: a connection that breaks may
// have done it.
func (s *Store) retried(ctx context.Context, f func() error) error {
	for end, rest := time.Now().Add(s.patience), 10*time.Millisecond; ; rest *= 2 {
		err := classify(f())
		if !errors.Is(err, ErrUnavailable) || ctx.Err() != nil || time.Now().Add(rest).After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rest):
		}
	}
}

// fail adds the action and the thread to an error.
func fail(verb string, k store.Key, err error) error {
	return fmt.Errorf("%s: thread %q: %w", verb, k.Thread, classify(err))
}
