package precis_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The house plan as a test: which room may import which, what a pure room may
// not touch, and how long a file and a function may be. It is a statement of
// policy; a new room or arrow is argued here first.

const module = "github.com/seed-3db51b0e/precis"

// room is a package, or by a trailing * every package of a folder. It imports
// lower floors only, and its parent's package on its own; so siblings never
// meet. A floor is the house plan's times ten, with steps in between for a room
// below its siblings.
type room struct {
	floor int
	// pure rooms take time, chance, files, network and the like as arguments.
	pure bool
	// except are impure packages that a pure room may import all the same.
	except []string
	// concrete rooms are known to wiring rooms only, and to those that name them.
	concrete bool
	wires    bool
	knows    []string
	// shut are lower rooms it may not import; * is every room.
	shut []string
	// libs are the third-party modules it may import; * is any.
	libs []string
}

const jsontext = "github.com/go-json-experiment/json"

var rooms = map[string]room{
	"message":    {floor: 10, pure: true, libs: []string{jsontext}},
	"identifier": {floor: 10, pure: true},
	"ref":        {floor: 10, pure: true}, "plugins": {floor: 10}, // the grammar of references: each room that writes or reads one; what agents load, embedded
	"model":    {floor: 10},
	"overflow": {floor: 10, pure: true}, // which errors say that a prompt is too long
	"upstream": {floor: 10, libs: []string{"github.com/cenkalti/backoff/v5", "github.com/sony/gobreaker/v2"}},
	// One user each, or too small for a name of their own.
	"internal/*":       {floor: 10, libs: []string{jsontext}},
	"internal/lru":     {floor: 10, pure: true, except: []string{"sync"}}, // the one bounded cache: each room that remembers anything
	"internal/keylock": {floor: 10, pure: true, except: []string{"sync"}}, // one at a time per key: the engine and summaries
	// text for people; whoever shows something may use it
	"internal/term": {floor: 10, libs: []string{"charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi", "github.com/dustin/go-humanize"}}, "internal/update": {floor: 10, libs: []string{"golang.org/x/mod"}}, // update: versions

	"thread":    {floor: 20, pure: true, except: []string{"sync/atomic"}}, // views of one line share their arrays
	"token":     {floor: 20, pure: true},
	"token/bpe": {floor: 25, pure: true, except: []string{"sync"}, libs: []string{"github.com/tiktoken-go/tokenizer"}},                                                                      // sync: workers are pooled, large texts counted in parts
	"tool":      {floor: 20, pure: true, libs: []string{jsontext}}, "tool/program": {floor: 15, pure: true}, "tool/shell": {floor: 12, pure: true}, "tool/testrun": {floor: 17, pure: true}, // a shell's grammar; what programs do, what test runners say; then calls and results
	"codec":     {floor: 20, pure: true},
	"wirecheck": {floor: 20, shut: []string{"*"}},

	"plan":                    {floor: 30, pure: true, shut: []string{"token"}},
	"rehydrate":               {floor: 40, pure: true}, // reads plans and artifacts' metadata
	"internal/timeline":       {floor: 40, pure: true}, // the inside of one strategy: blocks, cut points, digest
	"event":                   {floor: 40},
	"filestate":               {floor: 30}, // the state of files now
	"artifact/seal":           {floor: 35, libs: []string{"github.com/tink-crypto/tink-go/v2"}},
	"cachecost":               {floor: 30, pure: true},
	"policy":                  {floor: 30, pure: true},                                                  // data alone: strategy builds the rungs
	"policy/policyfile":       {floor: 48, libs: []string{jsontext, "github.com/pelletier/go-toml/v2"}}, // policies, and what goes with them, in files
	"replay/judge":            {floor: 20, pure: true},                                                  // measures texts alone, and shares no code with what it judges
	"artifact":                {floor: 30},
	"codec/internal/jsonedit": {floor: 15, pure: true, libs: []string{jsontext}},
	"codec/internal/convert":  {floor: 25, pure: true, libs: []string{jsontext}},
	"codec/anthropic":         {floor: 30, pure: true, concrete: true, libs: []string{jsontext}},
	"codec/openai":            {floor: 30, pure: true, concrete: true, libs: []string{jsontext}},
	"codec/responses":         {floor: 30, pure: true, concrete: true, libs: []string{jsontext}},
	"codec/gemini":            {floor: 30, pure: true, concrete: true, libs: []string{jsontext}},
	"codec/codectest":         {floor: 30, concrete: true, libs: []string{jsontext, "github.com/google/go-cmp", "pgregory.net/rapid"}},

	"render":                 {floor: 40, pure: true, shut: []string{"token", "codec"}},
	"store":                  {floor: 40, shut: []string{"codec"}},
	"summary":                {floor: 40, pure: true, libs: []string{jsontext}},
	"summary/contradict":     {floor: 35, pure: true},                                           // below the summary, which merges by it
	"summary/internal/reach": {floor: 35, pure: true}, "summary/internal/testspan": {floor: 35}, // the summary and the extractor read spans by reach; testspan makes them for tests
	"summary/wording": {floor: 42, pure: true}, // above the state it words, below the summarizers and the presets
	"summary/extract": {floor: 45, libs: []string{jsontext}},
	"summary/llm":     {floor: 45}, "summary/cached": {floor: 45}, // cached: around any summarizer
	"transcript":            {floor: 40, libs: []string{jsontext}, knows: []string{"codec/anthropic", "codec/gemini", "codec/openai", "codec/responses"}},
	"internal/exchange":     {floor: 30},             // what an answer says: proxy and transport
	"internal/limits":       {floor: 30},             // what a refusal teaches: the loop, proxy and transport
	"internal/jsonobject":   {floor: 10, pure: true}, // objects whose other members keep their bytes: rooms of the proxy
	"internal/request":      {floor: 72},             // a request's prompts, and those that follow a refusal: proxy and transport
	"internal/testpostgres": {floor: 10},             // a real server, for tests
	// threads of messages and stores with plans, for tests; generated sessions, for the example and for tests
	"internal/testthread": {floor: 25}, "internal/testplans": {floor: 45}, "internal/testsessions": {floor: 40, knows: []string{"codec/anthropic", "codec/openai"}, libs: []string{"github.com/rogpeppe/go-internal"}},

	"strategy":                {floor: 50, pure: true, shut: []string{"store", "codec"}, libs: []string{jsontext}},
	"recall":                  {floor: 50},
	"store/internal/encoding": {floor: 45},
	"store/internal/sealing":  {floor: 45, libs: []string{"github.com/tink-crypto/tink-go/v2"}}, // ids, hashes and names that tell nothing: the stores that a key seals
	"store/internal/compress": {floor: 45, libs: []string{"github.com/klauspost/compress"}},     // content under its hash: the stores that write somewhere
	"store/memory":            {floor: 50, concrete: true},
	"store/sealed":            {floor: 50}, // a store over any store: above the contract, and not in artifact/seal, which is below it
	"store/overlay":           {floor: 50}, // as sealed is
	"store/writebehind":       {floor: 50}, // as sealed is
	"store/staged":            {floor: 50}, // as sealed is
	"store/sqlite":            {floor: 50, concrete: true, libs: []string{"modernc.org/sqlite", "github.com/klauspost/compress"}},
	"store/blob":              {floor: 45, libs: []string{"github.com/minio/minio-go/v7"}}, // large content outside the database
	"store/postgres": {floor: 50, concrete: true, libs: []string{
		"github.com/jackc/pgx/v5", "github.com/pressly/goose/v3", "golang.org/x/sync",
	}},
	"store/transfer":  {floor: 48}, // copies threads between any two stores: below the suite that stores pass
	"store/storetest": {floor: 52, concrete: true, libs: []string{"github.com/google/go-cmp", "golang.org/x/sync", "pgregory.net/rapid"}},

	// The engine's inside: forms of a message, what is remembered of a thread, the
	// log, and what decides. History and planner do not know each other.
	"internal/engine/variant": {floor: 50, pure: true, except: []string{"sync"}}, // sync: a set that requests share
	"internal/engine/lineage": {floor: 62}, "internal/engine/session": {floor: 62},
	"internal/engine/history": {floor: 65},
	"internal/engine/planner": {floor: 65},
	".":                       {floor: 70, libs: []string{"golang.org/x/sync"}},

	"report": {floor: 75, libs: []string{"github.com/charmbracelet/x/ansi"}}, "handover": {floor: 75}, // what a turn did; what an agent goes on with: above the engine, below all that shows them

	"proxy/decodecache":  {floor: 75}, // messages that requests repeat are decoded once
	"proxy/intake":       {floor: 75}, // bodies of requests: the time they take, the memory of all of them
	"proxy/merge":        {floor: 75}, // answers in which the model looked things up
	"proxy/native":       {floor: 75}, // the providers' own compaction on the wire
	"proxy/upstreamview": {floor: 75}, // what the provider saw and the client did not

	"hook": {floor: 80}, "install": {floor: 80, libs: []string{"github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2"}}, // shell and HTTP hooks; entries of ours in agents' files: JSON with comments, TOML
	"proxy":     {floor: 80, libs: []string{"golang.org/x/sync", "github.com/prometheus/client_golang", "go.opentelemetry.io/otel"}},
	"transport": {floor: 80}, "adapt": {floor: 80}, // adapt: what the adapters of agent frameworks share
	"mcp":      {floor: 80, libs: []string{"github.com/modelcontextprotocol/go-sdk"}},
	"replay":   {floor: 80, libs: []string{"golang.org/x/sync"}},
	"discover": {floor: 80, libs: []string{"modernc.org/sqlite"}}, // reads the database of another program

	"inspect":         {floor: 85, knows: []string{"store/memory"}}, // the page and its API; experiments run in memory
	"proxy/config":    {floor: 85, libs: []string{"github.com/pelletier/go-toml/v2"}},
	"replay/report":   {floor: 85, libs: []string{"github.com/charmbracelet/x/ansi"}}, // text, page and charts of a comparison
	"discover/audit":  {floor: 85, libs: []string{"golang.org/x/sync"}},               // sessions found, and policies tried on them
	"internal/doctor": {floor: 85, knows: []string{"store/sqlite"}},
	"cmd/precis":      {floor: 90, wires: true, libs: []string{"*"}},
	"examples/*":      {floor: 90, wires: true, libs: []string{"*"}},
	"internal/corpus": {floor: 90, wires: true, libs: []string{"golang.org/x/sync", "github.com/charmbracelet/x/term"}}, // a command: the engine over recorded runs
}

