package discover

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // reads opencode's database

	"github.com/seed-3db51b0e/precis/transcript"
)

// openDatabase opens opencode's database for reading. A file that nobody is
// writing is opened as immutable, so that nothing is made beside it; what a crash
// left in a journal is then not seen.
func openDatabase(path string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs)}
	options := "?mode=ro&immutable=1"
	if _, err := os.Stat(path + "-shm"); err == nil {
		options = "?mode=ro&_pragma=busy_timeout(2000)&_pragma=query_only(1)"
	}
	return sql.Open("sqlite", u.String()+options)
}

// databaseSessions lists the sessions of a database.
func databaseSessions(ctx context.Context, path string) (found []Found, err error) {
	db, err := openDatabase(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, `SELECT id, time_updated FROM session ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		f := Found{Agent: transcript.OpenCode, Path: path}
		var updated int64
		if err := rows.Scan(&f.ID, &updated); err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		f.Changed = time.UnixMilli(updated)
		found = append(found, f)
	}
	return found, rows.Err()
}

// databaseExport puts a session together from opencode's database.
func databaseExport(ctx context.Context, path, id string) (data []byte, err error) {
	db, err := openDatabase(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	e := export{}
	if e.info, err = databaseInfo(ctx, db, id); err != nil {
		return nil, err
	}
	if err := e.rows(ctx, db, id); err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	if len(e.messages) == 0 {
		if err := e.entries(ctx, db, id); err != nil {
			return nil, fmt.Errorf("read entries: %w", err)
		}
	}
	return e.encode(), nil
}

func databaseInfo(ctx context.Context, db *sql.DB, id string) (json.RawMessage, error) {
	var directory, parent, revert sql.NullString
	err := db.QueryRowContext(ctx, `SELECT directory, parent_id, revert FROM session WHERE id = ?`, id).Scan(&directory, &parent, &revert)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	info := map[string]any{"id": id, "directory": directory.String}
	if parent.String != "" {
		info["parentID"] = parent.String
	}
	if json.Valid([]byte(revert.String)) {
		info["revert"] = json.RawMessage(revert.String)
	}
	return json.Marshal(info)
}

// rows reads messages and their parts. The columns that name a record are not in
// its data; they are put back.
func (e *export) rows(ctx context.Context, db *sql.DB, session string) error {
	at := map[string]int{}
	err := each(ctx, db, `SELECT id, '', data FROM message WHERE session_id = ? ORDER BY time_created, id`, session, func(id, _, data string) error {
		at[id] = len(e.messages)
		e.messages = append(e.messages, exported{info: named(data, "id", id), parts: []json.RawMessage{}})
		return e.grow(len(data))
	})
	if err != nil {
		return err
	}
	return each(ctx, db, `SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY message_id, id`, session, func(id, of, data string) error {
		if i, ok := at[of]; ok {
			e.messages[i].parts = append(e.messages[i].parts, named(data, "id", id))
		}
		return e.grow(len(data))
	})
}

// entries reads what sessions hold since version 2; a database before has no
// such table.
func (e *export) entries(ctx context.Context, db *sql.DB, session string) error {
	var n int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE name = 'session_message'`).Scan(&n); err != nil || n == 0 {
		return err
	}
	return each(ctx, db, `SELECT id, type, data FROM session_message WHERE session_id = ? ORDER BY time_created, id`, session, func(id, kind, data string) error {
		e.messages = append(e.messages, exported{info: named(data, "id", id, "type", kind)})
		return e.grow(len(data))
	})
}

func each(ctx context.Context, db *sql.DB, query, session string, f func(id, of, data string) error) error {
	rows, err := db.QueryContext(ctx, query, session)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, of, data string
		if err := rows.Scan(&id, &of, &data); err != nil {
			return err
		}
		if err := f(id, of, data); err != nil {
			return err
		}
	}
	return rows.Err()
}

// named puts members, names and values in turn, before those of an object.
func named(object string, members ...string) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(object), &m) != nil || m == nil {
		return json.RawMessage(object)
	}
	for i := 0; i+1 < len(members); i += 2 {
		value, err := json.Marshal(members[i+1])
		if err != nil {
			return json.RawMessage(object)
		}
		m[members[i]] = value
	}
	out, err := json.Marshal(m)
	if err != nil {
		return json.RawMessage(object)
	}
	return out
}
