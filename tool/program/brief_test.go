package program_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/tool/program"
)

// SPEC: B18. A long command line is told with each command that does something, and with what it
// does it to.
func TestLongLinesKeepWhatActs(t *testing.T) {
	dir := "packages/widgets/core/management/commands/"
	for line, want := range map[string]string{
		"cp " + dir + "render.py " + dir + "render.py.backup && sed -i '59s/output = migration.atomic/output = migration.atomic and connection.features.can_rollback, for all that is " + strings.Repeat("long ", 10) + "/' " + dir + "render.py": "cp " + dir + "render.py " + dir +
			"render.py.backup && sed -i '59s/output = migration.atomic/output = migration.atomic and connection.features.can_rollback, for all that is long long long long long…' " + dir + "render.py",
		"cd /srv/project/packages/agent/src && mv changelog.ts clipboard.ts config.ts fuzzy.ts shell.ts managers.ts utils/":                                             "cd /srv/project/packages/agent/src && mv changelog.ts … utils/",
		"pip install parser -q && cat > simple.py << 'EOF'\nimport parser\nprint(parser.parse('a long text that is no command'))\nprint('done')\nEOF\npython simple.py": "pip install parser -q && cat > simple.py; python simple.py",
		"cd /srv/project && git checkout " + dir + "render.py " + dir + "other.py 2>/dev/null || true":                                                                  "cd /srv/project && git checkout " + dir + "render.py " + dir + "other.py…",
		"cd /srv/project && cat " + dir + "render.py && ls -la " + dir + " && rm -rf build && echo done with the work":                                                  "cd /srv/project && … rm -rf build…",
		"cd /srv/project/packages/agent/src/tui && for f in assistant.ts execution.ts compaction.ts editor.ts user.ts; do cp \"$f\" ../modes/components/; done":         "cd /srv/project/packages/agent/src/tui && for f … user.ts; do cp \"$f\" ../modes/components/; done",
		"ls && rm -rf build": "ls && rm -rf build",
	} {
		if got := program.Brief(line, 90); got != want {
			t.Errorf("%q is told as\n%q, want\n%q", line, got, want)
		}
	}
	if long := "rm -rf " + strings.Repeat("x/", 100); program.Brief(long, 90) != long {
		t.Error("a name is cut")
	}
}
