package transcript_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/transcript"
)

var rewrite = flag.Bool("rewrite", false, "write what was read as the wanted result")

// fixture is one case of testdata/read: a comment, the input and the wanted
// reading of it.
type fixture struct {
	name, path string
	archive    *txtar.Archive
	input      []byte
}

func fixtures(t testing.TB) []fixture {
	t.Helper()
	paths, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var fs []fixture
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Files) != 2 || a.Files[0].Name != "input" || a.Files[1].Name != "want" {
			t.Fatalf("%s: want the files input and want", p)
		}
		fs = append(fs, fixture{strings.TrimSuffix(filepath.Base(p), ".txtar"), p, a, a.Files[0].Data})
	}
	return fs
}

// SPEC: B1, V1
func TestRead(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			got := describe(transcript.Read(f.input, ""))
			if *rewrite {
				f.archive.Files[1].Data = []byte(got)
				if err := os.WriteFile(f.path, txtar.Format(f.archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(f.archive.Files[1].Data), got); d != "" {
				t.Error(d)
			}
		})
	}
}

// describe writes a reading for people.
func describe(t *transcript.Transcript, err error) string {
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s model=%q session=%q request=%v\n", t.Format, t.Model, t.Session, t.Request != nil)
	for _, p := range t.System {
		fmt.Fprintf(&b, "system %s\n", part(p))
	}
	for _, tool := range t.Tools {
		fmt.Fprintf(&b, "tool %s\n", tool.Name)
	}
	for i, m := range t.Messages {
		fmt.Fprintf(&b, "%d %s %s%s\n", t.Sources[i].Line, m.Role, m.Dialect, stamp(t.Sources[i].Time))
		for _, p := range m.Parts {
			fmt.Fprintf(&b, "    %s\n", part(p))
		}
	}
	for _, s := range t.Skipped {
		fmt.Fprintf(&b, "skip %d: %s: %s", s.Line, s.Why, s.Kind)
		if s.Detail != "" {
			fmt.Fprintf(&b, " (%s)", s.Detail)
		}
		b.WriteByte('\n')
	}
	for _, n := range t.Notes {
		fmt.Fprintf(&b, "note %s\n", n)
	}
	return b.String()
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(" 15:04:05.000")
}

func part(p message.Part) string {
	var b strings.Builder
	b.WriteString(string(p.Kind))
	for _, f := range []struct{ name, value string }{
		{"id", p.CallID}, {"name", p.Name}, {"args", p.Args}, {"sig", p.Signature}, {"type", p.MediaType}, {"url", p.URL},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, " %s=%s", f.name, f.value)
		}
	}
	if p.Failed {
		b.WriteString(" failed")
	}
	if p.Size > 0 {
		fmt.Fprintf(&b, " size=%d", p.Size)
	}
	if p.Kind == message.Opaque {
		fmt.Fprintf(&b, " raw=%s", p.Raw)
	}
	if text := p.Body(); text != "" && p.Kind != message.Call {
		fmt.Fprintf(&b, " %.60q", text)
	}
	if p.Dialect != "" {
		fmt.Fprintf(&b, " <%s>", p.Dialect)
	}
	return b.String()
}

// SPEC: B1
func TestSentinels(t *testing.T) {
	for _, c := range []struct {
		name, input, format string
		want                error
	}{
		{"empty", "", "", transcript.ErrNoMessages},
		{"blank", " \r\n\t\n", "", transcript.ErrNoMessages},
		{"mark alone", "\xef\xbb\xbf", "pi", transcript.ErrNoMessages},
		{"format", `{"role":"user","content":"x"}`, "yaml", transcript.ErrFormat},
		{"content", `{"a":1}`, "auto", transcript.ErrFormat},
		{"scalar", `17`, "", transcript.ErrFormat},
		{"wrong format", `{"role":"user","content":"x"}`, "pi", transcript.ErrNoMessages},
		{"empty array", `[]`, "", transcript.ErrNoMessages},
		{"rows", "{\"id\":1,\"messages\":[]}\n{\"id\":2,\"messages\":[]}\n", "", transcript.ErrMany},
		{"cut export", `{"info":{},"messages":[`, "opencode", codec.ErrMalformed},
		{"no export", `["info"]`, "opencode", codec.ErrMalformed},
		{"empty export", `{"info":{},"messages":[]}`, "", transcript.ErrNoMessages},
		{"deep", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "", transcript.ErrFormat},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := transcript.Read([]byte(c.input), c.format); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// A format given by name reads as the same format detected.
//
// SPEC: B1
func TestNamedFormat(t *testing.T) {
	for _, f := range fixtures(t) {
		tr, err := transcript.Read(f.input, "auto")
		if err != nil {
			continue
		}
		if !slices.Contains(transcript.Formats(), tr.Format) {
			t.Errorf("%s: %q is not in Formats", f.name, tr.Format)
		}
		if d := cmp.Diff(describe(tr, nil), describe(transcript.Read(f.input, tr.Format))); d != "" {
			t.Errorf("%s: %s", f.name, d)
		}
	}
}

// What editors, copies and crashes do to a file changes nothing of what it
// says: byte order mark, carriage returns, blank lines, blocks of NULs.
//
// SPEC: B1, V1
func TestTolerance(t *testing.T) {
	edits := map[string]func([]byte) []byte{
		"byte order mark": func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) },
		"crlf":            func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
		"no last newline": func(b []byte) []byte { return bytes.TrimRight(b, "\n") },
		"blank end":       func(b []byte) []byte { return append(bytes.Clone(b), " \n\t\r\n"...) },
		"invalid utf-8":   func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("12A"), []byte("\xff")) },
	}
	lineEdits := map[string]func([]byte) []byte{
		"nul ends": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\x00\x00\n\x00")) },
		"lines of nul": func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("\n"), []byte("\n\x00\x00\n"))
		},
	}
	for _, f := range fixtures(t) {
		want, err := transcript.Read(f.input, "")
		if err != nil {
			continue
		}
		all := map[string]func([]byte) []byte{}
		for n, e := range edits {
			all[n] = e
		}
		if !json.Valid(f.input) && !strings.HasPrefix(f.name, "jsonl-") {
			for n, e := range lineEdits {
				all[n] = e
			}
		}
		for name, edit := range all {
			got, err := transcript.Read(edit(bytes.Clone(f.input)), "")
			if err != nil {
				t.Errorf("%s, %s: %v", f.name, name, err)
				continue
			}
			if d := cmp.Diff(roles(want), roles(got)); d != "" {
				t.Errorf("%s, %s: %s", f.name, name, d)
			}
		}
	}
}

