package codectest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/codec/codectest"
	"github.com/seed-3db51b0e/precis/message"
)

// A request whose body a caller replaces is written into that body.
//
// SPEC: V11
func TestBodyReplaced(t *testing.T) {
	for _, c := range codecs {
		member := codectest.List(c.Name())
		body := func(model, list string) []byte {
			return fmt.Appendf(nil, `{"model":%q,"%s":%s, "temperature":0.5}`, model, member, list)
		}
		other := []message.Message{message.TextOf(message.User, "other")}
		for _, model := range []string{"m", "model 1", strings.Repeat("longer ", 20)} {
			req, err := c.Decode(body("model 0", `[{"role":"user","content":"hi"}]`))
			if err != nil {
				t.Fatal(err)
			}
			req.Body = body(model, `[{"role":"user","content":"hi"}]`)
			got, err := c.Encode(req, other)
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := c.Decode(req.Body)
			if err != nil {
				t.Fatal(err)
			}
			want, err := c.Encode(fresh, other)
			if err != nil || string(got) != string(want) {
				t.Errorf("%s: %s, not %s: %v", c.Name(), got, want, err)
			}
		}
	}
}
