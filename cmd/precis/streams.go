package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	xterm "github.com/charmbracelet/x/term"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/term"
)

// streams are where a run reads and writes.
type streams struct {
	stdin  io.Reader
	out    *sink     // standard output, byte for byte
	page   io.Writer // standard output for people, coloured on a terminal
	paper  term.Page // how wide page is
	stderr io.Writer // for people; colours are taken out unless it is a terminal
	notes  term.Page // how wide stderr is
	live   bool      // standard error is a terminal: progress may be shown
	json   bool      // --json
	// again makes the commands in a text run as they are printed.
	again func(text string) string
}

func newStreams(stdin io.Reader, stdout, stderr io.Writer) *streams {
	out, people := &sink{w: stdout}, colorprofile.NewWriter(stderr, os.Environ())
	return &streams{
		stdin: stdin, out: out, paper: paperOf(stdout),
		page:   &colorprofile.Writer{Forward: out, Profile: colorprofile.Detect(stdout, os.Environ())},
		stderr: people, notes: paperOf(stderr), live: terminal(stderr) && people.Profile > colorprofile.NoTTY,
		again: func(text string) string { return text },
	}
}

// paperOf is as wide as the terminal, from 40 to 80 columns; what is no terminal
// has 80, and nothing on it is cut.
func paperOf(stream any) term.Page {
	p := term.Page{Columns: term.Columns}
	if f, ok := stream.(*os.File); ok && xterm.IsTerminal(f.Fd()) {
		p.Excerpts = true
		if w, _, err := xterm.GetSize(f.Fd()); err == nil && w > 0 {
			p.Columns = min(max(w, 40), p.Columns)
		}
	}
	return p
}

// sink remembers the first error of a writer.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}

// terminal reports whether a stream is a terminal.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && xterm.IsTerminal(f.Fd())
}

// note tells people something beside the result.
func (std *streams) note(format string, args ...any) {
	fmt.Fprintln(std.stderr, term.Faint("note: "+term.Clean(fmt.Sprintf(format, args...))))
}

// logger is the log of a command that serves, on standard error.
func (std *streams) logger() *slog.Logger {
	if std.json {
		return slog.New(slog.NewJSONHandler(std.stderr, &slog.HandlerOptions{ReplaceAttr: withUnit}))
	}
	return slog.New(slog.NewTextHandler(std.stderr, nil))
}

// withUnit writes a duration as the log for people has it, 2.4ms, not as a bare number.
func withUnit(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// faults takes into a log what a server would write to standard error.
func faults(to *slog.Logger) *log.Logger { return slog.NewLogLogger(to.Handler(), slog.LevelWarn) }

// lastsAfter is the time after which a command that is no terminal's says what it does.
var lastsAfter = 3 * time.Second

// lasting notes what takes longer than lastsAfter, where progress is not shown. stop ends it.
func (std *streams) lasting(text string) (stop func()) {
	if std.live {
		return func() {}
	}
	said := make(chan struct{})
	t := time.AfterFunc(lastsAfter, func() {
		std.note("%s", text)
		close(said)
	})
	return func() {
		if !t.Stop() {
			<-said
		}
	}
}

// progress shows what is being done while it takes time, on a terminal only.
// Its end is an empty text.
func (std *streams) progress(text string) {
	if std.live {
		fmt.Fprint(std.stderr, "\r\x1b[K"+text)
	}
}

// object writes one JSON value to standard output.
func (std *streams) object(v any) error { return writeObject(std.out, v) }

func writeObject(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// exactly writes text as it is, and fit for a terminal if there is one.
func (std *streams) exactly(text string) error {
	if terminal(std.out.w) {
		text = strings.TrimSuffix(term.Clean(text), "\n") + "\n"
	}
	_, err := io.WriteString(std.out, text)
	return err
}

// oneLine joins the lines of a text; an empty one, and one that repeats the one before, is left out.
func oneLine(text string) string {
	var b strings.Builder
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line == last:
			continue
		case strings.HasSuffix(last, ":"):
			b.WriteString(" ")
		case last != "":
			b.WriteString("; ")
		}
		b.WriteString(line)
		last = line
	}
	return b.String()
}

// warn says an error to people, and returns the hint below it.
func (std *streams) warn(f *failure) (hint string) {
	fmt.Fprintf(std.stderr, "precis: %s\n", term.Clean(oneLine(f.Error())))
	if hint = std.again(f.hint); hint != "" {
		fmt.Fprintf(std.stderr, "hint: %s\n", hint)
	}
	return hint
}

// tell reports a failure: to people on standard error and, where JSON was asked
// for, to programs on standard output.
func (std *streams) tell(f *failure) {
	hint := std.warn(f)
	if !std.json {
		return
	}
	type body struct {
		Message string         `json:"message"`
		Hint    string         `json:"hint,omitempty"`
		Exit    int            `json:"exit"`
		Tokens  map[string]int `json:"tokens,omitempty"`
	}
	b := body{Message: f.Error(), Hint: hint, Exit: f.code}
	var imp *precis.ImpossibleError
	if errors.As(f.err, &imp) {
		b.Tokens = map[string]int{
			"budget": imp.Budget, "system": imp.System, "tools": imp.Tools, "last_user": imp.LastUser, "floor": imp.Floor,
			"system_messages": imp.SystemMessages, "unknown": imp.Unknown, "thinking": imp.Thinking,
		}
	}
	_ = std.object(map[string]body{"error": b}) // it is an error that is being told
}
