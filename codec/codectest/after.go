package codectest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
)

// fataler is a test, or a property's.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// after checks that a request is decoded the same, or fails the same, whatever was
// decoded before it, and that this does not change the earlier messages. It returns
// how many messages were known.
func after(t fataler, c codec.Incremental, was []message.Message, body string) (*codec.Request, int) {
	t.Helper()
	want, bad := c.Decode([]byte(body))
	kept := slices.Clone(was)
	for i := range was {
		kept[i] = was[i].Clone()
	}
	got, err := c.DecodeAfter([]byte(body), func(rest []byte) ([]message.Message, int) {
		n, end := codec.Begins(rest, was)
		return was[:n], end
	})
	if !reflect.DeepEqual(was, kept) {
		t.Fatalf("messages decoded before changed, by %q", body)
	}
	if bad != nil {
		if err == nil || err.Error() != bad.Error() {
			t.Fatalf("%q: error is %v, not %v", body, err, bad)
		}
		return nil, 0
	}
	if err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	n := got.Known
	if got.Known = want.Known; !reflect.DeepEqual(got, want) {
		t.Fatalf("%q is decoded as\n%+v, not\n%+v", body, got, want)
	}
	got.Known = n
	return got, n
}

// again has a codec decode bodies after one another and after what they were with
// a few bytes changed.
func again(t *testing.T, c codec.Incremental, bodies []Body) {
	for _, b := range bodies {
		was := decode(t, c, b.JSON).Lasting()
		for _, other := range bodies {
			after(t, c, was, other.JSON)
		}
		req, n := after(t, c, was, b.JSON)
		if want := slices.IndexFunc(was, func(m message.Message) bool { return m.Raw[0] != '{' }); n != want && (want >= 0 || n != len(was)) {
			t.Errorf("%s: %d messages are known, of %d", b.Name, n, len(was))
		}
		was = req.Lasting()
		for at := 0; at < len(b.JSON); at += 1 + len(b.JSON)/500 {
			for _, body := range mutants(b.JSON, at) {
				after(t, c, was, body)
				if req, err := c.Decode([]byte(body)); err == nil {
					after(t, c, req.Lasting(), b.JSON)
				}
			}
		}
	}
}

// mutants are a body cut, and with a byte more, less or another, at a place.
func mutants(body string, at int) []string {
	const marks = "\",[]{}:\\ 1e-n\x00\xff"
	by := marks[at%len(marks):][:1]
	return []string{body[:at], body[:at] + by + body[at:], body[:at] + by + body[at+1:], body[:at] + body[at+1:], strings.Replace(body, body[at:], body[at:]+body[at:], 1)}
}
