package encoding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/thread"
)

// fill sets every exported field of v to something that JSON alone would not
// keep, so that a field added to these types later is covered too.
func fill(v reflect.Value, n *int, depth int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%d: \xff \ufffd <&> \u2028 \x00", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(1 / float64(*n))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(fmt.Appendf(nil, `{ "n" : %d.0, "<": "\u00e9" } `, *n))
			return
		}
		if depth == 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			fill(v.Index(i), n, depth-1)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n, depth)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2030, 1, 2, 3, 4, 5, *n, time.FixedZone("x", 3600))))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n, depth)
			}
		}
	default:
		panic("no rule for " + v.Type().String())
	}
}

func full[T any](depth int) T {
	var v T
	n := 0
	fill(reflect.ValueOf(&v).Elem(), &n, depth)
	return v
}

func same(t *testing.T, want, have any) {
	t.Helper()
	if d := cmp.Diff(want, have, cmpopts.IgnoreUnexported(plan.Plan{})); d != "" {
		t.Fatalf("differs (-want +have):\n%s", d)
	}
}

// SPEC: V1, V11
func TestEveryFieldComesBack(t *testing.T) {
	t.Run("Message", func(t *testing.T) {
		m, again := full[message.Message](3), full[message.Message](3)
		b, err := Message(m)
		if err != nil {
			t.Fatal(err)
		}
		same(t, again, m) // writing changes nothing of the caller's
		have, err := ParseMessage(b)
		if err != nil {
			t.Fatal(err)
		}
		same(t, m, have)
	})
	t.Run("Record", func(t *testing.T) {
		r, again := full[plan.Record](2), full[plan.Record](2)
		b, err := writeRecord(r)
		if err != nil {
			t.Fatal(err)
		}
		same(t, again, r)
		have, err := ParseRecord(b)
		if err != nil {
			t.Fatal(err)
		}
		r.Span.IDs = nil
		same(t, r, have)
	})
	t.Run("Header", func(t *testing.T) {
		p, again := full[plan.Plan](2), full[plan.Plan](2)
		b, err := writeHeader(p)
		if err != nil {
			t.Fatal(err)
		}
		same(t, again, p)
		have, err := ParseHeader(b)
		if err != nil {
			t.Fatal(err)
		}
		p.Records = []plan.Record{}
		same(t, p, have)
	})
}

// SPEC: V1
func TestRawBytesAreStoredOnce(t *testing.T) {
	text := strings.Repeat("long text ", 100)
	part := fmt.Sprintf(`{"type":"tool_result","content":[{"type":"text","text":%q}]}`, text)
	inner := fmt.Sprintf(`{"type":"text","text":%q}`, text)
	m := message.Message{
		Role: message.User, Raw: json.RawMessage(`{"role":"user","content":[` + part + `]}`),
		Parts: []message.Part{{Kind: message.Result, Raw: json.RawMessage(part), Parts: []message.Part{
			{Kind: message.Text, Text: text, Raw: json.RawMessage(inner)},
		}}},
	}
	b, err := Message(m)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b, []byte(text)); n != 1 {
		t.Fatalf("text is there %d times", n)
	}
}

// SPEC: V5
func TestSumTellsPlansApart(t *testing.T) {
	sums := map[string]string{}
	for name, p := range map[string]plan.Plan{
		"empty":      {},
		"version":    {Version: 1},
		"one record": {Records: []plan.Record{{Span: plan.Span{IDs: []thread.ID{"a", "b"}}}}},
		"two ids":    {Records: []plan.Record{{Span: plan.Span{IDs: []thread.ID{"ab"}}}}},
		"two records": {Records: []plan.Record{
			{Span: plan.Span{IDs: []thread.ID{"a"}}}, {Span: plan.Span{IDs: []thread.ID{"b"}}},
		}},
		"fields":  {Records: []plan.Record{{Fields: []byte("{}"), Span: plan.Span{IDs: []thread.ID{"a"}}}}},
		"summary": {Records: []plan.Record{{Summary: []byte("{}"), Span: plan.Span{IDs: []thread.ID{"a"}}}}},
	} {
		c, err := Plan(&p)
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := sums[string(c.Sum[:])]; taken {
			t.Fatalf("%q and %q have one sum", name, other)
		}
		sums[string(c.Sum[:])] = name
	}
}

// SPEC: V1: whatever a file holds, reading it ends in a message or an error.
func FuzzParseMessage(f *testing.F) {
	for depth := range 3 {
		b, err := Message(full[message.Message](depth))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("\x17{\"v\":{},\"raw\":[0,5,1]}abc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMessage(data)
		if err != nil {
			return
		}
		b, err := Message(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseMessage(b)
		if err != nil {
			t.Fatal(err)
		}
		same(t, m, again)
	})
}
