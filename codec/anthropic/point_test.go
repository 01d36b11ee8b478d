package anthropic_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

const shortMark, longMark = `,"cache_control":{"type":"ephemeral"}`, `,"cache_control":{"type":"ephemeral","ttl":"1h"}`

// drawMarked is a request whose client set some markers of its own, validly.
func drawMarked(t *rapid.T) string {
	left, long := rapid.IntRange(0, 4).Draw(t, "markers"), rapid.Bool().Draw(t, "long first")
	mark := func(name string) string {
		if left == 0 || !rapid.Bool().Draw(t, name) {
			return ""
		}
		left--
		if long = long && rapid.Bool().Draw(t, "still long"); long {
			return longMark
		}
		return shortMark
	}
	system := fmt.Sprintf(`[{"type":"text","text":"s"%s}]`, mark("system"))
	ms := []string{fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"task"%s}]}`, mark("task"))}
	for i := range rapid.IntRange(0, 6).Draw(t, "rounds") {
		ms = append(ms,
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"step %d"},{"type":"tool_use","id":"toolu_%d","name":"t","input":{"cache_control":1}}]}`, i, i),
			fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":"out %d"%s}]}`, i, i, mark("result")))
	}
	if rapid.Bool().Draw(t, "answered") {
		ms = append(ms, `{"role":"assistant","content":"done"}`, `{"role":"user","content":"and now?"}`)
	}
	return `{"model":"claude-opus-4-5","max_tokens":9,"system":` + system + `,"messages":[` + strings.Join(ms, ", ") + `]}`
}

// Markers on any parts make a request that is valid, and is the same as before
// without them; the client's own stay. Text that looks like a marker is none.
//
// SPEC: T7, V3, V11 · WA10, WA11
func TestMark(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		body := drawMarked(rt)
		var c anthropic.Codec
		req, err := c.Decode([]byte(body))
		if err != nil {
			rt.Fatal(err)
		}
		var points []codec.Point
		for range rapid.IntRange(0, 4).Draw(rt, "points") {
			points = append(points, codec.Point{Message: rapid.IntRange(-1, len(req.Messages)).Draw(rt, "message"), Part: rapid.IntRange(-1, 3).Draw(rt, "part")})
		}
		marked := c.Mark(req, req.Messages, points)
		out, err := c.Encode(req, marked)
		if err != nil {
			rt.Fatal(err)
		}
		for _, f := range wirecheck.Check("anthropic", out, wirecheck.Options{}) {
			rt.Errorf("%s: %s", f, out)
		}
		again, err := c.Decode(out)
		if err != nil {
			rt.Fatal(err)
		}
		for i := range req.Messages {
			if again.Messages[i].Digest() != req.Messages[i].Digest() {
				rt.Errorf("message %d is %s", i, again.Messages[i].Raw)
			}
		}
		if own := strings.Count(body, shortMark) + strings.Count(body, longMark); bytes.Count(out, []byte(shortMark[:16])) < own {
			rt.Errorf("a marker of the client's is gone: %s", out)
		}
		if len(points) == 0 && string(out) != body {
			rt.Errorf("changed without a point: %s", out)
		}
	})
}

// What was said again leaves with the marker and nothing else.
func TestMarkBytes(t *testing.T) {
	var c anthropic.Codec
	for body, want := range map[string]string{
		`{"model":"claude-opus-4-5","max_tokens":9,"messages":[{"role":"user","content":"hi", "x":1.50}]}`:                                 `{"model":"claude-opus-4-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}], "x":1.50}]}`,
		`{"model":"claude-opus-4-5","max_tokens":9,"messages":[ {"role":"user","content":[ {"type":"text","text":"h\u0069", "y":[ ]} ]}]}`: `{"model":"claude-opus-4-5","max_tokens":9,"messages":[ {"role":"user","content":[ {"type":"text","text":"h\u0069", "y":[ ],"cache_control":{"type":"ephemeral"}} ]}]}`,
		`{"model":"claude-opus-4-5","max_tokens":9,"messages":[{"role":"user","content":" "}]}`:                                            `{"model":"claude-opus-4-5","max_tokens":9,"messages":[{"role":"user","content":" "}]}`,
	} {
		req, err := c.Decode([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Encode(req, c.Mark(req, req.Messages, []codec.Point{{}}))
		if err != nil || string(out) != want {
			t.Errorf("%v: got\n%s\nwant\n%s", err, out, want)
		}
	}
}

// A marker lives as long as the client's next one behind it, the one that the provider sets at the
// end included, and stands beside none.
//
// SPEC: T7, V3 · WA10, WA11
func TestMarkLife(t *testing.T) {
	const system, said, result, automatic = `[{"type":"text","text":"s"%s}]`, `{"role":"user","content":[{"type":"text","text":"task"%s}]}`, `{"role":"user","content":[{"type":"text","text":"more"%s}]}`, `"cache_control":{"type":"ephemeral","ttl":"1h"},`
	request := func(top, of, task, more string) string {
		return fmt.Sprintf(`{"model":"claude-opus-4-5","max_tokens":9,%s"system":`+system+`,"messages":[`+said+`,{"role":"assistant","content":"ok"},`+result+`]}`, top, of, task, more)
	}
	for _, c := range []struct {
		name, body, want string
		caches           bool
		room             int
	}{
		{"nobody caches", request("", "", "", ""), request("", "", shortMark, shortMark), false, 4},
		{"the client caches what stands before its messages", request("", longMark, "", ""), request("", longMark, shortMark, shortMark), false, 3},
		{"the client caches the end", request("", shortMark, "", shortMark), request("", shortMark, shortMark, shortMark), true, 2},
		{"the client caches the end for long", request("", longMark, "", longMark), request("", longMark, longMark, longMark), true, 2},
		{"the client caches the beginning for long", request("", "", longMark, ""), request("", "", longMark, shortMark), false, 3},
		{"the provider marks the end", request(automatic, "", "", ""), request(automatic, "", longMark, ""), true, 3},
		{"the client caches all", request("", shortMark, shortMark, shortMark), request("", shortMark, shortMark, shortMark), true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var k anthropic.Codec
			req, err := k.Decode([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if end, more := k.Caches(req, ""); end != c.caches || !more {
				t.Errorf("caches: %v %v", end, more)
			}
			if got := k.Room(req, req.Messages); got != c.room {
				t.Errorf("room for %d", got)
			}
			out, err := k.Encode(req, k.Mark(req, req.Messages, []codec.Point{{Message: 2}, {Message: 0}}))
			if err != nil || string(out) != c.want {
				t.Errorf("%v: got\n%s\nwant\n%s", err, out, c.want)
			}
			for _, f := range wirecheck.Check("anthropic", out, wirecheck.Options{}) {
				t.Error(f)
			}
		})
	}
}
