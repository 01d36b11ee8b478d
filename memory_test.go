package precis_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token"
)

// What is kept in memory is bounded in threads and in bytes, and its use is
// counted.
//
// SPEC: V5
func TestRememberedIsBounded(t *testing.T) {
	e := newEngine(t, memory.New(), policyOf(t, "balanced"))
	say := func(k string, ms ...message.Message) {
		t.Helper()
		in := request(k, ms, 4_000_000)
		in.Mode.NoCompact = true
		prepared(t, e, in)
	}
	one := message.TextOf(message.User, "one")
	two := []message.Message{one, message.TextOf(message.Assistant, "two"), message.TextOf(message.User, "three")}
	say("t0", one)
	first := e.CacheStats()
	if first.Threads != 1 || first.Bytes < 1000 || first.Hits+first.Misses != 0 {
		t.Fatalf("%+v", first)
	}
	say("t0", two...)
	if r := e.CacheStats(); r.Hits != 1 || r.Misses != 0 || r.Bytes <= first.Bytes {
		t.Fatalf("%+v", r)
	}
	for i := range 1030 {
		say(fmt.Sprint("t", i+1), one)
	}
	say("t0", two...)
	if r := e.CacheStats(); r.Threads != 1024 || r.Hits != 1 || r.Misses != 1 {
		t.Fatalf("%+v", r)
	}
}

// A few threads of many bytes make room for each other.
func TestRememberedBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("360 MB, counted in one goroutine")
	}
	e := newEngine(t, memory.New(), policyOf(t, "balanced"))
	large := strings.Repeat("x", 40<<20)
	for i := range 9 {
		in := request(fmt.Sprint("t", i), []message.Message{message.TextOf(message.User, large)}, 4_000_000)
		in.Mode.NoCompact = true
		_, _ = e.Prepare(t.Context(), in) // it is logged and kept, whatever becomes of the prompt
		if r := e.CacheStats(); r.Threads != min(i+1, 6) || r.Bytes > 256<<20 {
			t.Fatalf("after %d: %+v", i, r)
		}
	}
	var none precis.CacheStats
	if fresh := newEngine(t, memory.New(), policyOf(t, "balanced")).CacheStats(); fresh != none {
		t.Fatalf("%+v", fresh)
	}
}

// A client that changes its messages afterwards changes nothing that is kept.
//
// SPEC: V1
func TestThreadIsNotTheClientsMemory(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	ms := work(5, 3)
	prepared(t, e, request("t", ms, 80_000))
	ms = work(5, 3)
	ms[1].Raw = []byte(`{"other":"form"}`)
	turn := prepared(t, e, request("t", ms, 80_000))
	ms[1].Parts[0].Text = "changed by the client afterwards"
	if turn.Thread.At(1).Message.Parts[0].Text == ms[1].Parts[0].Text {
		t.Error("the thread of the turn (and of a proposal made on it) holds the client's slice")
	}
}

// What is kept of a conversation does not hold the bodies it came in.
//
// SPEC: V1
func TestKeptMessagesDoNotHoldTheirRequest(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	var msgs []string
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	before, last := heap(), 0
	for i := range 200 {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		msgs = append(msgs, fmt.Sprintf(`{"role":%q,"content":"%d %s"}`, role, i, strings.Repeat("words of text ", 300)))
		if i%2 == 1 {
			continue
		}
		body := []byte(`{"model":"gpt-4o","messages":[` + strings.Join(msgs, ",") + `]}`)
		req, err := openai.Codec{}.Decode(body)
		if err != nil {
			t.Fatal(err)
		}
		last = len(body)
		if _, err := e.Prepare(t.Context(), precis.Input{Thread: "t", Messages: req.Messages, Meter: token.Truncate(), Budget: 4_000_000}); err != nil {
			t.Fatal(err)
		}
	}
	grown := heap() - before
	t.Logf("the last body has %d KB, the heap grew by %d KB", last/1024, grown/1024)
	if grown > uint64(10*last) {
		t.Error("each kept message holds the body of its request")
	}
	runtime.KeepAlive(e)
}

// What a kept result holds does not hold the body that it came in.
//
// SPEC: V1
func TestKeptResultsDoNotHoldTheirRequest(t *testing.T) {
	e := newWith(t, precis.Options{Store: memory.New(), Policy: policyOf(t, "balanced")})
	freed := make(chan struct{})
	func() {
		raw := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c0","content":[{"type":"text","text":"out"}]}]}`
		body := &[1 << 20]byte{}
		runtime.AddCleanup(body, func(c chan struct{}) { close(c) }, freed)
		at := copy(body[:], raw)
		ms := []message.Message{message.TextOf(message.User, "the task"), says(asks("c0", `{}`)), answers("c0", words("out"))}
		m := &ms[2]
		m.Dialect, m.Raw = "anthropic", body[:at]
		part := strings.Index(raw, `{"type":"text"`)
		m.Parts[0].Parts[0].Raw = body[part : at-4]
		prepared(t, e, request("t", ms, 80_000))
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-freed:
			runtime.KeepAlive(e)
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("a kept message holds the body of its request")
}
