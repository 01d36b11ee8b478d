package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// What a provider made of the beginning of a conversation stays in a request, as nothing else tells
// of that.
//
// SPEC: B6 · WO6
func TestProviderItemStays(t *testing.T) {
	const item = `{"type":"compaction","id":"cmp_1","encrypted_content":"c2Vj"}`
	var b strings.Builder
	b.WriteString(`{"model":"gpt-5","store":false,"input":[{"role":"user","content":"Sum the parts."},{"role":"user","content":"Then the rest."},` + item)
	for i := range 30 {
		fmt.Fprintf(&b, `,{"type":"function_call","call_id":"call_%[1]d","name":"query","arguments":"{\"part\":%[1]d}"},`+
			`{"type":"function_call_output","call_id":"call_%[1]d","output":"%[2]s"}`, i, strings.Repeat(fmt.Sprintf(`row of part%d: order_%d\n`, i, i*1000), 60))
	}
	b.WriteString(`]}`)
	for _, pin := range [][]string{nil, {"--pin", "#2"}} {
		var out, stderr bytes.Buffer
		args := append([]string{"compact", "-", "--budget", "6000", "--db", filepath.Join(t.TempDir(), "p.db")}, pin...)
		if code := run(t.Context(), args, strings.NewReader(b.String()), &out, &stderr); code != 0 {
			t.Fatalf("exit %d: %s", code, stderr.String())
		}
		if out.Len() > b.Len()/2 || strings.Count(out.String(), item) != 1 {
			t.Errorf("%v: %d bytes: %.300s", pin, out.Len(), out.String())
		}
	}
}
