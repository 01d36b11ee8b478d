package mcp_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A script may write all it asks, close, and read the answers; what is no
// message is answered, and the session goes on.
func TestScripted(t *testing.T) {
	s := server(t, options(kept(t)))
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"precis_read","arguments":{"id":"#4"}}}`
	const declared = "x is not declared"
	for name, tt := range map[string]struct {
		in    string
		lines int
		says  string // in the answers
	}{
		"whole":        {hello + call + "\n", 2, declared},
		"no newline":   {hello + call, 2, declared},
		"nothing":      {"", 0, ""},
		"only hello":   {hello, 1, ""},
		"not a line":   {hello + "hello\n" + call, 3, `"code":-32700`},
		"goes on":      {hello + "x\n" + call, 3, declared},
		"asked before": {hello + call + "\nx\n", 3, declared},
		"half":         {hello + call[:40], 2, `"code":-32700`},
		"no message":   {hello + "{}\n42\n[" + call + "]\n" + call, 5, `"code":-32600`},
		"two in one":   {hello + call + call + "\n" + call, 3, `"code":-32700`},
		"blanks after": {hello + call + " \t\r\n", 2, declared},
		"no id":        {hello + strings.Replace(call, `"id":2`, `"id":null`, 1) + "\n" + call, 2, declared},
		"an answer":    {hello + `{"jsonrpc":"2.0","id":7,"result":{}}` + "\n" + call, 2, declared},
		"too early":    {`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n", 1, `"code":-32600`},
		"a long line":  {hello + strings.Replace(call, "#4", strings.Repeat("#", 2<<20), 1) + "\n" + call + "\n", 3, declared},
		"empty lines":  {"\n" + hello + "\n\n" + call + "\n\n", 2, declared},
		"no arguments": {hello + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"precis_list"}}` + "\n", 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := s.Serve(t.Context(), strings.NewReader(tt.in), &out)
			if n := strings.Count(out.String(), "\n"); n != tt.lines || err != nil || !strings.Contains(out.String(), tt.says) {
				t.Errorf("%d lines, %v: %.500s", n, err, out.String())
			}
		})
	}
}

// SPEC: V10
func TestHTTPGuards(t *testing.T) {
	s := server(t, options(kept(t)))
	h := httptest.NewServer(s.Handler("hunter2"))
	defer h.Close()
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for name, tt := range map[string]struct {
		header map[string]string
		body   string
		want   int
	}{
		"no token":     {nil, body, 401},
		"wrong token":  {map[string]string{"Authorization": "Bearer hunter"}, body, 401},
		"no bearer":    {map[string]string{"Authorization": "hunter2"}, body, 401},
		"token":        {map[string]string{"Authorization": "Bearer hunter2"}, body, 200},
		"small letter": {map[string]string{"Authorization": "bearer hunter2"}, body, 200},
		"other scheme": {map[string]string{"Authorization": "Basic hunter2"}, body, 401},
		"bare token":   {map[string]string{"Authorization": "hunter2"}, body, 401},
		"another site": {map[string]string{"Authorization": "Bearer hunter2", "Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}, body, 403},
		"another host": {map[string]string{"Authorization": "Bearer hunter2", "Host": "evil.example"}, body, 403},
		"too much":     {map[string]string{"Authorization": "Bearer hunter2"}, strings.Repeat(" ", 2<<20) + body, 413},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL, strings.NewReader(tt.body))
			check(t, err)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			for k, v := range tt.header {
				r.Header.Set(k, v)
			}
			r.Host = tt.header["Host"]
			res, err := h.Client().Do(r)
			check(t, err)
			check(t, res.Body.Close())
			if res.StatusCode != tt.want {
				t.Errorf("status %d, want %d", res.StatusCode, tt.want)
			}
		})
	}
}
