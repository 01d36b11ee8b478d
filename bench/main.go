// Bench measures Précis: the parts of a turn, the growth of each with the length
// of a conversation, the proxy, the program, and its peers, all in one run on one
// machine.
//
// Use: `make bench` from the root, which writes the tables into docs; `make
// bench-short` runs everything once in a few seconds and writes nothing. Law: no
// number in docs/performance.md or docs/tokens.md that this command can measure is
// typed by hand. Peers are those of the package registries: two Go libraries, and
// npm's tiktoken where npm is at hand.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// run holds the settings of one run of the suite.
type run struct {
	short bool
	root  string // of the main module
	tmp   string
	warn  func(format string, args ...any)
}

// section measures some tables.
type section struct {
	name    string
	measure func(*run) ([]table, error)
}

var sections = []section{
	{"counting", counting},
	{"hostile", hostile},
	{"turn", turn},
	{"store", storage},
	{"sealing", sealing},
	{"proxy", latency},
	{"program", program},
	{"handover", handovers},
	{"memory", memory},
}

func main() {
	short := flag.Bool("short", false, "everything once, small, without npm")
	only := flag.String("only", "", "sections to run, separated by commas; all if empty")
	write := flag.String("write", "", "documents to write the tables into, separated by commas")
	flag.Parse()
	if err := suite(*short, *only, *write); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func suite(short bool, only, write string) error {
	tmp, err := os.MkdirTemp("", "bench")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	r := &run{short: short, root: "..", tmp: tmp, warn: func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
	}}
	all := []table{machine()}
	fmt.Println(all[0].markdown())
	for _, s := range sections {
		if only != "" && !strings.Contains(","+only+",", ","+s.name+",") {
			continue
		}
		ts, err := s.measure(r)
		if err != nil {
			return fmt.Errorf("measure %s: %w", s.name, err)
		}
		for _, t := range ts {
			fmt.Println(t.markdown())
		}
		all = append(all, ts...)
	}
	for path := range strings.SplitSeq(write, ",") {
		if path == "" {
			continue
		}
		if err := embed(path, all); err != nil {
			return err
		}
	}
	return nil
}

// machine describes the machine and the date.
func machine() table {
	cpu := "an unknown processor"
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.SplitSeq(string(data), "\n") {
			if name, ok := strings.CutPrefix(line, "model name"); ok {
				cpu = strings.TrimSpace(strings.TrimLeft(name, "\t :"))
				break
			}
		}
	}
	return table{name: "machine", note: fmt.Sprintf("%d × %s, %s/%s, %s, %s.",
		runtime.NumCPU(), cpu, runtime.GOOS, runtime.GOARCH, runtime.Version(), time.Now().UTC().Format(time.DateOnly))}
}

// output returns what a command prints; its errors go to our standard error.
func output(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s %s: %w: %s", name, strings.Join(args, " "), err, out[max(0, len(out)-500):])
	}
	return out, nil
}
