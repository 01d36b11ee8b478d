package plugins_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-3db51b0e/precis/plugins"
)

// calls runs the plugin's compaction with a program that answers as it says, or throws,
// and prints what becomes of /compact undo.
const calls = `
import { register } from "./register.mjs";
const hooks = {};
register((name, ...more) => ((hooks[name] = more.at(-1)), { catch() {} }));
const run = async (stdout) => {
  const $ = { session: { id: async () => "s" }, process: { run: async () => { if (stdout === null) throw new Error("slow"); return { exitCode: 0, stdout }; } } };
  const got = await hooks["session.compact"]($, { instructions: "undo", messages: [] }, () => "the model").catch(() => "the model");
  return got.skip ? "skipped" : JSON.stringify(got);
};
for (const stdout of ['[{"text":"a"}]', "", "junk", "{}", null]) console.log(await run(stdout));
`

// Undo in Claude Code takes back or does nothing, whatever the program answers.
//
// SPEC: B25
func TestUndoIsNotForAModel(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to run the plugin with")
	}
	dir := t.TempDir()
	for _, f := range plugins.Files("claude-code", "precis") {
		if f.Path == "hooks/register.js" {
			err = os.WriteFile(filepath.Join(dir, "register.mjs"), []byte(f.Text), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "calls.mjs"), []byte(calls), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := exec.CommandContext(t.Context(), node, filepath.Join(dir, "calls.mjs")).CombinedOutput()
	const want = `{"messages":[{"text":"a"}]}` + "\nskipped\nskipped\nskipped\nskipped\n"
	if err != nil || string(got) != want {
		t.Errorf("%v: %s", err, got)
	}
}
