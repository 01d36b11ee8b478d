package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// build makes the program as it is released, and returns its path.
func (r *run) build() (string, error) {
	binary := filepath.Join(r.tmp, "precis")
	_, err := output(r.root, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "./cmd/precis")
	return binary, err
}

// process is the program as it is started.
type process struct {
	binary string
	args   []string
	db     string
	fresh  bool // the database is taken away before each start
}

// start runs the program to its end and returns what it prints, and its wall and processor time in
// nanoseconds.
func (p process) start() (out []byte, wall, cpu float64, err error) {
	for _, end := range []string{"", "-wal", "-shm"} {
		if p.fresh {
			_ = os.Remove(p.db + end)
		}
	}
	cmd := exec.Command(p.binary, p.args...)
	at := time.Now()
	out, err = cmd.Output()
	wall = float64(time.Since(at))
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			out = failed.Stderr
		}
		return nil, 0, 0, fmt.Errorf("run %v: %w: %.300s", p.args, err, out)
	}
	return out, wall, float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()), nil
}

// times holds the wall and processor times of some starts in nanoseconds, the shortest first.
type times struct{ walls, cpus []float64 }

// measure starts a process so many times, in short mode once. check, if it is not nil, looks at what
// each prints.
func (r *run) measure(p process, rounds int, check func(out []byte) error) (t times, err error) {
	if r.short {
		rounds = 1
	}
	for range rounds {
		out, wall, cpu, err := p.start()
		if err == nil && check != nil {
			err = check(out)
		}
		if err != nil {
			return times{}, err
		}
		t.walls, t.cpus = append(t.walls, wall), append(t.cpus, cpu)
	}
	slices.Sort(t.walls)
	slices.Sort(t.cpus)
	return t, nil
}

// percentile returns what so many percent of sorted values lie below.
func percentile(sorted []float64, percent int) float64 { return sorted[len(sorted)*percent/100] }

func median(sorted []float64) float64 { return percentile(sorted, 50) }
