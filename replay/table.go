package replay

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Print writes rows as fixed-width tables, one for each source and budget.
func Print(w io.Writer, rows []Row) error {
	for i, r := range rows {
		if i == 0 || rows[i-1].Source != r.Source || rows[i-1].Budget != r.Budget {
			if err := heading(w, r); err != nil {
				return err
			}
		}
		if err := r.print(w); err != nil {
			return err
		}
	}
	return nil
}

func heading(w io.Writer, r Row) error {
	_, err := fmt.Fprintf(w, "\n%s, budget %d: %d runs, %d active steps of %d, needs ALL %d, LR %d (strict %d), XLR %d (strict %d)\n"+
		"%-18s|%17s |%17s |%25s |%17s |%17s |%17s |%5s %7s %5s %5s %6s\n"+
		"%-18s|%5s %5s %5s |%5s %5s %5s |%5s %5s %5s %7s |%5s %5s %5s |%5s %5s %5s |%5s %5s %5s |\n",
		r.Source, r.Budget, r.Runs, r.Active, r.Steps, r.Recall[All].Needs, r.Recall[LR].Needs, r.Recall[LRStrict].Needs, r.Recall[XLR].Needs, r.Recall[XLRStrict].Needs,
		"", "ALL", "LR", "LR strict", "XLR", "XLR strict", "cost", "tok", "peak", "over", "inval", "breaks",
		"policy", "lit", "sup", "ptr", "lit", "sup", "ptr", "lit", "sup", "ptr", "sup 95%", "lit", "sup", "ptr", "lit", "sup", "ptr",
		Prices[0].Name, Prices[1].Name, Prices[2].Name)
	return err
}

func (r Row) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-18s", r.Policy)
	for c, rate := range r.Recall {
		fmt.Fprintf(&b, "|%5s %5s %5s ", rate.Lit, rate.Sup, rate.Ptr)
		if Class(c) == LRStrict {
			fmt.Fprintf(&b, "%7s ", bounds(r.SupCI))
		}
	}
	fmt.Fprintf(&b, "|%5.2f %5.2f %5.2f |%5.2f %7d %5s %5s %6.1f", r.Cost[0], r.Cost[1], r.Cost[2],
		r.Tokens, r.Peak, r.Over, r.Invalid, r.Breaks)
	if r.Failed > 0 {
		fmt.Fprintf(&b, "  failed %d", r.Failed)
	}
	b.WriteString(outcomes(r.Outcomes))
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func outcomes(m map[string]int) string {
	var list []string
	for k, n := range m {
		list = append(list, fmt.Sprintf("%s %d", k, n))
	}
	slices.Sort(list)
	if len(list) == 0 {
		return ""
	}
	return "  " + strings.Join(list, ", ")
}

func bounds(b [2]Percent) string {
	if b[0].none() {
		return "–"
	}
	return fmt.Sprintf("%.0f–%.0f", float64(b[0]), float64(b[1]))
}
