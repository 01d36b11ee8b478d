package sqlite

import (
	"context"
	"database/sql"
)

// runner runs statements in a transaction.
type runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// prepared runs each statement of a transaction through one that is compiled
// once: a batch of many entries runs the same few over and over. The
// transaction's end closes them.
type prepared struct {
	tx    *sql.Tx
	stmts map[string]*sql.Stmt
}

func prepare(tx *sql.Tx) *prepared { return &prepared{tx, map[string]*sql.Stmt{}} }

func (p *prepared) stmt(ctx context.Context, query string) *sql.Stmt {
	if s, ok := p.stmts[query]; ok {
		return s
	}
	s, err := p.tx.PrepareContext(ctx, query)
	if err != nil {
		return nil // running it plainly gives the error to the caller
	}
	p.stmts[query] = s
	return s
}

func (p *prepared) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if s := p.stmt(ctx, query); s != nil {
		return s.ExecContext(ctx, args...)
	}
	return p.tx.ExecContext(ctx, query, args...)
}

func (p *prepared) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if s := p.stmt(ctx, query); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return p.tx.QueryRowContext(ctx, query, args...)
}
