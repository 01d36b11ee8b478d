package codectest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

// exchange is a user's words and what came of them, in no dialect's form.
type exchange struct {
	ask, answer string
	calls       []message.Part
	results     []message.Part
}

var words = rapid.StringN(1, 20, 60).Filter(func(s string) bool {
	return len(s) > 0 && !blank(s)
})

func blank(s string) bool {
	for _, r := range s {
		if !slices.Contains([]rune(" \t\r\n\v\f\u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000"), r) && (r < 0x2000 || r > 0x200a) {
			return false
		}
	}
	return true
}

func conversation(t *rapid.T) []exchange {
	es := make([]exchange, rapid.IntRange(1, 4).Draw(t, "exchanges"))
	for i := range es {
		es[i] = exchange{ask: words.Draw(t, "ask"), answer: words.Draw(t, "answer")}
		for k := range rapid.IntRange(0, 3).Draw(t, "calls") {
			id := fmt.Sprintf("call_%d_%d", i, k)
			args, err := json.Marshal(map[string]any{"k": words.Draw(t, "arg"), "n": rapid.Int64().Draw(t, "n")})
			if err != nil {
				t.Fatal(err)
			}
			es[i].calls = append(es[i].calls, message.Part{Kind: message.Call, CallID: id, Name: "tool_x", Args: string(args)})
			r := message.Part{Kind: message.Result, CallID: id}
			for range rapid.IntRange(0, 2).Draw(t, "texts") {
				r.Parts = append(r.Parts, message.Part{Kind: message.Text, Text: words.Draw(t, "result")})
			}
			es[i].results = append(es[i].results, r)
		}
	}
	return es
}

// forms lay a conversation out as each dialect does: a message is a message of
// the wire.
var forms = map[string]func([]exchange) []message.Message{
	"anthropic": func(es []exchange) []message.Message { return laid(es, true, false) },
	"openai":    func(es []exchange) []message.Message { return laid(es, false, false) },
	"responses": func(es []exchange) []message.Message { return laid(es, false, true) },
	"gemini":    func(es []exchange) []message.Message { return laid(oneText(es), true, false) },
}

// oneText joins the texts of each result: Gemini's has one.
func oneText(es []exchange) []exchange {
	out := slices.Clone(es)
	for i := range out {
		out[i].results = slices.Clone(out[i].results)
		for k, r := range out[i].results {
			if len(r.Parts) > 0 {
				out[i].results[k].Parts = []message.Part{text(r.Body())}
			}
		}
	}
	return out
}

func laid(es []exchange, inUser, apart bool) []message.Message {
	var ms []message.Message
	say := func(role message.Role, ps ...message.Part) {
		if len(ps) > 0 {
			ms = append(ms, message.Message{Role: role, Parts: ps})
		}
	}
	for _, e := range es {
		say(message.User, text(e.ask))
		switch {
		case apart:
			for _, c := range e.calls {
				say(message.Assistant, c)
			}
		default:
			say(message.Assistant, e.calls...)
		}
		if inUser {
			say(message.User, e.results...)
		} else {
			for _, r := range e.results {
				say(message.Tool, r)
			}
		}
		say(message.Assistant, text(e.answer))
	}
	return append(ms, message.TextOf(message.User, "go on"))
}

func text(s string) message.Part { return message.Part{Kind: message.Text, Text: s} }

// A conversation laid out in a dialect's form is written validly and read back
// to the same digests.
//
// SPEC: V3, V5
func TestRoundTrip(t *testing.T) {
	for _, c := range codecs {
		t.Run(c.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				ms := forms[c.Name()](conversation(t))
				req := write(t, c, &codec.Request{Model: "m"}, ms)
				same(t, ms, req.Messages)
			})
		})
	}
}

// A conversation carried from any dialect to any other is valid there, and
// says and does the same.
//
// SPEC: V3
func TestCarry(t *testing.T) {
	for _, from := range codecs {
		for _, to := range codecs {
			t.Run(from.Name()+" to "+to.Name(), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					es := conversation(t)
					if from.Name() == "gemini" {
						es = oneText(es)
					}
					req := write(t, from, &codec.Request{Model: "m", MaxOutput: 7}, forms[from.Name()](es))
					got := write(t, to, req, req.Messages)
					same(t, forms[to.Name()](es), got.Messages)
					if got.Model != "m" || got.MaxOutput != 7 {
						t.Fatalf("envelope is %q, %d", got.Model, got.MaxOutput)
					}
				})
			})
		}
	}
}

// Whatever is taken out of a client's conversation, round by round, the rest
// is valid, and what was not touched is in it byte for byte.
//
// SPEC: V3, V11
func TestTakenOut(t *testing.T) {
	for _, c := range codecs {
		t.Run(c.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				es := conversation(t)
				req := write(t, c, &codec.Request{Model: "m"}, forms[c.Name()](es))
				var kept []message.Message
				for _, u := range units(req.Messages) {
					switch rapid.IntRange(0, 3).Draw(t, "what") {
					case 0:
					case 1:
						kept = append(kept, message.TextOf(rapid.SampledFrom([]message.Role{message.User, message.Assistant, message.System}).Draw(t, "role"), "summary"))
					default:
						kept = append(kept, u...)
					}
				}
				kept = append(kept, message.TextOf(message.User, "go on"))
				got := write(t, c, req, kept)
				for _, m := range kept {
					for _, p := range m.Parts {
						if p.Raw != nil && !slices.ContainsFunc(parts(got.Messages), func(q message.Part) bool { return string(q.Raw) == string(p.Raw) }) {
							t.Fatalf("part %s is gone", p.Raw)
						}
					}
				}
			})
		})
	}
}

func parts(ms []message.Message) []message.Part {
	var ps []message.Part
	for _, m := range ms {
		ps = append(ps, m.Parts...)
	}
	return ps
}

// units are rounds and single messages.
func units(ms []message.Message) [][]message.Message {
	var us [][]message.Message
	for _, m := range ms {
		n := len(us) - 1
		if m.Has(message.Result) || m.Has(message.Call) && n >= 0 && us[n][len(us[n])-1].Has(message.Call) {
			us[n] = append(us[n], m)
			continue
		}
		us = append(us, []message.Message{m})
	}
	return us
}

// write encodes, has the strict checker judge, and decodes again.
func write(t *rapid.T, c codec.Codec, req *codec.Request, ms []message.Message) *codec.Request {
	t.Helper()
	out, err := c.Encode(req, ms)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range wirecheck.Check(c.Name(), out, wirecheck.Options{JSONArgs: true}) {
		t.Fatalf("%s\n%s", f, out)
	}
	got, err := c.Decode(out)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func same(t *rapid.T, want, got []message.Message) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d messages, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if got[i].Digest() != want[i].Digest() {
			t.Fatalf("message %d: got %s, want %+v", i, got[i].Raw, want[i])
		}
	}
}
