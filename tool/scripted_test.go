package tool_test

import (
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: B18. A script that opens a file by a variable opens the file whose name it gave to that, where
// this is known.
func TestScriptsOpenFilesByVariables(t *testing.T) {
	const through = "with open(name, 'r') as f:\n    s = f.read()\nwith open(name, 'w') as f:\n    f.write(s)\n"
	edits := []tool.Touch{{Path: "src/a.py", Access: tool.Edits}}
	for _, c := range []struct {
		script string
		want   []tool.Touch
	}{
		{"import sys\n\nname = 'src/a.py'\n" + through, edits},
		{"from pathlib import Path\nname = 'src/a.py'\ns = Path(name).read_text()\nPath(name).write_text(s)", edits},
		{"def fix():\n    name = \"src/a.py\"\n    s = open(name).read()\n    open(name, 'w').write(s)", edits},
		{through, nil},
		{"name = sys.argv[1]\n" + through, nil},
		{"name = 'src/' + base\n" + through, nil},
		{"name = f'src/{base}.py'\n" + through, nil},
		{"name = 'src/a.py'\nname = 'src/b.py'\n" + through, nil},
		{"name = 'src/a.py'\nfor name in names:\n    open(name, 'w')", nil},
		{"name = 'src/a.py'\ndef fix(text, name='x'):\n    open(name, 'w')", nil},
	} {
		if got := tool.OpenedBy(c.script); !slices.Equal(got, c.want) {
			t.Errorf("%v, not %v, of\n%s", got, c.want, c.script)
		}
	}
}
