package extract_test

import (
	"strings"
	"testing"
)

// SPEC: B18. A shell that never tells where it stands does so where it names a file that is known by its
// absolute path: what is named from there is that file, and what a script of the agent's changes is told.
func TestFilesNamedFromWhereTheShellStands(t *testing.T) {
	write := func(name, text string) string {
		return `call write {"filePath":"` + name + `","content":"` + text + `"}` + "\n---\nresult: Wrote file successfully.\n---\n"
	}
	run := func(line string) string { return `call bash {"command":"` + line + `"}` + "\n---\nresult: done\n---\n" }
	const mends = `with open('src/a.py', 'r+') as f:\n    f.write(mended)\n`
	read := `call read {"filePath":"/w/src/a.py"}` + "\n---\nresult: 1: x = 1\n---\n"
	for _, c := range []struct{ name, log, want, without string }{
		{"by its script", read + write("/w/fix.py", mends) + run("python fix.py"), "- edited /w/src/a.py (#7)\n- created /w/fix.py (#5)", ""},
		{"by another file", read + write("/w/other.py", "x") + run("cp src/a.py src/a.bak") + run("sed -i s/a/b/ other.py"), "/w/other.py (#5, changed last in #9)", "edited"},
		{"by a file that it made", write("/w/a.sql", "x") + run("cat a.sql") + run("sed -i s/a/b/ a.sql"), "- created /w/a.sql (#3, changed last in #7)", "read"},
		{"in a folder", read + write("/w/bin/fix.py", mends) + run("python bin/fix.py"), "- edited /w/src/a.py (#7)\n", ""},
		{"two of the name", read + write("/w/fix.py", mends) + write("/v/fix.py", mends) + run("python fix.py"), "- read /w/src/a.py (#3)", "edited"},
		{"a script that was there", `call read {"filePath":"/w/sub/fix.py"}` + "\n---\nresult: 1: x = 1\n---\n" + run("python fix.py") + run("sed -i s/a/b/ fix.py"), "- edited fix.py (#7)\n", "edited /w/sub"},
		{"a temporary script", write("/tmp/fix.py", mends) + run("python fix.py") + run("sed -i s/a/b/ fix.py"), "- edited fix.py (#7)\n", "edited /tmp"},
		{"in a folder that it changes to", write("/w/sub/fix.py", mends) + write("/w/sub/b.py", "x") + run("cd sub && python fix.py") + run("sed -i s/a/b/ sub/b.py"), "/w/sub/b.py (#5, changed last in #9)", "/w/sub/sub"},
		{"where it says so", read + write("/w/fix.py", mends) + run("cd /v && ls") + run("python fix.py"), "- read /w/src/a.py (#3)", "edited"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, "user: Mend it.\n---\n"+c.log+"user: Go on.")
			for _, text := range []string{filesIn(summarize(t, ms)), filesIn(summarize(t, ms, throughJSON(t, summarize(t, ms[:3]))))} {
				if !strings.Contains(text, c.want) || c.without != "" && strings.Contains(text, c.without) {
					t.Errorf("want %q, not %q in\n%s", c.want, c.without, text)
				}
			}
		})
	}
}
