//go:build unix

package hook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-3db51b0e/precis/event"
)

// short is a timeout that hooks of these tests run into.
const short = 100 * time.Millisecond

// plenty is one that they do not.
const plenty = time.Minute

// TestShellAsk: real scripts, good and bad. SPEC: G5, V9
func TestShellAsk(t *testing.T) {
	for name, tt := range map[string]struct {
		script string
		want   event.Verdict
		check  func(error) bool // nil: no error
	}{
		"says nothing":        {"exit 0", event.Verdict{}, nil},
		"reads nothing":       {"exec <&-; exit 0", event.Verdict{}, nil},
		"instructions":        {`cat >/dev/null; echo '{"instructions":"keep \"a\""}'`, event.Verdict{Instructions: `keep "a"`}, nil},
		"veto by answer":      {`echo '{"veto":true,"reason":"freeze"}'`, event.Verdict{Veto: true, Reason: "freeze"}, nil},
		"veto by exit code":   {"echo not now >&2; echo '{}'; exit 2", event.Verdict{Veto: true, Reason: "not now"}, nil},
		"veto without words":  {"exit 2", event.Verdict{Veto: true}, nil},
		"noise on stderr":     {`echo warn >&2; echo '{"instructions":"x"}'`, event.Verdict{Instructions: "x"}, nil},
		"fails":               {`echo '{"veto":true}'; echo oh no >&2; exit 1`, event.Verdict{}, isExit(1, "oh no")},
		"no such command":     {"/no/such/command", event.Verdict{}, isExit(127, "/no/such/command")},
		"killed":              {"kill -9 $$", event.Verdict{}, isExit(-1, "")},
		"garbage":             {"printf '\\000\\377{'", event.Verdict{}, is(ErrVerdict)},
		"a log line":          {"echo compacting", event.Verdict{}, is(ErrVerdict)},
		"huge answer":         {"yes | head -c 300000", event.Verdict{}, is(ErrTooLong)},
		"huge stderr":         {"yes no | head -c 300000 >&2; exit 3", event.Verdict{}, isExit(3, "no\nno")},
		"child holds output":  {`sleep 300 & echo '{"instructions":"x"}'`, event.Verdict{Instructions: "x"}, nil},
		"and it vetoes":       {"sleep 300 & echo no >&2; exit 2", event.Verdict{Veto: true, Reason: "no"}, nil},
		"payload in no place": {`case "$*$0" in *t1*) exit 1;; esac; env | grep -q '"t1"\|acme' && exit 1; exit 0`, event.Verdict{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := Shell(tt.script, plenty).Ask(t.Context(), compaction)
			if v != tt.want {
				t.Errorf("verdict %+v, want %+v", v, tt.want)
			}
			if tt.check == nil && err != nil || tt.check != nil && !tt.check(err) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func is(want error) func(error) bool {
	return func(err error) bool { return errors.Is(err, want) }
}

func isExit(code int, stderr string) func(error) bool {
	return func(err error) bool {
		exit, ok := errors.AsType[*ExitError](err)
		return ok && exit.Code == code && strings.Contains(exit.Stderr, stderr)
	}
}

// TestShellTell: the script gets both payloads on standard input and the
// event's name in its environment; only its exit code counts. SPEC: T9, G5
func TestShellTell(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("LOG", log)
	h := Shell(`cat >>"$LOG"; echo "$PRECIS_HOOK_EVENT" >>"$LOG"; echo this is no verdict`, plenty)
	if err := h.Tell(t.Context(), compaction); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	if len(lines) != 4 || lines[1] != "PostCompact" || lines[3] != "SessionStart" {
		t.Fatalf("log:\n%s", b)
	}
	for _, line := range []string{lines[0], lines[2]} {
		var got event.Payload
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		want := compaction
		if want.Name = event.PostCompact; line == lines[2] {
			want.Name, want.Source = event.SessionStart, "compact"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("payload (-want +got):\n%s", diff)
		}
	}
	if err := Shell("exit 2", plenty).Tell(t.Context(), compaction); !isExit(2, "")(err) {
		t.Errorf("Tell = %v, want the exit code: there is nothing to veto", err)
	}
}

// TestShellTimeout: slow scripts and endless ones end at the timeout, whatever
// their children do. SPEC: V9
func TestShellTimeout(t *testing.T) {
	for name, script := range map[string]string{
		"sleeps":              "sleep 300",
		"talks for ever":      "yes",
		"waits for a child":   "sleep 300 & wait",
		"heeds no signal":     "trap '' TERM INT HUP; while :; do sleep 1; done",
		"child holds output":  "sleep 300 | cat",
		"would have vetoed":   "sleep 300; exit 2",
		"output to elsewhere": "sleep 300 >/dev/null 2>&1",
	} {
		t.Run(name, func(t *testing.T) {
			v, err := Shell(script, short).Ask(t.Context(), compaction)
			if v != (event.Verdict{}) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Ask = %+v, %v, want the deadline", v, err)
			}
		})
	}
}

// TestShellLeavesNoOrphan: children hold a pipe's write end; its reader comes to
// the end only when all of them are gone. SPEC: V9
func TestShellLeavesNoOrphan(t *testing.T) {
	for name, tt := range map[string]struct {
		script string
		stop   bool // the test cancels; else the script ends of itself
	}{
		"cancelled":                 {`exec 3>"$PIPE"; (sleep 300; true) & sleep 300 & wait`, true},
		"cancelled, child detached": {`exec 3>"$PIPE"; sleep 300 >/dev/null 2>&1 & wait`, true},
		"ended, child holds output": {`exec 3>"$PIPE"; sleep 300 & exit 0`, false},
		"vetoed, child holds it":    {`exec 3>"$PIPE"; sleep 300 & exit 2`, false},
	} {
		t.Run(name, func(t *testing.T) {
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PIPE", pipe)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			asked := make(chan error, 1)
			go func() {
				_, err := Shell(tt.script, plenty).Ask(ctx, compaction)
				asked <- err
			}()
			r, err := os.Open(pipe) // waits until the script has opened its end
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if tt.stop {
				cancel()
			}
			if _, err := io.Copy(io.Discard, r); err != nil {
				t.Error(err)
			}
			if err := <-asked; errors.Is(err, context.Canceled) != tt.stop {
				t.Errorf("Ask = %v", err)
			}
		})
	}
}

// TestShellDetached: a child that let go of the output of a script that ended
// well lives on.
func TestShellDetached(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ready", "go"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("DIR", dir)
	h := Shell(`(read x <"$DIR/go"; echo "$x" >"$DIR/ready") >/dev/null 2>&1 </dev/null &`, plenty)
	if _, err := h.Ask(t.Context(), compaction); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("alive\n"), 0); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "ready"))
	if err != nil || string(b) != "alive\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestShellInChain: one that hangs and one that fails keep nothing from the
// rest. SPEC: G5, V9
func TestShellInChain(t *testing.T) {
	h := event.Chain(
		Shell("sleep 300", short), Shell("exit 1", plenty),
		Shell(`echo '{"instructions":"keep a"}'`, plenty), Shell("echo freeze >&2; exit 2", plenty),
	)
	v, err := h.Ask(t.Context(), compaction)
	if want := (event.Verdict{Veto: true, Reason: "freeze", Instructions: "keep a"}); v != want {
		t.Errorf("verdict %+v, want %+v", v, want)
	}
	if !errors.Is(err, context.DeadlineExceeded) || !isExit(1, "")(err) {
		t.Errorf("error %v, want both failures", err)
	}
}
