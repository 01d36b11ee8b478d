package precis_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A mark is a comment "SPEC: V4, L16 · WA5" of a test, and what follows it in
// words.
var (
	mark   = regexp.MustCompile(`SPEC: ((?:[A-Z]{1,2}\d{1,2}(?:, | · | to |; )?)+)`)
	ruleID = regexp.MustCompile(`\b[A-Z]{1,2}\d{1,2}\b`)
	wireID = regexp.MustCompile(`\bW[A-Z]\d{1,2}\b`)
	row    = regexp.MustCompile(`^\| ([A-Z]{1,2}\d{1,2}) \| (.*) \| (.*?) ?\|$`)
)

const notBuilt = "not built yet"

// proof is a test, or a file of test data, with the ids that it names.
type proof struct {
	name string
	ids  []string
}

// proofs returns the marks of all tests of the repository.
func proofs(t *testing.T) []proof {
	t.Helper()
	var all []proof
	for _, f := range repositoryFiles(t) {
		switch {
		case strings.HasSuffix(f.path, ".go"):
			all = append(all, goProofs(t, f)...)
		case strings.Contains(f.path, "/testdata/"):
			name := strings.TrimSuffix(strings.Replace(f.path, "testdata/", "", 1), path.Ext(f.path))
			for _, m := range mark.FindAllStringSubmatch(f.text, -1) {
				all = append(all, proof{name, ruleID.FindAllString(m[1], -1)})
			}
		}
	}
	return all
}

// goProofs returns the marks of a Go file, each under the function that it
// stands at or in.
func goProofs(t *testing.T, f source) []proof {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.path, f.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg := strings.TrimSuffix(tree.Name.Name, "_test")
	if dir := path.Dir(f.path); dir != "." {
		pkg = dir
	}
	var all []proof
	for _, group := range tree.Comments {
		for _, m := range mark.FindAllStringSubmatch(group.Text(), -1) {
			name := pkg
			for _, decl := range tree.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if ok && (fn.Doc == group || fn.Pos() <= group.Pos() && group.End() <= fn.End()) {
					name = pkg + "." + fn.Name.Name
				}
			}
			all = append(all, proof{name, ruleID.FindAllString(m[1], -1)})
		}
	}
	return all
}

// proving returns up to three tests that name a row and as little else as
// possible.
func proving(all []proof, id string) string {
	var of []proof
	for _, p := range all {
		if slices.Contains(p.ids, id) {
			of = append(of, p)
		}
	}
	data := func(p proof) int {
		if strings.Contains(p.name, ".") {
			return 0
		}
		return 1
	}
	slices.SortFunc(of, func(a, b proof) int {
		return cmp.Or(data(a)-data(b), len(a.ids)-len(b.ids), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, p := range of {
		if name := "`" + p.name + "`"; !slices.Contains(names, name) && len(names) < 3 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// rulesOf reads the rows of a page: what stands in the last column, by id.
func rulesOf(t *testing.T, page string) map[string]string {
	t.Helper()
	rows := map[string]string{}
	for line := range strings.Lines(read(t, page)) {
		if m := row.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			if _, twice := rows[m[1]]; twice {
				t.Errorf("%s has %s twice", page, m[1])
			}
			rows[m[1]] = m[3]
		}
	}
	return rows
}

// rewriteColumn writes the last column of a page anew.
func rewriteColumn(t *testing.T, page string, of func(id, have string) string) {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(read(t, page)) {
		if m := row.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			line = "| " + m[1] + " | " + m[2] + " | " + of(m[1], m[3]) + " |\n"
		}
		b.WriteString(line)
	}
	if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkColumn: every row of a page names tests, and each of them names the row.
func checkColumn(t *testing.T, page string, all []proof, also func(id string) []string, without ...string) {
	t.Helper()
	if *rewrite {
		rewriteColumn(t, page, func(id, have string) string {
			if slices.Contains(without, have) && proving(all, id) == "" {
				return have
			}
			return strings.TrimSpace(strings.Join(append(also(id), proving(all, id)), " "))
		})
	}
	for id, have := range rulesOf(t, page) {
		names := strings.Fields(have)
		switch {
		case slices.Contains(without, have):
			if proving(all, id) != "" {
				t.Errorf("%s says of %s %q, and there are tests: write the page anew with -rewrite", page, id, have)
			}
			continue
		case len(names) == 0:
			t.Errorf("%s: no test proves %s", page, id)
		}
		for _, name := range names {
			named := func(p proof) bool { return "`"+p.name+"`" == name && slices.Contains(p.ids, id) }
			if !slices.ContainsFunc(all, named) && !slices.Contains(also(id), name) {
				t.Errorf("%s: %s does not name %s: write the page anew with -rewrite", page, name, id)
			}
		}
	}
}

func TestSpecPage(t *testing.T) {
	checkColumn(t, "docs/spec.md", proofs(t), func(string) []string { return nil }, notBuilt)
}

func TestWireRulesPage(t *testing.T) {
	judge := ""
	for _, f := range repositoryFiles(t) {
		if path.Dir(f.path) == "wirecheck" && !strings.HasSuffix(f.path, "_test.go") {
			judge += f.text
		}
	}
	checkColumn(t, "docs/wire-rules.md", proofs(t), func(id string) []string {
		if slices.Contains(wireID.FindAllString(judge, -1), id) {
			return []string{"`wirecheck`"}
		}
		return nil
	})
}

// outside are words for documents that are not in the repository.
var outside = regexp.MustCompile(`\bDESIGN\b|\bseeds?/|\bfacts/|\bSPEC [A-Z]|\bSeed:|SPEC\.md`)

// Comments and pages cite only rows and pages of the repository.
func TestCitedRulesStand(t *testing.T) {
	known := map[string]bool{}
	for _, page := range []string{"docs/spec.md", "docs/wire-rules.md", "docs/failures.md"} {
		for id := range rulesOf(t, page) {
			known[id] = true
		}
	}
	for _, p := range proofs(t) {
		for _, id := range p.ids {
			if !known[id] {
				t.Errorf("%s names %s, which no page has", p.name, id)
			}
		}
	}
	for _, f := range repositoryFiles(t) {
		if f.path == "specpage_test.go" {
			continue
		}
		text := f.text
		if strings.HasSuffix(f.path, ".go") {
			text = comments(t, f)
		} else if path.Ext(f.path) != ".md" {
			continue
		}
		for _, id := range wireID.FindAllString(text, -1) {
			if !known[id] {
				t.Errorf("%s cites %s, which docs/wire-rules.md does not have", f.path, id)
			}
		}
		for _, cited := range regexp.MustCompile(`docs/[a-z-]+\.md`).FindAllString(text, -1) {
			if _, err := os.Stat(cited); err != nil {
				t.Errorf("%s cites a page that is not there: %v", f.path, err)
			}
		}
		if cited := outside.FindAllString(text, -1); cited != nil {
			t.Errorf("%s cites what is not in the repository: %q", f.path, cited)
		}
	}
}

// comments returns the text of a Go file's comments.
func comments(t *testing.T, f source) string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, group := range tree.Comments {
		b.WriteString(group.Text())
	}
	return b.String()
}

// repositoryFiles are the files of all modules of the repository that a person
// wrote: Go, pages and test data in words.
func repositoryFiles(t *testing.T) []source {
	t.Helper()
	var files []source
	root := os.DirFS(".")
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".md", ".txt", ".txtar"}, path.Ext(p)):
			return nil
		}
		text, err := fs.ReadFile(root, p)
		files = append(files, source{p, string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