// testLibs may be imported by any test, besides what its room may.
var testLibs = []string{
	"pgregory.net/rapid", "github.com/google/go-cmp", "github.com/rogpeppe/go-internal",
	"go.uber.org/goleak", "go.opentelemetry.io/otel/sdk", "golang.org/x/tools/txtar", "golang.org/x/sync", "github.com/anishathalye/porcupine", "github.com/jackc/pgx/v5",
}

// impure are the packages, and those below them, that a pure room may not
// import; clock are the functions of package time it may not use.
var (
	impure = []string{"net", "os", "sync", "log", "math/rand", "crypto/rand", "database/sql", "io/fs", "io/ioutil", "path/filepath", "runtime", "syscall", "unsafe"}
	clock  = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
)

// vague are package names that say nothing.
var vague = []string{"util", "utils", "common", "manager", "helper", "helpers", "base", "misc", "shared"}

const (
	maxFile     = 500 // lines
	maxFunction = 60  // lines
)

// source is one Go file of the module: its path from the root, slashes.
type source struct{ path, text string }

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// roomOf finds a package's room: by its name, else by its folder's.
func roomOf(dir string) (room, bool) {
	if r, ok := rooms[dir]; ok {
		return r, true
	}
	r, ok := rooms[path.Dir(dir)+"/*"]
	return r, ok
}

