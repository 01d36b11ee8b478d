package sqlite

import (
	"context"
	"database/sql"
	"sync"
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

// compiled runs queries over and over through statements that are compiled once
// for each connection. There are as many as there are texts of queries. Safe for
// concurrent use; closing the database closes them.
type compiled struct {
	db    *sql.DB
	stmts sync.Map // query → *sql.Stmt
}

func (c *compiled) stmt(ctx context.Context, query string) *sql.Stmt {
	if s, ok := c.stmts.Load(query); ok {
		return s.(*sql.Stmt)
	}
	s, err := c.db.PrepareContext(ctx, query)
	if err != nil {
		return nil // running it plainly gives the error to the caller
	}
	if first, ok := c.stmts.LoadOrStore(query, s); ok {
		_ = s.Close() // another was faster
		return first.(*sql.Stmt)
	}
	return s
}

func (c *compiled) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := c.stmt(ctx, query); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return c.db.QueryContext(ctx, query, args...)
}

func (c *compiled) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if s := c.stmt(ctx, query); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return c.db.QueryRowContext(ctx, query, args...)
}
