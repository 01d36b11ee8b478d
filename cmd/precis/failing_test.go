package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The budget that a failure advises has a little room and ends in zeros.
func TestRoundUp(t *testing.T) {
	for n, want := range map[int]int{76: 100, 101: 200, 4999: 5000, 6020: 7000, 123456: 130000} {
		if got := roundUp(n); got != want {
			t.Errorf("roundUp(%d) = %d, want %d", n, got, want)
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// Output that cannot be written is a failure, never a silent success.
func TestWriteError(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	file := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(file, sessionFile(3), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"compact", file},
		{"compact", file, "--json"},
		{"thread", "list"},
		{"thread", "export"},
		{"read", "1"},
		{"grep", "test"},
		{"count", file},
		{"policy", "list"},
		{"doctor"},
		{"plan", "show"},
	} {
		var stderr bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), full{}, &stderr); code != exitFailed {
			t.Errorf("precis %s: exit code %d, want %d", strings.Join(args, " "), code, exitFailed)
		}
		if !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("precis %s: standard error says %q", strings.Join(args, " "), stderr.String())
		}
	}
}

// An interrupt ends a run with a failure and leaves the database sound.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	file := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(file, sessionFile(3), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var out, stderr bytes.Buffer
	if code := run(ctx, []string{"compact", file}, strings.NewReader(""), &out, &stderr); code != exitFailed || out.Len() > 0 {
		t.Errorf("interrupted: exit code %d, %d bytes, %s", code, out.Len(), &stderr)
	}
	if code := run(context.Background(), []string{"doctor"}, strings.NewReader(""), &out, &stderr); code != exitOK {
		t.Errorf("doctor after an interrupt: exit code %d\n%s", code, &out)
	}
}
