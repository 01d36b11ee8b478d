package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// large is a history of about n bytes, as requests that each hold one round more
// than the one before: the last ones of a session.
func large(a api, n, steps int) []string {
	g := &agent{api: a, messages: []string{a.first}, lines: 40}
	var bodies []string
	size := len(a.first)
	for i := 0; len(bodies) < steps; i++ {
		text, id, args := said(i)
		var round []string
		switch a.name {
		case "anthropic":
			round = []string{fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%s},{"type":"tool_use","id":%q,"name":"read_file","input":%s}]}`, quoted(text), id, args)}
		case "openai":
			round = []string{fmt.Sprintf(`{"role":"assistant","content":%s,"tool_calls":[{"id":%q,"type":"function","function":{"name":"read_file","arguments":%s}}]}`, quoted(text), id, quoted(args))}
		case "gemini":
			round = []string{fmt.Sprintf(`{"parts":[{"text":%s},{"functionCall":{"id":%q,"name":"read_file","args":%s},"thoughtSignature":"c2ln"}],"role":"model"}`, quoted(text), id, args)}
		default:
			round = []string{messageItem(i, text), callItem(i, id, args)}
		}
		if n < 10_000 {
			g.lines = 1
		}
		round = append(round, fmt.Sprintf(a.result, id, quoted(g.output(id))))
		if size > n-4_000 || n < 10_000 && size > n/4 {
			bodies = append(bodies, a.body(g.messages, true))
		}
		g.messages = append(g.messages, round...)
		for _, m := range round {
			size += len(m)
		}
	}
	return bodies
}

// BenchmarkLatency is the time of a whole exchange over loopback: to the provider
// directly, through the proxy as a conversation goes on (one more round with each
// request), the same without waiting for the disk, the same with the log in memory and
// not on disk, and as one that the proxy has never seen. Compare the p50 of a line with
// that of its direct call.
func BenchmarkLatency(b *testing.B) {
	answers := map[string]string{}
	for _, a := range apis {
		answers[a.path] = stream(a, 1, 100)
	}
	up := newProvider(b)
	up.answer = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		up.send(w, "text/event-stream", answers[r.URL.Path])
		up.mu.Lock()
		up.got = nil
		up.mu.Unlock()
		return true
	}
	wide := map[string]string{"anthropic": "claude-opus-4-8", "openai": "gpt-4.1", "responses": "gpt-5.5", "gemini": "gemini-2.5-flash"} // windows of a million
	for _, a := range apis {
		a.model = wide[a.name]
		for _, size := range []int{2 << 10, 100 << 10, 600 << 10, 1600 << 10} {
			bodies := large(a, size, 50)
			for _, how := range []string{"direct", "continuing", "fast", "in memory", "new", "off"} {
				b.Run(fmt.Sprintf("%s/%dKB/%s", a.name, size>>10, how), func(b *testing.B) { exchange(b, a, up.url, bodies, how) })
			}
		}
	}
}

func exchange(b *testing.B, a api, up string, bodies []string, how string) {
	o := options(up)
	o.Engine.Store, o.Budget = onDisk(b, ""), 10_000_000 // nothing is compacted
	if how == "off" {
		o.Mode = proxy.Off
	}
	if how == "fast" {
		o.Durability = proxy.DurabilityFast
	}
	url := up
	if how == "in memory" {
		o.Engine.Store = memory.New()
	}
	if how != "direct" {
		url = serve(b, o).url
	}
	c := client(b)
	n := 0
	do := func(i int) {
		body, key := bodies[i%len(bodies)], fmt.Sprint("session ", i/len(bodies))
		if how == "new" {
			body, key = strings.Replace(body, "nightly", fmt.Sprint("run ", i), 1), fmt.Sprint("new ", i)
		}
		resp, err := c.Do(request(b, context.Background(), url+a.path, body, proxy.ThreadHeader, key))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
		_ = resp.Body.Close()
		n++
	}
	do(0)
	var took []time.Duration
	for b.Loop() {
		at := time.Now()
		do(n)
		took = append(took, time.Since(at))
	}
	slices.Sort(took)
	b.ReportAllocs()
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(0, "ns/op")
}
