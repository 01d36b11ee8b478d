package proxy_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// built is the program, built for this test.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "precis")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../cmd/precis").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// process is the program as it serves, over one database all its life.
type process struct {
	t      *testing.T
	path   string
	args   []string
	db     string
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	sent   []int // tokens of each prompt, as it counted
}

func serving(t *testing.T, path, upstream string, budget int) *process {
	t.Helper()
	db := filepath.Join(t.TempDir(), "p.db")
	return &process{t: t, path: path, db: db, args: []string{
		"serve", "--listen", "127.0.0.1:0", "--db", db, "--budget", fmt.Sprint(budget), "--upstream-openai", upstream, "--upstream-anthropic", upstream, "--upstream-gemini", upstream,
	}}
}

// start serves and returns the address.
func (p *process) start() string {
	p.t.Helper()
	p.cmd, p.stderr = exec.CommandContext(p.t.Context(), p.path, p.args...), &bytes.Buffer{}
	p.cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(p.db))
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = p.cmd.Wait()
		p.t.Fatalf("%v: %s", err, p.stderr)
	}
	return strings.TrimSpace(url)
}

// kill ends it as kill -9 does.
func (p *process) kill() {
	p.t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	_ = p.cmd.Wait() // says that it was killed
	p.clean()
}

// stop ends it as a supervisor does.
func (p *process) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("%v: %s", err, p.stderr)
	}
	p.clean()
}

// clean: nothing went wrong, as far as it knows.
func (p *process) clean() {
	p.t.Helper()
	for line := range strings.SplitSeq(p.stderr.String(), "\n") {
		if line == "" {
			continue
		}
		if !strings.Contains(line, "msg=call ") {
			p.t.Errorf("it says %s", line)
		}
		var n int
		if _, rest, ok := strings.Cut(line, " sent="); ok {
			_, _ = fmt.Sscan(rest, &n)
		}
		p.sent = append(p.sent, n)
	}
}

// counted: what it counted is what the provider did, or, where the count is no
// exact one, not less.
func (p *process) counted(sizes []int, estimated bool) {
	p.t.Helper()
	if len(p.sent) != len(sizes) {
		p.t.Fatalf("%d calls, %d answers", len(p.sent), len(sizes))
	}
	for i, n := range p.sent {
		if n != sizes[i] && !(estimated && n > sizes[i]) {
			p.t.Errorf("call %d: counted %d of %d tokens", i+1, n, sizes[i])
		}
	}
}

// run is another of its commands, over the same database.
func (p *process) run(args ...string) []byte {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), p.path, append(args, "--db", p.db)...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "HOME="+filepath.Dir(p.db)), io.Discard
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("precis %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// complete wants all that the client said and heard in the export of the only
// thread, and returns the number of its plans. The last answer is not logged
// until it is sent back.
func (p *process) complete(d *driver) int {
	p.t.Helper()
	var threads []struct {
		Thread string `json:"thread"`
		Plan   int    `json:"plan_version"`
	}
	if err := json.Unmarshal(p.run("thread", "list", "--json"), &threads); err != nil || len(threads) != 1 {
		p.t.Fatalf("%v: threads %+v", err, threads)
	}
	lines := strings.Split(strings.TrimSuffix(string(p.run("thread", "export", threads[0].Thread)), "\n"), "\n")
	for i, line := range lines {
		if i >= len(d.history) || compacted(p.t, line) != compacted(p.t, d.history[i]) {
			p.t.Fatalf("message %d is exported as %.300s", i, line)
		}
	}
	last := d.rec.steps[len(d.rec.steps)-1].answer
	most := 1 + len(last.Calls)
	if n := len(d.history) - len(lines); n > most {
		p.t.Errorf("%d of %d messages are not exported", n, len(d.history))
	}
	return threads[0].Plan
}

func compacted(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
