package testsessions

import (
	_ "embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed project.txtar
var project []byte

// world is the project as the agent's tools see it.
type world struct {
	files map[string]string
	names *strings.Replacer
	val   map[string]string // what stands between @ signs
}

func newWorld(rng *rand.Rand) *world {
	n := func(from ...int) string { return fmt.Sprint(from[rng.IntN(len(from))]) }
	order := func() string { return "ord_" + draw(rng, "0123456789abcdefghjkmnpqrstvwxyz", 10) }
	w := &world{files: map[string]string{}, val: map[string]string{
		"port": n(8471, 8193, 8736, 9127), "ttl": n(6, 7, 8, 9), "ttl2": n(11, 12, 13, 14),
		"pool": n(9, 10), "pool2": n(22, 24, 26, 28), "maxseats": n(6, 8), "fee": n(245, 275, 285), "fee2": n(290, 310, 325),
		"lock": fmt.Sprint(740000 + rng.IntN(9999)), "show": fmt.Sprint(3100 + rng.IntN(800)),
		"bucket": "settle-" + draw(rng, "bcdfghjkmnpqrstvwxz", 5) + "-eu", "gwtimeout": n(4, 5, 6),
		"replicas": n(3, 4), "order1": order(), "order2": order(), "order3": order(),
		"seat": fmt.Sprintf("%s-%02d-%02d", []string{"S", "B", "L"}[rng.IntN(3)], 3+rng.IntN(18), 1+rng.IntN(24)),
		"req":  "req-" + draw(rng, hexDigits, 12), "issue": fmt.Sprint(410 + rng.IntN(500)),
		"user": []string{"Marta", "Yusuf", "Ilse", "Tomas"}[rng.IntN(4)], "branch": "fix/double-hold-" + draw(rng, hexDigits, 4),
		"charge1": "ch_" + draw(rng, alphanumeric, 14), "charge2": "ch_" + draw(rng, alphanumeric, 14),
		"charge3": "ch_" + draw(rng, alphanumeric, 14), "charge4": "ch_" + draw(rng, alphanumeric, 14),
		"customer1": fmt.Sprint(20000 + rng.IntN(9000)), "customer2": fmt.Sprint(30000 + rng.IntN(9000)),
	}}
	var pairs []string
	for _, k := range slices.Sorted(maps.Keys(w.val)) {
		pairs = append(pairs, "@"+k+"@", w.val[k])
	}
	w.names = strings.NewReplacer(pairs...)
	for _, f := range txtar.Parse(project).Files {
		w.files[f.Name] = w.fill(string(f.Data))
	}
	return w
}

// fill puts the seed's values between @ signs into a text.
func (w *world) fill(s string) string { return w.names.Replace(s) }

// numbered is lines from..to of a file (1-based, to 0 is the end) as read_file
// shows them.
func (w *world) numbered(path string, from, to int) (string, bool) {
	text, ok := w.files[path]
	if !ok {
		return "read " + path + ": no such file", false
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if to == 0 || to > len(lines) {
		to = len(lines)
	}
	var b strings.Builder
	for i := max(from, 1); i <= to; i++ {
		fmt.Fprintf(&b, "%5d\t%s\n", i, lines[i-1])
	}
	return b.String(), true
}

func (s *script) read(path string) call { return s.readRange(path, 0, 0) }

func (s *script) readRange(path string, from, to int) call {
	path = s.world.fill(path)
	out, ok := s.world.numbered(path, from, to)
	args := object{"path", path}
	if from > 0 {
		args = append(args, "offset", from, "limit", to-from+1)
	}
	return call{tool: "read_file", args: args, out: out, failed: !ok}
}

// at is where a text stands in a file, as a compiler says it.
func (s *script) at(path, text string) string {
	file := s.world.files[path]
	before, _, ok := strings.Cut(file, s.world.fill(text))
	if !ok {
		panic("synth: " + path + " does not hold " + text)
	}
	return fmt.Sprintf("%s:%d:%d", path, 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n'))
}

// line is the file's own name and the line, as a test says it.
func (s *script) line(path, text string) string {
	at := strings.Split(s.at(path, text), ":")
	return at[0][strings.LastIndexByte(at[0], '/')+1:] + ":" + at[1]
}

func (s *script) list(dir string) call {
	seen := map[string]bool{}
	var entries []string
	for _, p := range slices.Sorted(maps.Keys(s.world.files)) {
		rest, ok := strings.CutPrefix(p, strings.TrimPrefix(dir+"/", "./"))
		if !ok {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		if deeper {
			name += "/"
		} else {
			name = fmt.Sprintf("%-28s %6d bytes", name, len(s.world.files[p]))
		}
		if !seen[name] {
			seen[name] = true
			entries = append(entries, name)
		}
	}
	return call{tool: "list_dir", args: object{"path", dir}, out: strings.Join(entries, "\n") + "\n"}
}

func (s *script) grep(pattern, under string) call {
	pattern = s.world.fill(pattern)
	re := regexp.MustCompile(pattern)
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(s.world.files)) {
		if !strings.HasPrefix(p, under) {
			continue
		}
		for i, l := range strings.Split(s.world.files[p], "\n") {
			if re.MatchString(l) {
				fmt.Fprintf(&b, "%s:%d:%s\n", p, i+1, l)
			}
		}
	}
	args := object{"pattern", pattern}
	if under != "" {
		args = append(args, "path", under)
	}
	out := b.String()
	if out == "" {
		out = "no matches\n"
	}
	return call{tool: "grep", args: args, out: out}
}

func (s *script) write(path, content string) call {
	content = s.world.fill(content)
	s.world.files[path] = content
	return call{
		tool: "write_file", args: object{"path", path, "content", content},
		out: fmt.Sprintf("wrote %s (%d bytes)", path, len(content)),
	}
}

// edit replaces a text that must occur once.
func (s *script) edit(path, old, repl string) call {
	old, repl = s.world.fill(old), s.world.fill(repl)
	c := call{tool: "edit_file", args: object{"path", path, "old", old, "new", repl}}
	text := s.world.files[path]
	if n := strings.Count(text, old); n != 1 {
		c.out, c.failed = fmt.Sprintf("edit %s: the text to replace occurs %d times, want once", path, n), true
		return c
	}
	at := strings.Index(text, old)
	s.world.files[path] = text[:at] + repl + text[at+len(old):]
	line := 1 + strings.Count(text[:at], "\n")
	shown, _ := s.world.numbered(path, max(1, line-3), line+strings.Count(repl, "\n")+3)
	c.out = fmt.Sprintf("edited %s at line %d:\n%s", path, line, shown)
	return c
}

func (s *script) bash(command, out string) call {
	return call{tool: "bash", args: object{"command", s.world.fill(command)}, out: s.world.fill(out)}
}

// bashFails is a command that ends with an error.
func (s *script) bashFails(command, out string) call {
	c := s.bash(command, out)
	c.failed = true
	return c
}

func (s *script) tests(packages, out string) call {
	return call{tool: "run_tests", args: object{"packages", packages}, out: s.world.fill(out)}
}
