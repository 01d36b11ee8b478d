package precis_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The shape of packages from within: what the map of arch_test.go, which looks at
// imports, does not see.

const (
	maxFloors   = 9
	maxFields   = 12 // of a type whose methods stand in more than maxSpread files
	maxSpread   = 4
	maxExported = 30 // top-level names of the root
	maxFiles    = 12 // of the root, without tests
)

// backward is how many arrows between the files of a package may run against
// the best order of its files.
var backward = map[string]int{".": 3, "proxy": 3, "cmd/precis": 3}

// pkg is a package without its tests.
type pkg struct {
	dir   string
	files map[string]*ast.File // by name
}

// packages parses the module.
func packages(t *testing.T, files []source) []pkg {
	t.Helper()
	byDir := map[string]pkg{}
	for _, f := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if f.test() || ignored(tree) {
			continue
		}
		dir := path.Dir(f.path)
		if byDir[dir].files == nil {
			byDir[dir] = pkg{dir, map[string]*ast.File{}}
		}
		byDir[dir].files[path.Base(f.path)] = tree
	}
	return slices.SortedFunc(maps.Values(byDir), func(a, b pkg) int { return strings.Compare(a.dir, b.dir) })
}

// receiver is the name of the type that a method belongs to, "" of a function.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	e := fn.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// declares lists the package-level names of a file; of methods, with a dot, the
// unexported ones, which only this package can mean.
func declares(tree *ast.File) []string {
	var names []string
	for _, decl := range tree.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			switch {
			case d.Recv == nil && d.Name.Name != "init":
				names = append(names, d.Name.Name)
			case d.Recv != nil && !d.Name.IsExported():
				names = append(names, "."+d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "_" })
}

// arrowsOf returns which file uses names of which other.
func arrowsOf(p pkg) map[string][]string {
	home, twice := map[string]string{}, map[string]bool{}
	for name, tree := range p.files {
		for _, d := range declares(tree) {
			twice[d] = twice[d] || home[d] != "" && home[d] != name // built for several platforms, or a method of several types
			home[d] = name
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if st, ok := n.(*ast.StructType); ok {
				for _, f := range st.Fields.List {
					for _, field := range f.Names {
						twice["."+field.Name] = true // a field or a method: no telling without types
					}
				}
			}
			return true
		})
	}
	arrows := map[string][]string{}
	for name, tree := range p.files {
		add := func(used string) {
			if to := home[used]; to != "" && !twice[used] && to != name && !slices.Contains(arrows[name], to) {
				arrows[name] = append(arrows[name], to)
			}
		}
		for _, ident := range tree.Unresolved { // what is not declared in the file itself
			add(ident.Name)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				add("." + sel.Sel.Name)
			}
			return true
		})
		slices.Sort(arrows[name])
	}
	return arrows
}

// backArrows puts files in an order, users first, and returns the arrows that
// run against it: at first those with the most arrows out, then each file is
// moved to where the fewest run back, until none gains by moving.
func backArrows(arrows map[string][]string) [][2]string {
	names := map[string]bool{}
	for from, tos := range arrows {
		names[from] = true
		for _, to := range tos {
			names[to] = true
		}
	}
	order := slices.Sorted(maps.Keys(names))
	slices.SortStableFunc(order, func(a, b string) int { return len(arrows[b]) - len(arrows[a]) })
	back := func() (all [][2]string) {
		for i, from := range order {
			for _, to := range arrows[from] {
				if slices.Index(order, to) < i {
					all = append(all, [2]string{from, to})
				}
			}
		}
		return all
	}
	for best, moved := len(back()), true; moved; {
		moved = false
		for _, name := range slices.Clone(order) {
			i := slices.Index(order, name)
			rest := slices.Delete(slices.Clone(order), i, i+1)
			for j := range len(rest) + 1 {
				before := order
				order = slices.Insert(slices.Clone(rest), j, name)
				if n := len(back()); n < best {
					best, moved = n, true
				} else {
					order = before
				}
			}
		}
	}
	return back()
}