// architecture returns what breaks the house plan, a line each.
func architecture(files []source) []string {
	var faults []string
	for _, f := range files {
		fault := func(format string, args ...any) {
			faults = append(faults, f.path+": "+fmt.Sprintf(format, args...))
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, f.path, f.text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			fault("%v", err)
			continue
		}
		if ignored(tree) {
			continue
		}
		dir := path.Dir(f.path)
		r, ok := roomOf(dir)
		if !ok {
			fault("package %s is not in the room map", dir)
			continue
		}
		names(f, tree, fault)
		arrows(f, dir, r, tree, fault)
		if r.pure && !f.test() {
			purity(r, tree, fault)
		}
		if !ast.IsGenerated(tree) {
			sizes(f, fset, tree, fault)
		}
	}
	return faults
}

// ignored says that no build includes the file: it is a script.
func ignored(tree *ast.File) bool {
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if c.Pos() < tree.Package && strings.TrimSpace(c.Text) == "//go:build ignore" {
				return true
			}
		}
	}
	return false
}

type reporter func(format string, args ...any)

func names(f source, tree *ast.File, fault reporter) {
	words := strings.Split(path.Dir(f.path), "/")
	words = append(words, strings.TrimSuffix(tree.Name.Name, "_test"))
	for _, w := range words {
		if slices.Contains(vague, w) {
			fault("package name %q says nothing", w)
			return
		}
	}
}

