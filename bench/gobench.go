package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// measured is a line of `go test -bench`: values by unit, such as ns/op.
type measured struct {
	name   string // without "Benchmark" and the number of processors
	values map[string]float64
}

// bench runs a package's benchmarks for as long as `-benchtime` says, a time or a
// number of times; in short mode once each.
func (r *run) bench(pkg, pattern, long string) ([]measured, error) {
	args := []string{"test", "-run", "^$", "-bench", pattern, "-timeout", "60m", "-benchtime", long}
	if r.short {
		args = append(args[:len(args)-1], "1x", "-short")
	}
	out, err := output(r.root, "go", append(args, pkg)...)
	if err != nil {
		return nil, err
	}
	ms := parse(string(out))
	if len(ms) == 0 {
		return nil, fmt.Errorf("no benchmark of %s is named %s", pkg, pattern)
	}
	return ms, nil
}

var processors = regexp.MustCompile(`-\d+$`)

// parse reads the output of `go test -bench`.
func parse(out string) (ms []measured) {
	for line := range strings.SplitSeq(out, "\n") {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		m := measured{processors.ReplaceAllString(strings.TrimPrefix(f[0], "Benchmark"), ""), map[string]float64{}}
		for i := 2; i+1 < len(f); i += 2 {
			if v, err := strconv.ParseFloat(f[i], 64); err == nil {
				m.values[f[i+1]] = v
			}
		}
		ms = append(ms, m)
	}
	return ms
}

// series is one benchmark over several lengths: the last part of its name.
type series struct {
	name   string
	points []point
}

type point struct {
	n              int
	ns, allocs, mb float64
}

// grown gathers measured lines into series, in their order.
func grown(ms []measured) (out []series) {
	at := map[string]int{}
	for _, m := range ms {
		cut := strings.LastIndexByte(m.name, '/')
		n, err := strconv.Atoi(m.name[cut+1:])
		if cut < 0 || err != nil {
			continue
		}
		name := m.name[:cut]
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, series{name: name})
		}
		out[i].points = append(out[i].points, point{n, m.values["ns/op"], m.values["allocs/op"], m.values["MB/s"]})
	}
	return out
}

// exponent is the slope of time over length, both as logarithms, by least
// squares: 1 for what is linear, 0 for what does not grow. NaN for fewer than
// two points.
func (s series) exponent() float64 {
	var n, sx, sy, sxx, sxy float64
	for _, p := range s.points {
		x, y := math.Log(float64(p.n)), math.Log(p.ns)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if d := n*sxx - sx*sx; n >= 2 && d > 0 {
		return (n*sxy - sx*sy) / d
	}
	return math.NaN()
}

// since is a time for people, of about three digits.
func since(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return digits(ns/1e3) + " µs"
	case ns < 1e9:
		return digits(ns/1e6) + " ms"
	}
	return digits(ns/1e9) + " s"
}

// digits is a number with two or three digits that count.
func digits(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return whole(v)
}

// whole is a number with its thousands apart.
func whole(v float64) string {
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
