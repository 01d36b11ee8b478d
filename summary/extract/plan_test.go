package extract_test

import (
	"fmt"
	"slices"
	"testing"
)

// SPEC: B18. A step of the agent's list is told whatever objects lie beside its text or within
// it, and in the order in which it was written.
func TestStepsWithObjectsInThem(t *testing.T) {
	for args, want := range map[string][]string{
		`{"todos":[{"meta":{"id":"x"},"content":"Write docs","status":"pending"}]}`:                                    {"Write docs pending"},
		`{"todos":[{"content":"Write docs","meta":{"title":"x","status":"done"}},{"content":"Test","status":"done"}]}`: {"Write docs pending", "Test done"},
		`{"todos":[{"content":"Write docs","notes":[{"id":1}],"status":"doing"},{"content":"Test"}]}`:                  {"Write docs doing", "Test pending"},
		`{"todos":[{"content":"Write docs","children":[{"content":"Index"}],"status":"done"},{"content":"Test"}]}`:     {"Write docs done", "Index pending", "Test pending"},
		`{"title":"Plan","todos":[{"id":1},{"content":"Write docs"}]}`:                                                 {"Write docs pending"},
		`{"todos":[{"content":"Write docs"},{"content":"Te`:                                                            {"Write docs pending"},
	} {
		s := summarize(t, script(t, "user: Go on.\n---\ncall TodoWrite "+args+"\n---\nresult: ok"))
		var got []string
		for _, p := range s.Plan {
			got = append(got, fmt.Sprint(p.Text, " ", p.Status))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\n%q, want %q", args, got, want)
		}
	}
}