// arrows judges a file's imports.
func arrows(f source, dir string, r room, tree *ast.File, fault reporter) {
	for _, spec := range tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			fault("import %s: %v", spec.Path.Value, err)
			continue
		}
		first, _, _ := strings.Cut(imported, "/")
		switch {
		case within(imported, module):
			to := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
			if to == "" {
				to = "."
			}
			if why := forbidden(dir, r, to, f.test()); why != "" {
				fault("%s may not import %s: %s", dir, to, why)
			}
		case strings.Contains(first, "."):
			if !allowed(imported, r.libs) && !(f.test() && allowed(imported, testLibs)) {
				fault("%s may not import %s: not among its third-party modules", dir, imported)
			}
		}
	}
}

// forbidden says why one room may not import another, "" if it may. A test may
// import every room but the ones that only wire.
func forbidden(from string, r room, to string, test bool) string {
	target, ok := roomOf(to)
	switch {
	case !ok:
		return "it is not in the room map"
	case from == to:
		return ""
	case test && target.wires:
		return "it only wires"
	case test:
		return ""
	case slices.Contains(r.shut, "*") || slices.Contains(r.shut, to):
		return "a wall of the house plan"
	case target.concrete && !r.wires && !slices.Contains(r.knows, to):
		return "only wiring knows concrete stores and codecs"
	case r.floor > target.floor, r.floor == target.floor && strings.HasPrefix(from, to+"/"):
		return ""
	case r.floor == target.floor:
		return fmt.Sprintf("siblings of floor %d never meet", r.floor)
	}
	return fmt.Sprintf("floor %d is below floor %d", r.floor, target.floor)
}

func within(imported, prefix string) bool {
	return imported == prefix || strings.HasPrefix(imported, prefix+"/")
}

func allowed(imported string, libs []string) bool {
	return slices.ContainsFunc(libs, func(lib string) bool { return lib == "*" || within(imported, lib) })
}

// purity judges what a pure room imports and whether it reads the clock.
func purity(r room, tree *ast.File, fault reporter) {
	clockName := ""
	for _, spec := range tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // arrows says so
		}
		if allowed(imported, impure) && !slices.Contains(r.except, imported) {
			fault("a pure room may not import %s", imported)
		}
		switch {
		case spec.Name != nil && spec.Name.Name == ".":
			fault("a pure room may not import %s into its own names", imported)
		case imported == "time" && spec.Name != nil:
			clockName = spec.Name.Name
		case imported == "time":
			clockName = "time"
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(clock, sel.Sel.Name) {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && clockName != "" && x.Name == clockName {
			fault("a pure room may not use time.%s", sel.Sel.Name)
		}
		return true
	})
}

