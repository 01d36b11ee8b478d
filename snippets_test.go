package precis_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/policy/policyfile"
	"github.com/seed-3db51b0e/precis/report"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token/bpe"
	"github.com/seed-3db51b0e/precis/transcript"
)

// Every piece of Go on the pages stands in an example, word for word; "// …"
// leaves something out.
func TestPagesQuoteExamples(t *testing.T) {
	code := ""
	for _, pattern := range []string{"example*_test.go", "*/example*_test.go", "*/*/example*_test.go", "examples/*/*.go", "conformance/examples/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			code += flush(read(t, f)) + "\n"
		}
	}
	quoted := 0
	pages, err := filepath.Glob("adapters/*/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "README.md", "docs/embedding.md", "docs/frameworks.md") {
		blocks := strings.Split(read(t, page), "\n```go\n")[1:]
		for _, b := range blocks {
			b, _, _ = strings.Cut(b, "\n```")
			for piece := range strings.SplitSeq(b, "\n// …\n") {
				if quoted++; !strings.Contains(code, flush(piece)) {
					t.Errorf("%s shows what is in no example:\n%s", page, piece)
				}
			}
		}
	}
	if quoted < 10 {
		t.Errorf("%d pieces found", quoted)
	}
}

// Every policy file that a page shows is one.
func TestPagesShowPolicyFiles(t *testing.T) {
	shown := 0
	for _, page := range []string{"docs/designs.md", "docs/detail.md"} {
		for _, block := range strings.Split(read(t, page), "\n```toml\n")[1:] {
			block, _, _ = strings.Cut(block, "\n```")
			if _, err := policyfile.Parse("mine.toml", []byte(block)); err != nil {
				t.Errorf("%s shows a policy file that is none: %v", page, err)
			}
			shown++
		}
	}
	if shown < 2 {
		t.Errorf("%d policy files found", shown)
	}
}

// flush is a text without the white space that lines begin with.
func flush(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t ")
	}
	return strings.Join(lines, "\n")
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The report in the README is that of `make demo`.
func TestReadmeReport(t *testing.T) {
	in, err := transcript.Read([]byte(read(t, "examples/session.jsonl")), "auto")
	if err != nil {
		t.Fatal(err)
	}
	m, _ := model.Lookup(in.Model)
	meter, err := bpe.Meter(m)
	if err != nil {
		t.Fatal(err)
	}
	turn, err := newEngine(t, memory.New(), policyOf(t, "balanced")).Prepare(t.Context(), precis.Input{
		Thread: "demo", Messages: in.Messages, Model: m, Meter: meter, System: in.System, Tools: in.Tools, Budget: 32_000,
		Mode: precis.Mode{CloseOpenCalls: true, FinalTurn: true}, Client: precis.Client{UserLeads: true}, // the command writes for the API of the session's model
	})
	if err != nil {
		t.Fatal(err)
	}
	_, fewer := turn.WithoutRecall("precis_read") // nothing says that the session's agent has the tool
	turn.Compacted -= fewer
	text := report.Of(turn).Text(report.Print{
		Title: []string{"session.jsonl", in.Format, in.Model}, Command: "bin/precis", Flags: " --db demo.db",
	})
	fields := func(line string) string { return strings.Join(strings.Fields(term.Plain(line)), " ") }
	printed := map[string]bool{"…": true}
	for line := range strings.SplitSeq(text, "\n") {
		printed[fields(line)] = true
	}
	_, shown, _ := strings.Cut(read(t, "README.md"), "make demo\n```\n")
	_, shown, _ = strings.Cut(shown, "```\n")
	shown, _, found := strings.Cut(shown, "\n```")
	if !found || !strings.Contains(shown, "How to get it back") {
		t.Fatalf("the README shows no report: %q", shown)
	}
	for line := range strings.SplitSeq(shown, "\n") {
		if !printed[fields(line)] {
			t.Errorf("the README shows %q: take it from make demo", line)
		}
	}
}

// The page on architecture names every room there is, in bold and on its floor,
// and none that is not.
func TestArchitecturePage(t *testing.T) {
	page := read(t, "docs/architecture.md")
	stands := map[string]bool{"precis": true, "examples": true, "log": true, "plan": true, "prompt": true}
	for _, f := range moduleFiles(t) {
		if dir := path.Dir(f.path); !f.test() && dir != "." && !strings.Contains(dir, "internal") && !strings.HasPrefix(dir, "examples") {
			stands[dir] = true
		}
	}
	for dir := range stands {
		if !strings.Contains(page, "**"+dir+"**") {
			t.Errorf("the page does not name %s", dir)
		}
	}
	for i, name := range strings.Split(page, "**") {
		if i%2 == 1 && !stands[name] {
			t.Errorf("the page names %s, which is no room", name)
		}
	}
	for _, floor := range strings.Split(page, "\n### Floor ")[1:] {
		for i, name := range strings.Split(floor, "**") {
			if r, ok := rooms[name]; i%2 == 1 && ok && fmt.Sprint(r.floor/10) != floor[:1] {
				t.Errorf("the page draws %s on floor %s, the map on %d", name, floor[:1], r.floor/10)
			}
		}
	}
}
