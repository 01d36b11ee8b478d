package main

import (
	"fmt"
	"slices"
	"strings"
)

// grows are the benchmarks whose time is fitted against the number of messages:
// what they are called here, by the start of their names.
var grows = []struct {
	pkg, pattern string
	long         string
	called       map[string]string
}{
	{"./codec/codectest", "^BenchmarkDecodeLength$", "333ms", map[string]string{
		"DecodeLength/anthropic": "decode, Anthropic Messages", "DecodeLength/openai": "decode, OpenAI Chat", "DecodeLength/responses": "decode, OpenAI Responses",
	}},
	// so many turns that the compactions among them are those of any conversation
	{".", "^BenchmarkContinue$", "2000x", map[string]string{"Continue": "`Continue`: two more messages, prompt of 40k, SQLite, the compactions in it"}},
	{".", "^BenchmarkCompactAgain$", "20x", map[string]string{"CompactAgain": "one of those compactions"}},
	{".", "^Benchmark(Pieces|Compact|Plan|OneMoreTurn)$", "500ms", map[string]string{
		"Pieces/digest": "digests and chain", "Pieces/match": "match a history", "Pieces/count": "count (o200k, exact)",
		"Pieces/build": "build a plan of n/4 records", "Pieces/render": "render under it",
		"Compact":     "`Compact` to 32k: log in memory, plan, summary, commit, prompt",
		"Plan":        "of that, all but the log",
		"OneMoreTurn": "one more turn, the whole history sent, prompt of 400k, SQLite",
	}},
	{"./summary/extract", "^BenchmarkSummarize$", "333ms", map[string]string{"Summarize": "extract summary of all"}},
	{"./replay", "^BenchmarkCompare$", "333ms", map[string]string{"Compare": "replay, a whole prompt at each step"}},
}

// turn measures the parts of a turn over the length of the conversation.
func turn(r *run) ([]table, error) {
	var all []series
	for _, g := range grows {
		ms, err := r.bench(g.pkg, g.pattern, g.long)
		if err != nil {
			return nil, err
		}
		for _, s := range grown(ms) {
			if s.name = g.called[s.name]; s.name != "" {
				all = append(all, s)
			}
		}
	}
	return []table{growth(all)}, nil
}

// growth is a row for each series and a column for each length.
func growth(all []series) table {
	var lengths []int
	for _, s := range all {
		for _, p := range s.points {
			if !slices.Contains(lengths, p.n) && p.n%100 == 0 && strings.Trim(fmt.Sprint(p.n), "0") == "1" {
				lengths = append(lengths, p.n)
			}
		}
	}
	slices.Sort(lengths)
	t := table{name: "growth", head: []string{"messages"}}
	for _, n := range lengths {
		t.head = append(t.head, whole(float64(n)))
	}
	t.head = append(t.head, "grows as", "allocations")
	for _, s := range all {
		cells := []string{s.name}
		for _, n := range lengths {
			cell := "–"
			if i := slices.IndexFunc(s.points, func(p point) bool { return p.n == n }); i >= 0 {
				cell = since(s.points[i].ns)
			}
			cells = append(cells, cell)
		}
		last := s.points[len(s.points)-1]
		t.row(append(cells, fmt.Sprintf("n^%.2f", s.exponent()), fmt.Sprintf("%s at %s", whole(last.allocs), whole(float64(last.n))))...)
	}
	return t
}

// storage measures the store and the codecs.
func storage(r *run) ([]table, error) {
	t := table{name: "store", head: []string{"benchmark", "time", "MB/s", "allocations"}}
	for _, b := range []struct{ pkg, pattern, short string }{
		{"./store/sqlite", "^Benchmark(Append|Load|Commit|Plan)$", "^BenchmarkPlan$"},
		{"./codec/codectest", "^Benchmark(Decode|Splice|Stream)$", "^BenchmarkSplice$"},
	} {
		pattern := b.pattern
		if r.short {
			pattern = b.short
		}
		ms, err := r.bench(b.pkg, pattern, "333ms")
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			speed := "–"
			if v, ok := m.values["MB/s"]; ok {
				speed = digits(v)
			}
			t.row(m.name, since(m.values["ns/op"]), speed, whole(m.values["allocs/op"]))
		}
	}
	return []table{t}, nil
}

// latency measures exchanges through the proxy, each beside a direct call.
func latency(r *run) ([]table, error) {
	pattern := "^BenchmarkLatency$"
	if r.short {
		pattern += "/^anthropic$/^(2|100)KB$"
	}
	ms, err := r.bench("./proxy", pattern, "500ms")
	if err != nil {
		return nil, err
	}
	direct := map[string]float64{}
	for _, m := range ms {
		if kind, ok := strings.CutSuffix(m.name, "/direct"); ok {
			direct[kind] = m.values["p50-ms"]
		}
	}
	t := table{name: "proxy", head: []string{"request", "direct p50", "continuing", "in memory", "new", "off"}}
	var kinds []string
	cells := map[string]map[string]string{}
	for _, m := range ms {
		cut := strings.LastIndexByte(m.name, '/')
		kind, how := m.name[:cut], strings.ReplaceAll(m.name[cut+1:], "_", " ")
		if cells[kind] == nil {
			kinds = append(kinds, kind)
			cells[kind] = map[string]string{}
		}
		cells[kind][how] = fmt.Sprintf("%+.2f ms", m.values["p50-ms"]-direct[kind])
	}
	for _, kind := range kinds {
		c := cells[kind]
		t.row(strings.TrimPrefix(kind, "Latency/"), fmt.Sprintf("%.2f ms", direct[kind]), c["continuing"], c["in memory"], c["new"], c["off"])
	}
	return []table{t}, nil
}