// Files of a package are a hierarchy, too.
func TestFilesHaveAnOrder(t *testing.T) {
	for _, p := range packages(t, moduleFiles(t)) {
		most, ok := backward[p.dir]
		if !ok {
			continue
		}
		if back := backArrows(arrowsOf(p)); len(back) > most {
			t.Errorf("%s: %d arrows between files run back up, at most %d: %v", p.dir, len(back), most, back)
		}
	}
}

// size is how large a type is.
type size struct{ fields, methods, files int }

// typeSizes are those of a package's types; what is no struct has no fields.
func typeSizes(p pkg) map[string]size {
	all := map[string]size{}
	for _, tree := range p.files {
		methods := map[string]int{}
		for _, decl := range tree.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if r := receiver(d); r != "" {
					methods[r]++
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok {
						s := all[ts.Name.Name]
						s.fields = fieldsOf(ts)
						all[ts.Name.Name] = s
					}
				}
			}
		}
		for name, n := range methods {
			s := all[name]
			s.methods, s.files = s.methods+n, s.files+1
			all[name] = s
		}
	}
	return all
}

// fieldsOf is how many fields a struct has.
func fieldsOf(ts *ast.TypeSpec) (n int) {
	if st, ok := ts.Type.(*ast.StructType); ok {
		for _, f := range st.Fields.List {
			n += max(1, len(f.Names))
		}
	}
	return n
}

// spread are the types that are too large for the files they lie in.
func spread(p pkg) []string {
	var found []string
	for name, s := range typeSizes(p) {
		if s.fields > maxFields && s.files > maxSpread {
			found = append(found, path.Join(p.dir, name))
		}
	}
	slices.Sort(found)
	return found
}

var sizeRow = regexp.MustCompile("\\| `([\\w/]+)\\.(\\w+)` \\| \\d.*\\|")

// The sizes that docs/architecture.md tells are counted; -rewrite puts them there.
func TestArchitectureSizes(t *testing.T) {
	of := map[string]size{}
	for _, p := range packages(t, moduleFiles(t)) {
		for name, s := range typeSizes(p) {
			of[strings.Replace(p.dir, ".", "precis", 1)+"."+name] = s
		}
	}
	const file = "docs/architecture.md"
	have, rows := read(t, file), 0
	want := sizeRow.ReplaceAllStringFunc(have, func(row string) string {
		rows++
		m := sizeRow.FindStringSubmatch(row)
		s, ok := of[m[1]+"."+m[2]]
		if !ok {
			t.Errorf("%s tells the size of %s.%s, which is not there", file, m[1], m[2])
		}
		return fmt.Sprintf("| `%s.%s` | %d | %d | %d |", m[1], m[2], s.fields, s.methods, s.files)
	})
	if rows == 0 {
		t.Fatalf("%s tells no size", file)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if have != want {
		t.Errorf("%s tells other sizes: write them anew with -rewrite\n%s", file, strings.Join(sizeRow.FindAllString(want, -1), "\n"))
	}
}

// TestShapeBites: the checks find what they look for.
func TestShapeBites(t *testing.T) {
	fields := "type T struct{ a, b, c, d, e, f, g, h, i, j, k, l, m int }\n"
	files := []source{
		{"p/a.go", "package p\n" + fields + "func (T) one() { b() }\n"},
		{"p/b.go", "package p\nfunc b() { c() }\nfunc (T) two() {}"},
		{"p/c.go", "package p\nfunc c(x T) { x.one(); a := 1; _ = a }\nfunc (T) three() {}"},
		{"p/d.go", "package p\nfunc a() {}\nfunc (T) four() {}"},
		{"p/e.go", "package p\nfunc (T) five() {}"},
	}
	p := packages(t, files)[0]
	if got := spread(p); !slices.Equal(got, []string{"p/T"}) {
		t.Errorf("large types %v", got)
	}
	arrows := arrowsOf(p)
	if got := arrows["c.go"]; !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("c.go uses %v: a local name is not that of d.go", got)
	}
	if got := backArrows(arrows); len(got) != 1 {
		t.Errorf("%v run back, want one: a circle of three", got)
	}
}

// A type of many fields has its methods in few files.
func TestTypesStandTogether(t *testing.T) {
	for _, p := range packages(t, moduleFiles(t)) {
		for _, name := range spread(p) {
			t.Errorf("%s has more than %d fields, and methods in more than %d files", name, maxFields, maxSpread)
		}
	}
}

