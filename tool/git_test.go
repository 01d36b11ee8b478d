package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
	"github.com/seed-3db51b0e/precis/tool/program"
)

// SPEC: L7, B18. What git does to files is told by its options, too: what it does to its index, to
// branches or for a try changes no file.
func TestOptionsOfGit(t *testing.T) {
	for _, c := range []struct {
		line, output, want string
		all                program.Whole
	}{
		{line: "git restore a.go", want: "restore a.go"},
		{line: "git restore --staged a.go"},
		{line: "git restore -S a.go"},
		{line: "git restore --staged ."},
		{line: "git restore --staged --worktree a.go", want: "restore a.go"},
		{line: "git restore -SW a.go", want: "restore a.go"},
		{line: "git restore -s v1.x a.go", want: "restore a.go"},
		{line: "git restore --source=HEAD~2 -- a.go", want: "restore a.go"},
		{line: "git restore .", all: program.TakesBack},
		{line: "git rm a.go", want: "delete a.go"},
		{line: "git rm -r --cached a.go"},
		{line: "git rm --dry-run a.go"},
		{line: "git rm -- a.go", want: "delete a.go"},
		{line: "git mv -n a.go b.go"},
		{line: "git mv a.go b.go", want: "delete a.go, create b.go"},
		{line: "git checkout -b release-1.x"},
		{line: "git checkout -B work.go main"},
		{line: "git checkout --track origin/a.go"},
		{line: "git checkout stable/3.x"},
		{line: "git checkout stable/3.x a.go", want: "restore a.go"},
		{line: "git checkout a.go", output: "Updated 1 path from the index", want: "restore a.go"},
		{line: "git checkout a.go", output: "Updated 0 paths from the index"},
		{line: "git checkout -- a.go", output: "Updated 0 paths from the index"},
		{line: "git checkout a.go; git checkout b.go", output: "Updated 0 paths from the index\nUpdated 1 path from the index", want: "restore a.go, restore b.go"},
		{line: "git checkout fix.go", output: "Switched to branch 'fix.go'"},
		{line: "git checkout main && git checkout a.go", output: "Switched to branch 'main'\nUpdated 1 path from the index", want: "restore a.go"},
		{line: "git checkout -f .", all: program.TakesBack},
		{line: "git checkout -- . && git stash pop", all: program.Nothing},
		{line: "git --git-dir .git checkout -- a.go", want: "restore a.go"},
		{line: "git apply --check <<'P'\n--- a/x.c\n+++ b/x.c\nP"},
		{line: "git apply --cached <<'P'\n--- a/x.c\n+++ b/x.c\nP"},
		{line: "git apply -R --index <<'P'\n--- a/x.c\n+++ b/x.c\nP", want: "restore x.c"},
		{line: "git stash", all: program.PutsAside},
		{line: "git stash --include-untracked", all: program.PutsAside},
		{line: "git stash push -m 'try pop'", all: program.PutsAside},
		{line: "git stash -m a.go", all: program.PutsAside},
		{line: "git stash save wip", all: program.PutsAside},
		{line: "git stash push a.go", want: "restore a.go"},
		{line: "git stash push --message=x -- a.go", want: "restore a.go"},
		{line: "git stash -- a.go", want: "restore a.go"},
		{line: "git stash push a.go && make; git stash pop"},
		{line: "git stash push a.go b.go && git stash pop && git checkout -- b.go", want: "restore b.go"},
		{line: "git stash push -S"},
		{line: "git stash -p"},
		{line: "git stash list"},
		{line: "git stash show -u"},
		{line: "git stash drop", all: program.GivesUp},
		{line: "git stash && git stash drop", all: program.TakesBack},
		{line: "git stash && make; git stash pop", all: program.Nothing},
		{line: "git stash pop", all: program.PutsBack},
		{line: "git stash apply stash@{0}", all: program.PutsBack},
		{line: "git reset --hard HEAD", all: program.TakesBack},
		{line: "git reset a.go"},
	} {
		args, _ := json.Marshal(map[string]string{"command": c.line})
		r := tool.Parse(message.Part{Name: "bash", Args: string(args)}, result(c.output))
		var got []string
		for _, p := range r.Touched {
			did := string(p.Access)
			if p.Restored {
				did = "restore"
			}
			got = append(got, did+" "+p.Path)
		}
		if s := strings.Join(got, ", "); s != c.want || r.OnAll() != c.all {
			t.Errorf("%q: %q and %d, want %q and %d", c.line, s, r.OnAll(), c.want, c.all)
		}
	}
}