func sizes(f source, fset *token.FileSet, tree *ast.File, fault reporter) {
	if n := strings.Count(f.text, "\n"); n > maxFile {
		fault("%d lines, at most %d", n, maxFile)
	}
	if f.test() {
		return // a table is as long as its cases
	}
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil || flat(fn.Body) {
			continue
		}
		if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; n > maxFunction {
			fault("%s has %d lines, at most %d unless it is a flat switch or table", fn.Name.Name, n, maxFunction)
		}
	}
}

// flat says whether a body is one switch, or returns one composite literal.
func flat(body *ast.BlockStmt) bool {
	list := body.List
	if len(list) == 2 {
		if _, ok := list[1].(*ast.ReturnStmt); ok {
			list = list[:1] // what a switch falls through to
		}
	}
	if len(list) != 1 {
		return false
	}
	switch s := list[0].(type) {
	case *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return true
	case *ast.ReturnStmt:
		if len(s.Results) != 1 {
			return false
		}
		_, ok := s.Results[0].(*ast.CompositeLit)
		return ok
	}
	return false
}

// moduleFiles are the Go files of the module; other modules below it are not.
func moduleFiles(t *testing.T) []source {
	t.Helper()
	var files []source
	root := os.DirFS(".")
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := fs.Stat(root, path.Join(p, "go.mod")); err == nil && p != "." {
				return fs.SkipDir
			}
			if name := d.Name(); p != "." && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(p, ".go") {
			text, err := fs.ReadFile(root, p)
			if err != nil {
				return err
			}
			files = append(files, source{p, string(text)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestArchitecture(t *testing.T) {
	files := moduleFiles(t)
	if len(files) < 20 {
		t.Fatalf("only %d files found", len(files))
	}
	for _, fault := range architecture(files) {
		t.Error(fault)
	}
}

// TestArchitectureBites: the checker finds each kind of fault.
func TestArchitectureBites(t *testing.T) {
	imports := func(pkg string, paths ...string) string {
		text := "package " + pkg + "\n"
		for _, p := range paths {
			text += "import " + strconv.Quote(p) + "\n"
		}
		return text
	}
	long := func(body string) string {
		return "package plan\nfunc f(x int) []int {\n" + body + "\n}\n"
	}
	cases := strings.Repeat("case 1:\n", 70)
	for name, tt := range map[string]struct{ path, text, want string }{
		"lower floor":           {"render/a.go", imports("render", module+"/plan", module+"/message"), ""},
		"upper floor":           {"plan/a.go", imports("plan", module+"/render"), "plan may not import render: floor 30 is below floor 40"},
		"the engine":            {"store/a.go", imports("store", module), "store may not import .: floor 40 is below"},
		"siblings":              {"codec/openai/a.go", imports("openai", module+"/codec/anthropic"), "only wiring"},
		"siblings on a floor":   {"thread/a.go", imports("thread", module+"/token"), "siblings of floor 20 never meet"},
		"a child's parent":      {"summary/llm/a.go", imports("llm", module+"/summary"), ""},
		"a wall":                {"strategy/a.go", imports("strategy", module+"/store"), "strategy may not import store: a wall"},
		"the independent one":   {"wirecheck/a.go", imports("wirecheck", module+"/message"), "wirecheck may not import message: a wall"},
		"a concrete store":      {"replay/a.go", imports("replay", module+"/store/sqlite"), "only wiring knows"},
		"wiring":                {"cmd/precis/a.go", imports("main", module+"/store/sqlite", "example.org/any"), ""},
		"importers know codecs": {"transcript/a.go", imports("transcript", module+"/codec/openai"), ""},
		"unknown room imported": {"render/a.go", imports("render", module+"/cellar"), "not in the room map"},
		"unknown room":          {"cellar/a.go", imports("cellar"), "package cellar is not in the room map"},
		"a room of a folder":    {"internal/sse/a.go", imports("sse"), ""},
		"third party":           {"thread/a.go", imports("thread", "example.org/x"), "not among its third-party modules"},
		"third party, named":    {"message/a.go", imports("message", jsontext+"/jsontext"), ""},
		"test library":          {"thread/a.go", imports("thread", "pgregory.net/rapid"), "not among"},
		"test library in test":  {"thread/a_test.go", imports("thread", "pgregory.net/rapid", module+"/render"), ""},
		"a test of wiring":      {"thread/a_test.go", imports("thread", module+"/cmd/precis"), "it only wires"},
		"files":                 {"plan/a.go", imports("plan", "os"), "a pure room may not import os"},
		"network below":         {"plan/a.go", imports("plan", "net/http"), "a pure room may not import net/http"},
		"chance":                {"strategy/a.go", imports("strategy", "math/rand/v2"), "math/rand/v2"},
		"locks, excepted":       {"token/bpe/a.go", imports("bpe", "sync"), ""},
		"locks below, not":      {"token/bpe/a.go", imports("bpe", "sync/atomic"), "sync/atomic"},
		"files in a test":       {"plan/a_test.go", imports("plan", "os"), ""},
		"files elsewhere":       {"store/sqlite/a.go", imports("sqlite", "os"), ""},
		"dot import":            {"plan/a.go", "package plan\nimport . \"time\"\n", "into its own names"},
		"the clock":             {"plan/a.go", "package plan\nimport \"time\"\nvar t = time.Now()\n", "time.Now"},
		"the clock, renamed":    {"plan/a.go", "package plan\nimport c \"time\"\nvar t = c.Since\n", "time.Since"},
		"a time, no clock":      {"plan/a.go", "package plan\nimport \"time\"\nvar t time.Time\nvar after = t.After\n", ""},
		"a script":              {"plan/a.go", "//go:build ignore\n\n" + imports("main", "os"), ""},
		"vague package":         {"internal/b/a.go", imports("util"), `"util" says nothing`},
		"vague folder":          {"internal/helpers/a.go", imports("b"), `"helpers" says nothing`},
		"long file":             {"plan/a.go", "package plan\n" + strings.Repeat("\n", 500), "501 lines"},
		"long file, generated":  {"plan/a.go", "// Code generated by x. DO NOT EDIT.\n\npackage plan\n" + strings.Repeat("\n", 500), ""},
		"long function":         {"plan/a.go", long(strings.Repeat("x++\n", 60)), "f has 63 lines"},
		"long function in test": {"plan/a_test.go", long(strings.Repeat("x++\n", 60)), ""},
		"long switch":           {"plan/a.go", long("switch x {\n" + cases + "}\nreturn nil"), ""},
		"long switch and more":  {"plan/a.go", long("x++\nswitch x {\n" + cases + "}\nreturn nil"), "f has"},
		"long table":            {"plan/a.go", long("return []int{\n" + strings.Repeat("1,\n", 70) + "}"), ""},
		"not Go":                {"plan/a.go", "package", "expected"},
	} {
		t.Run(name, func(t *testing.T) {
			faults := architecture([]source{{tt.path, tt.text}})
			switch {
			case tt.want == "" && len(faults) > 0:
				t.Errorf("faults %q, want none", faults)
			case tt.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], tt.want)):
				t.Errorf("faults %q, want one with %q", faults, tt.want)
			}
		})
	}
}

// TestRoomsStand: every wall and known codec of the map names a room of it.
func TestRoomsStand(t *testing.T) {
	for name, r := range rooms {
		for _, other := range slices.Concat(r.shut, r.knows) {
			if _, ok := rooms[other]; !ok && other != "*" {
				t.Errorf("%s names %s, which is no room", name, other)
			}
		}
	}
}
