package codec

import (
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Failure is an error body, or an error event inside a stream.
type Failure struct {
	Status  int // HTTP status, 0 inside a stream
	Type    string
	Code    string
	Message string
}

func (f *Failure) Error() string {
	for _, w := range []string{f.Code, f.Type} {
		if w != "" {
			return w + ": " + f.Message
		}
	}
	if f.Status != 0 {
		return fmt.Sprintf("status %d: %s", f.Status, f.Message)
	}
	return f.Message
}

// maxMessage is how much of an error's text is kept, in bytes.
const maxMessage = 4096

// ReadFailure reads an answer as an error of any of the providers, or of a
// gateway between: nil if it is none, because the status is of a success (or 0,
// inside a stream) and the body names no error.
func ReadFailure(status int, body []byte) *Failure {
	f := &Failure{Status: status}
	obj := body
	if es := jsonedit.Elements(body); len(es) > 0 { // some wrap it in an array
		obj = es[0]
	}
	inner := jsonedit.Get(obj, "error")
	text := jsonedit.TextOf(inner)
	switch {
	case jsonedit.IsObject(inner):
		f.read(inner)
	case text == "" && !isError(obj) && (status == 0 || status >= 200 && status < 300):
		return nil
	default:
		f.read(obj)
	}
	for _, s := range []string{text, string(body), fmt.Sprintf("%d status code (no body)", status)} {
		if f.Message == "" {
			f.Message = excerpt(s)
		}
	}
	f.Message = excerpt(f.Message)
	return f
}

// isError reports whether an object is an error by its own type.
func isError(obj []byte) bool { return jsonedit.TextOf(jsonedit.Get(obj, "type")) == "error" }

func excerpt(s string) string {
	return strings.TrimSpace(strings.ToValidUTF8(s[:min(len(s), maxMessage)], ""))
}

// read takes what an error object says.
func (f *Failure) read(obj []byte) {
	var status, detailed string
	for _, m := range jsonedit.Members(obj) {
		s := jsonedit.TextOf(m.Value)
		switch m.Name {
		case "message", "detail":
			f.Message = s
		case "type":
			if s != "error" {
				f.Type = s
			}
		case "code":
			f.Code = s
			if s == "" && !jsonedit.IsNull(m.Value) {
				f.Code = excerpt(string(m.Value)) // a number
			}
		case "status":
			status = s
		case "details":
			detailed = jsonedit.TextOf(jsonedit.Get(m.Value, "error_code"))
		}
	}
	if f.Type == "" {
		f.Type = status
	}
	if detailed != "" {
		f.Code = detailed
	}
}
