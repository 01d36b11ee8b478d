package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/internal/term"
)

// Limits tells which limits refusals taught the proxy, as the file at path has them.
func Limits(path string, now time.Time) Finding {
	f := Finding{Check: "limits", OK: true, Found: "no refusal taught any"}
	all, err := limits.Refusals(limits.File(path), now)
	if err != nil {
		return Finding{Check: f.Check, Found: err.Error(), Fix: "remove " + path + ": it is written anew"}
	}
	var models []string
	threads := 0
	for _, k := range all {
		switch {
		case k.Thread != "":
			threads++
		case k.Window > 0:
			models = append(models, fmt.Sprintf("%s at %s takes %s tokens", k.Model, k.Provider, term.Comma(k.Window)))
		default:
			models = append(models, fmt.Sprintf("%s at %s takes %s bytes", k.Model, k.Provider, term.Comma(k.Bytes)))
		}
	}
	if threads > 0 {
		models = append(models, term.Count(threads, "thread")+" with limits")
	}
	if len(models) > 0 {
		f.Found = strings.Join(models, ", ") + ", as refusals said: precis limits forget takes it back"
	}
	return f
}

// Budgets tells of which models most of the budget goes to system prompt and tools, as
// the file at path has it.
func Budgets(path string) Finding {
	f := Finding{Check: "budget", OK: true, Found: "leaves room beside system prompts and tools"}
	all, err := limits.TightBudgets(limits.File(path))
	if err != nil || len(all) == 0 { // Limits tells of a file that cannot be read
		return f
	}
	var tight []string
	for _, k := range all {
		tight = append(tight, fmt.Sprintf("system prompt and tools of %s at %s take %s of %s tokens", k.Model, k.Provider, term.Comma(k.Overhead), term.Comma(k.Budget)))
	}
	f.Found, f.Fix = strings.Join(tight, ", "), "raise --budget, or give the agent fewer tools"
	return f
}
