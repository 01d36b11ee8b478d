package extract_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. A command has run where another that went well says that it ran it, in the same folder or
// in the package of that folder.
func TestCommandsThatOthersRun(t *testing.T) {
	fails := func(line, failure string) string {
		return "call bash {\"command\":\"" + line + "\"}\n---\nresult: " + failure + "\n\nCommand exited with code 2\n---\n"
	}
	const edit = "call edit {\"path\":\"/r/packages/agent/src/mode.ts\",\"oldText\":\"x\",\"newText\":\"y\"}\n---\nresult: ok\n---\n"
	ran := func(line, output string) string {
		return "call bash {\"command\":\"" + line + "\"}\n---\nresult: " + output + "\n\nCommand exited with code 0"
	}
	const failure = "src/mode.ts(331,29): error TS2339: Property 'queue' does not exist."
	inPackage := "call bash {\"command\":\"cd /r && ls\"}\n---\nresult: a\n---\n" + fails("cd /r/packages/agent && npx tsgo --noEmit", failure) + edit
	inRoot := fails("npx tsgo --noEmit", failure)
	const check = "> mono@0.0.3 check\n> biome check --write . && npm run check --workspaces\n\nChecked 3 files in 1ms.\n\n"
	for _, c := range []struct{ name, log, want string }{
		{"in a package", inPackage + ran("cd /r && npm run check", check+"> @x/pi-agent@0.14.2 check\n> tsgo --noEmit\n"), "→ `npm run check` ran it without an error line (#8)"},
		{"in a hook", inPackage + ran("cd /r && git commit -qam x", check+"> @x/agent@0.14.2 check\n> biome check . && tsgo --noEmit\n[main 1234567] x"), "→ `git commit -qam x` ran it without an error line (#8)"},
		{"in another package", inPackage + ran("cd /r && npm run check", check+"> @x/pi-tui@0.14.2 check\n> tsgo --noEmit\n"), ", not run since (#6)"},
		{"of another program", inPackage + ran("cd /r && npm run check", check+"> @x/pi-agent@0.14.2 check\n> tsc --noEmit\n"), ", not run since (#6)"},
		{"in a script of the folder", inRoot + ran("npm run check", "> mono@0.0.3 check\n> tsgo --noEmit\n\nfine"), "→ `npm run check` ran it without an error line (#4)"},
		{"in a script of a package of the folder", inRoot + ran("npm run check", check+"> @x/pi-agent@0.14.2 check\n> tsgo --noEmit\n"), "open: "},
		{"that failed", inRoot + fails("npm run check", "> mono@0.0.3 check\n> tsgo --noEmit\n\nError: no memory"), "open: src/mode.ts(331,29)"},
		{"by make", fails("go test ./...", "a.go:3:5: undefined: x") + ran("make test", "go vet ./...\ngo test ./...\nok  \tx/a\t0.2s"), "→ `make test` ran it without an error line (#4)"},
		{"by make in another folder", fails("go test ./...", "a.go:3:5: undefined: x") + ran("make -C b test", "go test ./...\nok  \tx/b\t0.2s"), "open: "},
		{"by make, of other packages", fails("go test ./...", "a.go:3:5: undefined: x") + ran("make test", "go test ./b\nok  \tx/b\t0.2s"), "open: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, c.log)
			for _, n := range []int{0, 2, len(ms) - 2} { // a round of the summary ends there
				text := wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:n]))), 0, nil)
				checkText(t, text, []string{c.want}, nil)
			}
		})
	}
}
