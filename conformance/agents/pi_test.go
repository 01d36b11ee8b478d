package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// piSession is pi in its RPC mode.
type piSession struct {
	t   *testing.T
	in  io.WriteCloser
	out *json.Decoder
	cmd *exec.Cmd
}

// piEvent is what pi says.
type piEvent struct {
	Type, Command, Method string
	Message               any // a text of a notification, else the message it is about
	Data                  struct{ Summary string }
}

// newPi is pi with a model of a window and what it keeps of a session.
func newPi(t *testing.T, window, keep int, next func(n int, body string) fakeReply) (*home, *provider) {
	t.Helper()
	h := newHome(t, "pi")
	up := newProvider(t, "openai", next)
	h.put(".pi/agent/models.json", fmt.Sprintf(`{"providers":{"fake":{"baseUrl":"%s/v1","api":"openai-completions","apiKey":"k","models":[{"id":"fake","name":"fake","reasoning":false,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":%d,"maxTokens":4000}]}}}`, up.url, window))
	h.put(".pi/agent/settings.json", fmt.Sprintf(`{"compaction":{"enabled":true,"keepRecentTokens":%d,"reserveTokens":4000}}`, keep))
	h.env = append(h.env, "PI_OFFLINE=1", "PI_TELEMETRY=0", "PI_CODING_AGENT_DIR="+h.folder+"/.pi/agent")
	return h, up
}

// start starts pi, with the last session or a new one.
func (h *home) startPi(args ...string) *piSession {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), longest)
	h.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, h.agent, append([]string{"--mode", "rpc", "--provider", "fake", "--model", "fake"}, args...)...)
	cmd.Dir, cmd.Env = h.work(), h.env
	in, err := cmd.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	return &piSession{t: h.t, in: in, out: json.NewDecoder(out), cmd: cmd}
}

// ask sends a request and reads until the event that ends it.
func (p *piSession) ask(request map[string]string, ends string) (e piEvent) {
	p.t.Helper()
	b, err := json.Marshal(request)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(b, '\n')); err != nil {
		p.t.Fatal(err)
	}
	for e.Type+e.Command+e.Method != ends {
		e = piEvent{}
		if err := p.out.Decode(&e); err != nil {
			p.t.Fatal(err)
		}
	}
	return e
}

func (p *piSession) prompt(text string) {
	p.t.Helper()
	p.ask(map[string]string{"type": "prompt", "message": text}, "agent_end")
}

// command runs a command of the extension and returns what it tells.
func (p *piSession) command(text string) string {
	p.t.Helper()
	return fmt.Sprint(p.ask(map[string]string{"type": "prompt", "message": text}, "extension_ui_requestnotify").Message)
}

func (p *piSession) compact() string {
	p.t.Helper()
	return p.ask(map[string]string{"type": "compact"}, "responsecompact").Data.Summary
}

func (p *piSession) end() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill() // it waits for more
	_ = p.cmd.Wait()
}

// pi: a compaction is precis', made within the time that the extension gives it; its
// commands answer, and undo brings back what was said.
//
// SPEC: B25
func TestPi(t *testing.T) {
	h, up := newPi(t, 200_000, 3000, said)
	h.run(h.precis, "install", "pi")
	p := h.startPi()
	defer p.end()
	p.prompt(task)
	for n := range 5 {
		p.prompt(fmt.Sprint("Go on with part ", n))
	}
	began := time.Now()
	if got := p.compact(); !strings.Contains(got, "word for word (#1):\n"+task) || up.count() != 6 {
		t.Errorf("%d requests; the summary is %s", up.count(), got)
	}
	t.Logf("a compaction took %v", time.Since(began).Round(time.Millisecond))
	for _, c := range [][2]string{
		{"/precis-left", "plan 1 of thread"}, {"/precis-why #3", "#3"}, {"/precis-grep migrations", task}, {"/precis-pin #2", "keeps #2 word for word"}, {"/precis-unpin #2", "may leave out #2 again"},
	} {
		if got := p.command(c[0]); !strings.Contains(got, c[1]) {
			t.Errorf("%s: %s", c[0], got)
		}
	}
	if got := p.command("/precis-undo"); !strings.Contains(got, "taken back") {
		t.Errorf("undo: %s", got)
	}
	p.prompt("Go on")
	if last := up.last(); !strings.Contains(last, "Step 1. I checked") || strings.Contains(last, "[precis] This conversation") {
		t.Errorf("after the compaction was taken back: %.3000s", last)
	}
	p.compact()
	p.prompt("Go on again")
	if last := up.last(); !strings.Contains(last, "[precis] This conversation") {
		t.Errorf("after the second compaction: %.3000s", last)
	}
	if got := p.command("/precis-undo"); !strings.Contains(got, "/precis-undo anyway") {
		t.Errorf("undo with messages since: %s", got)
	}
	h.run(h.precis, "uninstall", "pi")
	if left := h.files(".pi/agent/extensions"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
