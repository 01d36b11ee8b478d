package discover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/transcript"
)

// ErrOther is wrapped for a file that is no session of an agent that is known.
var ErrOther = errors.New("no session of an agent")

// Session is one session, read.
type Session struct {
	Found
	ID      string // the agent's own
	Project string // the folder the agent worked in, "" if the file does not say
	// Sub says that it is a sub-agent's conversation.
	Sub         bool
	Model       string // the last one named
	Messages    []message.Message
	System      []message.Part
	Start, End  time.Time // zero if the file does not say
	Charges     []Charge
	Compactions []Compaction
	// Lost counts records that could not be used: see transcript.Why.Loss.
	Lost int
}

// Read reads a session. Errors wrap ErrOther, ErrLarge, those of package
// transcript and of files; none tells what a session says.
func (f Found) Read(ctx context.Context) (*Session, error) {
	data, err := f.load(ctx)
	if err != nil {
		return nil, err
	}
	return f.parse(data)
}

func (f Found) parse(data []byte) (*Session, error) {
	t, err := transcript.Read(data, f.Agent)
	if err != nil {
		return nil, explain(err, data)
	}
	if !slices.Contains(agents(), t.Format) {
		return nil, ErrOther
	}
	s := &Session{Found: f, ID: t.Session, Model: t.Model, Messages: t.Messages, System: t.System}
	s.Agent = t.Format
	s.Sub = strings.Contains(t.Session, "/") || s.Agent == transcript.GeminiCLI && strings.Contains(filepath.ToSlash(f.Path), "/chats/") && filepath.Base(filepath.Dir(f.Path)) != "chats"
	for _, sk := range t.Skipped {
		if sk.Why.Loss() {
			s.Lost++
		}
	}
	for _, m := range s.Messages {
		s.span(m.Time)
	}
	rs := records(t, bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	s.Project = project(f, rs)
	s.Charges = charges(s.Agent, rs)
	s.Compactions = compactions(t, rs)
	return s, nil
}

// explain is an error without what a session says: the text of a parser's error may
// quote it.
func explain(err error, data []byte) error {
	if errors.Is(err, transcript.ErrNoMessages) && !blankOrJSON(data) {
		err = transcript.ErrFormat
	}
	for _, known := range []error{transcript.ErrNoMessages, transcript.ErrMany, transcript.ErrFormat} {
		if errors.Is(err, known) {
			return fmt.Errorf("read session: %w", known)
		}
	}
	return errors.New("read session: not the JSON it should be")
}

// blankOrJSON reports whether data is empty or has a line that is JSON.
func blankOrJSON(data []byte) bool {
	some := false
	for l := range bytes.Lines(data) {
		l = bytes.TrimSpace(l)
		if len(l) > 0 && json.Valid(l) {
			return true
		}
		some = some || len(l) > 0
	}
	return !some || json.Valid(data)
}

func (s *Session) span(at time.Time) {
	if at.IsZero() {
		return
	}
	if s.Start.IsZero() || at.Before(s.Start) {
		s.Start = at
	}
	if at.After(s.End) {
		s.End = at
	}
}

// record is one record of a session's file, used or skipped.
type record struct {
	at   int // messages before it
	kind string
	why  transcript.Why // "" for a message's
	raw  []byte
	line int
}

// names reports whether one of some words is in a record: a cheap look before it is
// decoded.
func (r record) names(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(r.raw, []byte(w)) })
}

// records are all of a file in its order.
func records(t *transcript.Transcript, data []byte) []record {
	type placed struct {
		record
		offset int
	}
	var all []placed
	for i, m := range t.Messages {
		if len(m.Raw) > 0 {
			all = append(all, placed{record{at: i, raw: m.Raw, line: t.Sources[i].Line}, t.Sources[i].Offset})
		}
	}
	for _, s := range t.Skipped {
		if s.Offset+s.Bytes <= len(data) {
			all = append(all, placed{record{-1, s.Kind, s.Why, data[s.Offset : s.Offset+s.Bytes], s.Line}, s.Offset})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return a.offset - b.offset })
	rs := make([]record, len(all))
	at := 0
	for i, p := range all {
		if p.at >= 0 {
			at = max(at, p.at+1)
		} else {
			p.at = at
		}
		rs[i] = p.record
	}
	return rs
}

// project is the folder a session worked in.
func project(f Found, rs []record) string {
	if f.Agent == transcript.GeminiCLI || f.Agent == "" {
		if dir, ok := geminiProject(f.Path); ok {
			return dir
		}
	}
	for _, r := range rs {
		if !r.names(`"cwd"`, `"directory"`, `"directories"`) {
			continue
		}
		var p struct {
			Cwd       string `json:"cwd"`
			Directory string `json:"directory"`
			Payload   struct {
				Cwd string `json:"cwd"`
			} `json:"payload"`
			Info struct {
				Path struct {
					Cwd string `json:"cwd"`
				} `json:"path"`
			} `json:"info"`
			Directories []string `json:"directories"`
		}
		_ = json.Unmarshal(r.raw, &p) // what does not parse names no folder
		for _, dir := range append([]string{p.Cwd, p.Directory, p.Payload.Cwd, p.Info.Path.Cwd}, p.Directories...) {
			if dir != "" {
				return dir
			}
		}
	}
	return folderOf(f.Path)
}

// folderOf is Claude Code's name for the folder a session worked in, "" if the
// path has none.
func folderOf(path string) string {
	_, below, ok := strings.Cut(filepath.ToSlash(path), "/projects/")
	if name, _, deeper := strings.Cut(below, "/"); ok && deeper {
		return name
	}
	return ""
}

// geminiProject is the folder of a recording in …/tmp/PROJECT/chats, which says
// so beside the chats.
func geminiProject(path string) (string, bool) {
	dir := filepath.Dir(path)
	for range 3 {
		if filepath.Base(dir) == "chats" {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(dir), ".project_root"))
			root := strings.TrimSpace(string(text))
			return root, err == nil && root != ""
		}
		dir = filepath.Dir(dir)
	}
	return "", false
}