func roles(t *transcript.Transcript) []string {
	var rs []string
	for _, m := range t.Messages {
		r := string(m.Role)
		for _, p := range m.Parts {
			r += " " + string(p.Kind) + p.CallID
		}
		rs = append(rs, r)
	}
	return rs
}

// A file cut short anywhere keeps every whole line before the cut, and names
// the half one.
//
// SPEC: B1, V1
func TestCutAnywhere(t *testing.T) {
	for _, f := range fixtures(t) {
		whole, err := transcript.Read(f.input, "")
		if err != nil || bytes.Count(f.input, []byte{'\n'}) < 2 {
			continue
		}
		for n := range f.input {
			cut := f.input[:n]
			got, err := transcript.Read(cut, whole.Format)
			if err != nil {
				continue
			}
			accounted(t, cut, got)
		}
	}
}

// accounted checks that every non-blank line is the source of a message or is
// skipped, and none is both.
func accounted(t testing.TB, data []byte, tr *transcript.Transcript) {
	t.Helper()
	if len(tr.Sources) != len(tr.Messages) {
		t.Fatalf("%d sources of %d messages", len(tr.Sources), len(tr.Messages))
	}
	if tr.Request != nil {
		return // a body has no lines of its own
	}
	used, skipped := map[int]bool{}, map[int]bool{}
	for i, s := range tr.Sources {
		used[s.Line] = true
		m := tr.Messages[i]
		replaced := tr.Format == transcript.Codex && m.Dialect != transcript.Codex
		if !replaced && !bytes.Equal(m.Raw, data[s.Offset:s.Offset+len(m.Raw)]) {
			t.Errorf("message %d: Raw is not what stands at its offset", i)
		}
	}
	array := json.Valid(data) && slices.Contains([]string{transcript.JSONL, transcript.OpenCode, transcript.GeminiCLI}, tr.Format)
	for _, s := range tr.Skipped {
		if !array && (used[s.Line] || skipped[s.Line]) {
			t.Errorf("line %d is accounted for twice", s.Line)
		}
		skipped[s.Line] = true
		if s.Why == "" {
			t.Errorf("line %d is skipped without a reason", s.Line)
		}
	}
	if array {
		return
	}
	for i, l := range bytes.Split(data, []byte{'\n'}) {
		if len(bytes.TrimSpace(l)) > 0 && !used[i+1] && !skipped[i+1] {
			t.Errorf("line %d is lost", i+1)
		}
	}
}

// SPEC: V1
func TestEveryLineIsAccountedFor(t *testing.T) {
	for _, f := range fixtures(t) {
		tr, err := transcript.Read(f.input, "")
		if err != nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) { accounted(t, f.input, tr) })
	}
}

// SPEC: V1
func TestLineOfTenMegabytes(t *testing.T) {
	big := strings.Repeat("x", 10<<20)
	line := `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"` + big + `"}}`
	tr, err := transcript.Read([]byte(line+"\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	if m := tr.Messages[0]; string(m.Raw) != line || m.Parts[0].Text != big {
		t.Error("the message is not what was written")
	}
}

// Deep nesting in one line costs that line.
//
// SPEC: V1
func TestDeepLine(t *testing.T) {
	deep := `{"type":"user","uuid":"u2","parentUuid":"u1","sessionId":"s","message":` +
		strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20001)
	data := `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"hi"}}` + "\n" + deep + "\n"
	tr, err := transcript.Read([]byte(data), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Messages) != 1 || len(tr.Skipped) != 1 || tr.Skipped[0].Why != transcript.Malformed {
		t.Errorf("got %d messages, skipped %+v", len(tr.Messages), tr.Skipped)
	}
}

// The reasons that are losses are told from those that are choices.
//
// SPEC: V1
func TestLoss(t *testing.T) {
	loss := []transcript.Why{transcript.Malformed, transcript.HalfWritten, transcript.UnknownType, transcript.Empty}
	choice := []transcript.Why{
		transcript.Bookkeeping, transcript.Hidden, transcript.Synthetic, transcript.SubAgent,
		transcript.OtherBranch, transcript.Duplicate, transcript.Compaction,
	}
	for _, w := range loss {
		if !w.Loss() {
			t.Errorf("%s is a loss", w)
		}
	}
	for _, w := range choice {
		if w.Loss() {
			t.Errorf("%s is a choice", w)
		}
	}
}
