package extract_test

import (
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
)

// SPEC: B18. What a call without a recorded result was to make may be there: a step of a list to make it is
// perhaps done, and a list that such a call was to change is told no more.
func TestStepsOfUnrecordedCalls(t *testing.T) {
	const none = "[no result recorded]"
	plan := "user: Do it.\n---\n" + changed("write", "ok", "path", "plan.md", "content", "- [ ] Create `src/ui/` directory\n- [ ] Copy tui.ts to main.ts\n- [ ] Rename the class in main.ts\n") + "\n---\n"
	for _, c := range []struct {
		name, call string
		want       []string
	}{
		{"copied", changed("bash", none, "command", "mkdir -p /r/src/ui && cp /r/src/tui.ts /r/src/ui/main.ts"), []string{"Create `src/ui/` directory — perhaps done", "Copy tui.ts to main.ts — perhaps done", "Rename the class in main.ts"}},
		{"something else", changed("bash", none, "command", "cp /r/src/tui.ts /r/src/old.ts"), []string{"Create `src/ui/` directory", "Copy tui.ts to main.ts", "Rename the class in main.ts"}},
		{"only read", changed("bash", none, "command", "cat /r/src/ui/main.ts"), []string{"Create `src/ui/` directory", "Copy tui.ts to main.ts", "Rename the class in main.ts"}},
		{"the list itself", changed("edit", none, "path", "plan.md", "old_string", "- [ ] Copy tui.ts to main.ts", "new_string", "- [x] Copy tui.ts to main.ts"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, plan+c.call+"\n---\nuser: Go on.")
			told := func(n ...int) (all []string) {
				s := summarize(t, ms)
				for _, end := range n {
					s = summarize(t, ms, throughJSON(t, summarize(t, ms[:end])))
				}
				for _, o := range s.Open {
					if o.File == "" || o.Status == summary.Done {
						continue
					}
					if all = append(all, o.Text); o.Context != "" {
						all[len(all)-1] += " — " + o.Context
					}
				}
				return all
			}
			for name, got := range map[string][]string{"at once": told(), "before it": told(3), "behind it": told(5)} {
				if !slices.Equal(got, c.want) {
					t.Errorf("%s: got %q, want %q", name, got, c.want)
				}
			}
		})
	}
}
