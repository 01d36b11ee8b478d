package proxy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/codec/codectest"
)

// value draws any JSON, in any spacing.
func value(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "space")
		kinds := 4
		if depth == 0 {
			kinds = 2
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return space + quoted(rapid.String().Draw(t, "string"))
		case 1:
			return space + rapid.SampledFrom([]string{"1.50", "-0", "2E+5", "9007199254740993", "null", "true", `"\u00e9\/"`}).Draw(t, "atom")
		case 2:
			return space + "[" + strings.Join(rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "array"), ",") + space + "]"
		}
		var ms []string
		for i, v := range rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "object") {
			ms = append(ms, fmt.Sprintf(`"m%d"%s:%s`, i, space, v))
		}
		return "{" + strings.Join(ms, ",") + space + "}"
	})
}

// drawBody draws a call of an API with members that nobody knows at every level.
func drawBody(t *rapid.T, a api) string {
	var ms []string
	for i := range rapid.IntRange(0, 6).Draw(t, "messages") {
		role := []string{"user", "assistant"}[i%2]
		ms = append(ms, fmt.Sprintf(`{"role":%q,"x":%s,"content":%s}`, role, value(2).Draw(t, "x"), quoted(rapid.String().Draw(t, "text"))))
	}
	list := codectest.List(a.name)
	return fmt.Sprintf(`{"model":"m","future":%s, %q : [%s],"max_tokens":9}%s`, value(3).Draw(t, "future"), list, strings.Join(ms, " , "), rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end"))
}

// Without a plan the provider gets the client's own bytes, and the client the
// provider's, whatever they are: over 300 random bodies of each kind.
//
// SPEC: V11, V9, B6
func TestBytes(t *testing.T) {
	up := newProvider(t)
	up.lax = true
	up.answer = func(w http.ResponseWriter, _ *http.Request, body string) bool {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "answer to "+body)
		return true
	}
	f := serve(t, options(up.url))
	check := func(t *rapid.T, path, body string) {
		resp, err := http.DefaultTransport.RoundTrip(request(up.t, context.Background(), f.url+path, body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		got := up.requests()
		if last := got[len(got)-1].body; last != body {
			t.Fatalf("upstream got\n%s\nof\n%s", last, body)
		}
		if err != nil || string(answer) != "answer to "+body {
			t.Fatalf("%v: the client got %q", err, answer)
		}
	}
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { check(t, a.path, drawBody(t, a)) })
		})
		t.Run(a.name+"/any bytes", func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { check(t, a.path, string(rapid.SliceOf(rapid.Byte()).Draw(t, "body"))) })
		})
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// Headers nobody knows, paths, queries and methods pass, both ways.
//
// SPEC: B6, V11 · WP1, WP2, WP3
func TestPasses(t *testing.T) {
	up := newProvider(t)
	up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		h := w.Header()
		h["X-Request-Id"], h["Anthropic-Ratelimit-Tokens-Remaining"], h["Set-Cookie"] = []string{"req_7"}, []string{"5"}, []string{"a=1", "b=2"}
		h["Content-Type"] = nil
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "<html>"+r.Method)
		return true
	}
	f := serve(t, options(up.url))
	sent := http.Header{
		"Authorization": {"Bearer " + secret}, "X-Future": {"a", "b"}, "Anthropic-Beta": {"x-2027-01-01,y"}, "Anthropic-Version": {"2023-06-01"},
		"X-Forwarded-For": {"10.0.0.9"}, "User-Agent": {"agent/1"}, "X-Precis-Thread": {"mine"},
	}
	for _, c := range []struct{ method, uri, body string }{
		{"POST", "/v1/messages?beta=true", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`},
		{"POST", "/v1/messages/count_tokens?beta=true", `{"model":"m","messages":[]}`},
		{"POST", "/v1/chat/completions", "no json"},
		{"GET", "/v1/models?limit=1000", ""},
		{"DELETE", "/v1/files/a%2Fb%20c//d?x=%zz;y&z", ""},
		{"GET", "/v1/responses/resp_1", ""},
		{"PATCH", "/v1/realtime/../x", "{}"},
		{"HEAD", "/", ""},
		{"OPTIONS", "/v1/messages", ""},
	} {
		t.Run(c.method+" "+c.uri, func(t *testing.T) {
			r := request(t, context.Background(), f.url, c.body)
			r.Method, r.Header = c.method, sent.Clone()
			r.URL.Opaque = c.uri
			resp, err := client(t).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			want := "<html>" + c.method
			if c.method == "HEAD" {
				want = ""
			}
			if err != nil || string(b) != want || resp.StatusCode != http.StatusTeapot {
				t.Errorf("%v, status %d: %q", err, resp.StatusCode, b)
			}
			if h := resp.Header; h.Get("X-Request-Id") != "req_7" || len(h["Set-Cookie"]) != 2 || len(h["Content-Type"]) != 0 {
				t.Errorf("header %v", h)
			}
			got := up.requests()
			last := got[len(got)-1]
			if last.method != c.method || last.uri != c.uri || last.body != c.body {
				t.Errorf("upstream got %s %s %q", last.method, last.uri, last.body)
			}
			headers(t, sent, last.header)
		})
	}
}

// headers wants what a client sent to arrive, but for the proxy's own.
func headers(t *testing.T, sent, got http.Header) {
	t.Helper()
	want := sent.Clone()
	want.Del("X-Precis-Thread")
	got = got.Clone()
	for _, name := range []string{"Content-Length", "Accept-Encoding"} {
		got.Del(name)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A stream in any pieces, with events nobody knows, comments, errors in its
// middle and bytes that are no UTF-8, arrives as it was sent.
//
// SPEC: B6, V11 · WP3, WP4
func TestStreamBytes(t *testing.T) {
	odd := ": comment\r\n\r\nevent: ping\ndata: {}\n\ndata: not json\n\nevent: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\ndata: \xff\xfe\n\nid: 7\nretry: 1\ndata: a\ndata: b"
	for _, a := range apis {
		for _, pieces := range []int{1, 2, 3, 7, 61, 0} {
			t.Run(fmt.Sprintf("%s/%d", a.name, pieces), func(t *testing.T) {
				want := stream(a, 1, 100) + odd
				up := newProvider(t)
				up.pieces = pieces
				up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
					up.send(w, "text/event-stream; charset=utf-8", want)
					return true
				}
				f := serve(t, options(up.url))
				resp, got := post(t, f.url+a.path, a.body([]string{a.first}, true))
				if got != want || resp.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
					t.Error(cmp.Diff(want, got))
				}
			})
		}
	}
}

// Each piece of a stream is with the client before the next one is sent.
//
// SPEC: B6 · WP1
func TestNoBuffering(t *testing.T) {
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			events := strings.SplitAfter(stream(a, 1, 100), "\n\n")
			seen := make(chan string)
			up := newProvider(t)
			up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
				w.Header().Set("Content-Type", "text/event-stream")
				for _, e := range events[:len(events)-1] {
					_, _ = io.WriteString(w, e)
					w.(http.Flusher).Flush()
					select {
					case got := <-seen:
						if got != e {
							t.Errorf("client got %q, want %q", got, e)
						}
					case <-r.Context().Done():
					}
				}
				return true
			}
			o := options(up.url)
			o.Limits.SniffTimeout = time.Nanosecond // what a stream begins with may be held, but not for long
			f := serve(t, o)
			resp, err := client(t).Do(request(t, context.Background(), f.url+a.path, a.body([]string{a.first}, true)))
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(resp.Body)
			for range events[:len(events)-1] {
				var event strings.Builder
				for !strings.HasSuffix(event.String(), "\n\n") {
					line, err := lines.ReadString('\n')
					if err != nil {
						t.Fatal(err)
					}
					event.WriteString(line)
				}
				seen <- event.String()
			}
			_ = resp.Body.Close()
		})
	}
}

// An answer that is compressed all the same passes as it is, and so does a
// request; a client that asks for compression gets an answer it can read.
//
// SPEC: B6, V9
func TestCompressed(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(`{"error":{"message":"prompt is too long"}}`))
	_ = z.Close()
	up := newProvider(t)
	up.answer = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(zipped.Bytes())
		return true
	}
	f := serve(t, options(up.url))
	a := apiNamed(t, "openai")
	resp, got := post(t, f.url+a.path, a.body([]string{a.first}, true), "Accept-Encoding", "gzip, br")
	if got != zipped.String() || resp.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%v %q", resp.Header, got)
	}
	post(t, f.url+a.path, zipped.String(), "Content-Encoding", "gzip", "Accept-Encoding", "br")
	sent := up.requests()
	if len(sent) != 2 || sent[1].body != zipped.String() || sent[1].header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%d requests", len(sent))
	}
	if a, b := sent[0].header.Get("Accept-Encoding"), sent[1].header.Get("Accept-Encoding"); a != "identity" || b != "br" {
		t.Errorf("encodings asked for: %q, %q", a, b)
	}
}

// Calls that are not understood, or not whole, pass and are counted by reason.
//
// SPEC: V9, V11 · WO5
func TestUntouched(t *testing.T) {
	large := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("x", 5000) + `"}]}`
	cases := map[string]struct{ path, body string }{
		"malformed":   {"/v1/messages", `{"messages":[`},
		"no_messages": {"/v1/responses", `{"model":"m","prompt":{"id":"p"}}`},
		"stateful":    {"/v1/responses", `{"model":"m","previous_response_id":"r","input":"go on"}`},
		"too_large":   {"/v1/messages", large},
	}
	up := newProvider(t)
	up.lax = true
	o := options(up.url)
	o.Limits.MaxBody = 4096
	f := serve(t, o)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		post(t, f.url+c.path, c.body)
		got := up.requests()
		if last := got[len(got)-1]; last.body != c.body {
			t.Errorf("%s: upstream got %.80q", name, last.body)
		}
		if n := strings.Count(f.log.String(), "reason="+name); n != 1 {
			t.Errorf("%s: %d lines in the log", name, n)
		}
	}
	if hs := f.threads(t, ""); len(hs) != 0 {
		t.Errorf("threads %v", hs)
	}
	_, metrics := get(t, f.url+"/metrics")
	for name := range cases {
		if !strings.Contains(metrics, `reason="`+name+`"} 1`) {
			t.Errorf("%s is not counted in %s", name, metrics)
		}
	}
}

func get(t testing.TB, url string) (int, string) {
	t.Helper()
	r := request(t, context.Background(), url, "")
	r.Method = http.MethodGet
	resp, err := client(t).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode, string(b)
}

// member is a value inside a JSON text.
func member(t testing.TB, text string, path ...string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}