// The root is a small face.
func TestRootIsSmall(t *testing.T) {
	for _, p := range packages(t, moduleFiles(t)) {
		if p.dir != "." {
			continue
		}
		var exported []string
		for _, tree := range p.files {
			for _, name := range declares(tree) {
				if ast.IsExported(name) {
					exported = append(exported, name)
				}
			}
		}
		slices.Sort(exported)
		if len(exported) > maxExported {
			t.Errorf("%d exported names, at most %d: %v", len(exported), maxExported, exported)
		}
		if len(p.files) > maxFiles {
			t.Errorf("%d files, at most %d", len(p.files), maxFiles)
		}
	}
}

// The map has no room without a package, and no more floors than can be drawn.
func TestRoomsHavePackages(t *testing.T) {
	floors := map[int]bool{}
	for name, r := range rooms {
		floors[r.floor/10] = true
		if found, err := filepath.Glob(filepath.FromSlash(name) + "/*.go"); err != nil || len(found) == 0 {
			if name != "internal/*" && name != "examples/*" {
				t.Errorf("the map names %s, which is no package", name)
			}
		}
	}
	if len(floors) > maxFloors {
		t.Errorf("%d floors, at most %d", len(floors), maxFloors)
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Links between pages lead to a page, and to a heading of it.
func TestPageLinks(t *testing.T) {
	for _, f := range repositoryFiles(t) {
		if path.Ext(f.path) != ".md" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(f.text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target, anchor, _ := strings.Cut(m[1], "#")
			file := f.path
			if target != "" {
				file = path.Join(path.Dir(f.path), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s: %v", f.path, m[1], err)
			} else if anchor != "" && !slices.Contains(anchors(read(t, file)), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", f.path, m[1])
			}
		}
	}
}

var quotedPath = regexp.MustCompile("`([\\w.-]+(?:/[\\w.-]+)*)`")

// What CONTRIBUTING.md tells to touch is there.
func TestContributingPage(t *testing.T) {
	for _, m := range quotedPath.FindAllStringSubmatch(read(t, "CONTRIBUTING.md"), -1) {
		first, _, nested := strings.Cut(m[1], "/")
		if _, err := os.Stat(first); (nested || err == nil) && !strings.Contains(m[1], "NAME") {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s: %v", m[1], err)
			}
		}
	}
}

// anchors are the names of a page's headings, as they stand in links.
func anchors(page string) []string {
	var all []string
	for line := range strings.Lines(page) {
		if title := strings.TrimLeft(line, "#"); len(title) < len(line) {
			name := strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-' || r == '_' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
					return r
				}
				return -1
			}, strings.ToLower(strings.TrimSpace(title)))
			all = append(all, name)
		}
	}
	return all
}

var quotedName = regexp.MustCompile("`(?:[A-Za-z]+\\.)*([A-Z][a-zA-Z0-9]*[a-z][a-zA-Z0-9]*)(?:\\(.*?\\))?`")

// Identifiers on pages are declared, or are fields, of some package.
func TestPagesNameWhatIs(t *testing.T) {
	known := map[string]bool{}
	for _, f := range repositoryFiles(t) {
		if !strings.HasSuffix(f.path, ".go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Ident: // what an adapter uses of its framework
				known[x.Name] = known[x.Name] || strings.HasPrefix(f.path, "adapters/")
			case *ast.FuncDecl:
				known[x.Name.Name] = true
			case *ast.TypeSpec:
				known[x.Name.Name] = true
			case *ast.ValueSpec:
				for _, name := range x.Names {
					known[name.Name] = true
				}
			case *ast.Field:
				for _, name := range x.Names {
					known[name.Name] = true
				}
			}
			return true
		})
	}
	for _, f := range repositoryFiles(t) {
		if path.Ext(f.path) != ".md" {
			continue
		}
		for _, m := range quotedName.FindAllStringSubmatch(f.text, -1) {
			if !known[m[1]] && !strings.HasPrefix(m[0], "`http.") {
				t.Errorf("%s names %s, which no package has", f.path, m[0])
			}
		}
	}
}
