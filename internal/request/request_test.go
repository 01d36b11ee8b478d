package request_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/internal/limits"
	"github.com/seed-3db51b0e/precis/internal/request"
	"github.com/seed-3db51b0e/precis/overflow"
	"github.com/seed-3db51b0e/precis/plan"
)

func decoded(t *testing.T, body string) *codec.Request {
	t.Helper()
	req, why := request.Decode(http.Header{}, []byte(body), true, openai.Codec{}.Decode)
	if why != "" {
		t.Fatal(why)
	}
	return req
}

// A conversation is what its client calls it, else what it begins with: whatever is
// said later, and with other system prompts apart.
func TestKey(t *testing.T) {
	one := decoded(t, `{"messages":[{"role":"system","content":"a"},{"role":"user","content":"x"}]}`)
	later := decoded(t, `{"messages":[{"role":"system","content":"a"},{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`)
	other := decoded(t, `{"messages":[{"role":"system","content":"b"},{"role":"user","content":"x"}]}`)
	key := func(req *codec.Request, header ...string) string {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return request.Key(h, req)
	}
	if key(one) != key(later) || key(one) == key(other) {
		t.Errorf("keys %s, %s, %s", key(one), key(later), key(other))
	}
	if got := key(one, request.ThreadHeader, "mine", "X-Claude-Code-Session-Id", "s"); got != "mine" {
		t.Errorf("named: %s", got)
	}
	if got := key(one, "X-Claude-Code-Session-Id", "s", "X-Claude-Code-Agent-Id", "a"); got != "s/a" {
		t.Errorf("session: %s", got)
	}
	if got := key(one, request.ThreadHeader, strings.Repeat("long", 100)); len(got) > 128 {
		t.Errorf("%d bytes", len(got))
	}
}

// What cannot be compacted is left as it is, and says why.
func TestDecodeLeavesAlone(t *testing.T) {
	for want, c := range map[string]struct {
		header http.Header
		body   string
		whole  bool
	}{
		"too_large":   {nil, "{", false},
		"encoded":     {http.Header{"Content-Encoding": {"gzip"}}, "{", true},
		"malformed":   {nil, "{", true},
		"no_messages": {nil, `{"messages":[]}`, true},
	} {
		if _, why := request.Decode(c.header, []byte(c.body), c.whole, openai.Codec{}.Decode); why != want {
			t.Errorf("%s, want %s", why, want)
		}
	}
}

// The error of a panic repeats the runtime's words and no other value.
func TestGuard(t *testing.T) {
	err := request.Guard(func() error { panic("secret") })
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	var none []int
	if err = request.Guard(func() error { _ = none[len(none)]; return nil }); err == nil || !strings.Contains(err.Error(), "out of range") {
		t.Errorf("%v", err)
	}
	if err = request.Guard(func() error { return io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}

// A refusal in tokens lowers the budget, and what comes of it must be smaller.
func TestShorter(t *testing.T) {
	var l limits.LearnedLimits
	p := request.Prompt{Input: precis.Input{Budget: 900}, Turn: &precis.Turn{}, Body: []byte("long"), Tokens: 800}
	in := p.Shorter(overflow.Overflow{Limit: 400, Requested: 800, Unit: overflow.Tokens}, &l, limits.Subject{Model: "m"})
	if in.Budget != 400 || !in.Mode.Force {
		t.Errorf("budget %d, forced %t", in.Budget, in.Mode.Force)
	}
	for tokens, want := range map[int]bool{400: true, 800: false} {
		if next := (request.Prompt{Turn: &precis.Turn{}, Body: []byte("short"), Tokens: tokens}); next.Replaces(p, overflow.Overflow{}) != want {
			t.Errorf("%d tokens replace 800: %t", tokens, !want)
		}
	}
}

// Only a refusal of thinking under a plan is answered by another prompt; the body can
// be read to its end afterwards in any case.
func TestThinkingRefused(t *testing.T) {
	own, said := []byte("own"), "Invalid `signature` in `thinking` block"
	under := &precis.Turn{Plan: &plan.Plan{}}
	for name, c := range map[string]struct {
		turn   *precis.Turn
		body   string
		status int
		said   string
		want   bool
	}{
		"refused":       {under, "other", 400, said, true},
		"no plan":       {&precis.Turn{}, "other", 400, said, false},
		"own bytes":     {under, "own", 400, said, false},
		"another error": {under, "other", 400, "no such model", false},
		"an answer":     {under, "other", 200, said, false},
	} {
		p := request.Prompt{Turn: c.turn, Body: []byte(c.body)}
		refused, rest := p.ThinkingRefused(own, c.status, io.NopCloser(strings.NewReader(c.said)))
		if all, err := io.ReadAll(rest); refused != c.want || err != nil || string(all) != c.said {
			t.Errorf("%s: refused %t, left %q, %v", name, refused, all, err)
		}
	}
}
