package main

import (
	"fmt"
	"strings"
)

// sealingRuns is how often both are measured once more: the fastest of each is taken, for
// what is compared are two small numbers.
const sealingRuns = 7

// sealing measures what encryption at rest costs: the same in the clear and sealed.
func sealing(r *run) ([]table, error) {
	t := table{name: "sealing", head: []string{"what", "in the clear", "sealed", "sealed to clear"}}
	said := map[string]string{
		"append": "a turn of two messages is logged", "load": "a thread of 1,000 messages is read",
		"commit": "a plan of 1,000 records, one of them new, is committed", "plan": "that plan is read",
		"artifact": "`store/sealed` over memory: an artifact of 64 kB is committed and read",
	}
	for _, pkg := range []string{"./store/sqlite", "./store/sealed"} {
		ms, err := r.bench(pkg, "^BenchmarkSealing$", "100ms")
		values := map[string]map[string]float64{}
		for n := 0; err == nil; n++ {
			for _, m := range ms {
				if m.values["cpu-ns/op"] == 0 { // nothing of it waits for a disk
					m.values["cpu-ns/op"] = m.values["ns/op"]
				}
				if was := values[m.name]; was == nil || m.values["cpu-ns/op"] < was["cpu-ns/op"] {
					values[m.name] = m.values
				}
			}
			if n == sealingRuns || r.short {
				break
			}
			ms, err = r.bench(pkg, "^BenchmarkSealing$", "100ms")
		}
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			what, clear := strings.CutSuffix(strings.TrimPrefix(m.name, "Sealing/"), "/clear")
			if !clear {
				continue
			}
			in, of := values[m.name], values["Sealing/"+what+"/sealed"]
			t.row(said[what], since(in["cpu-ns/op"]), since(of["cpu-ns/op"]), fmt.Sprintf("%.1f", of["cpu-ns/op"]/in["cpu-ns/op"]))
			if mb := in["MB"]; mb > 0 {
				t.row("size of the file with these messages and a plan", fmt.Sprintf("%.2f MB", mb), fmt.Sprintf("%.2f MB", of["MB"]), fmt.Sprintf("%.2f", of["MB"]/mb))
			}
		}
	}
	return []table{t}, nil
}
