package proxy_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Where system prompt and tools alone are over the budget no plan can help: every
// request is sent once, as it came, and no plan is made again and again.
//
// SPEC: V4, V7, V9 · P2
func TestOverheadAlone(t *testing.T) {
	for _, a := range few(apis) {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			o := options(up.url)
			o.Budget = 2_000
			f := serve(t, o)
			g := newAgent(t, a, f.url, true)
			g.lines = 2
			g.write = func(messages []string) string {
				return strings.ReplaceAll(a.body(messages, true), "You are an agent.", strings.Repeat("You are an agent of many words. ", 400))
			}
			for range 20 {
				g.step()
				if up.last() != g.sent {
					t.Fatal("the request was changed")
				}
			}
			if n := len(up.requests()); n != 20 || f.plans(t) > 0 {
				t.Errorf("%d requests, %d plans", n, f.plans(t))
			}
		})
	}
}

// withPicture are results and messages with an image, by API.
var withPicture = map[string][2]string{
	"anthropic": {
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":[{"type":"text","text":"the page"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":%q}}]}]}`,
		`,{"type":"text","text":"Look at this one."},{"type":"image","source":{"type":"base64","media_type":"image/png","data":%q}}]}`, // in the same message
	},
	"gemini": {
		`{"role":"user","parts":[{"functionResponse":{"id":%q,"name":"read_file","response":{"output":"the page"},"parts":[{"inlineData":{"mimeType":"image/png","data":%q}}]}}]}`,
		`,{"text":"Look at this one."},{"inlineData":{"mimeType":"image/png","data":%q}}]}`, // in the same message
	},
	"openai": {
		`{"role":"tool","tool_call_id":%q,"content":%q}`,
		`{"role":"user","content":[{"type":"text","text":"Look at this one."},{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}]}`,
	},
	"responses": {
		`{"type":"function_call_output","call_id":%q,"output":[{"type":"input_text","text":"the page"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,%s"}]}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"Look at this one."},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,%s"}]}`,
	},
}

// A session full of pictures stays within the budget and valid, and the newest
// picture of the user's is always there.
//
// SPEC: V3, V4 · P13
func TestPictures(t *testing.T) {
	for _, a := range few(apis) {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			o := options(up.url)
			o.Budget = 16_000
			f := serve(t, o)
			rng := rand.New(rand.NewPCG(13, 1))
			draw := func() string {
				b := make([]byte, 20<<10)
				for i := range b {
					b[i] = byte(rng.Uint32())
				}
				return base64.StdEncoding.EncodeToString(b)
			}
			g := newAgent(t, a, f.url, true)
			var newest string
			for n := range 30 {
				id := fmt.Sprintf("p%d", n)
				g.messages = append(g.messages, asks(a, id), fmt.Sprintf(withPicture[a.name][0], id, draw()[:4096]))
				if n%3 == 0 {
					newest = draw()
					more := fmt.Sprintf(withPicture[a.name][1], newest)
					if last := &g.messages[len(g.messages)-1]; more[0] == ',' {
						*last = strings.TrimSuffix(*last, "]}") + more
					} else {
						g.messages = append(g.messages, more)
					}
				}
				g.step()
				if n%3 == 0 && !strings.Contains(up.last(), newest) {
					t.Fatalf("step %d: the picture is gone", n)
				}
			}
			if up.most > 16_000 || f.plans(t) == 0 {
				t.Errorf("%d tokens, %d plans", up.most, f.plans(t))
			}
		})
	}
}

// A conversation that goes on with a model of a smaller window fits it at once,
// and goes back as it was.
//
// SPEC: L11, V3, V4 · P14
func TestSmallerModel(t *testing.T) {
	for _, c := range []struct {
		api, small string
		window     int
	}{{"openai", "gpt-4", 8_192}, {"responses", "gpt-4", 8_192}, {"anthropic", "claude-haiku-4-5", 200_000}} {
		t.Run(c.api, func(t *testing.T) {
			a := apiNamed(t, c.api)
			up := newProvider(t)
			f := serve(t, options(up.url))
			g := newAgent(t, a, f.url, true)
			if c.api == "anthropic" { // a window of a million, by a header
				a.model = "claude-sonnet-4-5"
				g.header = []string{"Anthropic-Beta", "context-1m-2025-08-07"}
				g.lines = 1_500
			}
			large := func(messages []string) string {
				return strings.Replace(g.api.body(messages, true), fmt.Sprintf("%q", g.api.model), fmt.Sprintf("%q", a.model), 1)
			}
			g.write = large
			for range 8 {
				g.step()
			}
			if up.last() != g.sent || f.plans(t) > 0 || up.most < c.window {
				t.Fatalf("%d tokens, %d plans", up.most, f.plans(t))
			}
			g.header, g.lines, up.most = nil, 20, 0
			g.write = func(messages []string) string {
				return strings.Replace(large(messages), fmt.Sprintf("%q", a.model), fmt.Sprintf("%q", c.small), 1)
			}
			for range 3 {
				g.step()
			}
			if up.most > c.window || up.most == 0 || f.plans(t) == 0 {
				t.Errorf("%d tokens, %d plans", up.most, f.plans(t))
			}
			if hs := f.threads(t, ""); len(hs) != 1 {
				t.Errorf("%d threads", len(hs))
			}
		})
	}
}

// Through several compactions the system prompt is what it was, byte for byte,
// and the user is quoted in the user's own words and script.
//
// SPEC: B2, B16, V11 · P15
func TestUserQuotedVerbatim(t *testing.T) {
	const persona, task = "Du bist Hauptmann Krähe. Antworte immer in Reimen.", "なぜ夜間ビルドが失敗するのか調べてください。"
	for _, a := range few(apis) {
		t.Run(a.name, func(t *testing.T) {
			up := newProvider(t)
			o := options(up.url)
			o.Budget = budget
			f := serve(t, o)
			g := newAgent(t, a, f.url, true)
			g.messages[0] = strings.Replace(g.messages[0], "Find out why the nightly build fails. Never touch db/migrations.", task, 1)
			g.write = func(messages []string) string {
				return strings.ReplaceAll(a.body(messages, true), "You are an agent.", persona)
			}
			for n := range 40 {
				g.step()
				if sent := up.last(); !strings.Contains(sent, persona) || !strings.Contains(sent, task) {
					t.Fatalf("step %d: %.2000s", n, sent)
				}
			}
			if f.plans(t) < 2 {
				t.Errorf("%d plans", f.plans(t))
			}
		})
	}
}
