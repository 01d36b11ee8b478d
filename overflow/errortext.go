package overflow

import (
	"encoding/json"
	"strings"
)

// errorText returns the text of an error, a line for each statement: of JSON only the
// members that describe an error.
func errorText(body string) string {
	i := strings.IndexByte(body, '{')
	if i < 0 {
		return body
	}
	v, n := parse(body[i:])
	if n == 0 {
		return body
	}
	var t collector
	t.text.WriteString(body[:i] + "\n")
	t.walk(v, 0)
	t.text.WriteString(body[i+n:])
	return t.text.String()
}

// embeddedErrors returns the text of the errors inside a success: a body that is an
// error after all, or the error events of a stream.
func embeddedErrors(body string) string {
	if !strings.Contains(body, `"error"`) {
		return ""
	}
	var t collector
	if t.addError(body) {
		return t.text.String()
	}
	for line := range strings.SplitSeq(body, "\n") {
		if strings.Contains(line, `"error"`) {
			t.addError(strings.TrimPrefix(line, "data:"))
		}
	}
	return t.text.String()
}

// addError walks one JSON object if it is an error, and reports whether it is an
// object.
func (t *collector) addError(s string) bool {
	v, _ := parse(s)
	o, ok := v.(map[string]any)
	if !ok {
		return false
	}
	response, _ := o["response"].(map[string]any)
	switch {
	case o["error"] != nil:
		t.walk(o["error"], 1)
	case o["type"] == "error":
		t.walk(v, 0)
	case response["error"] != nil:
		t.walk(response["error"], 1)
	}
	return true
}

// parse reads the JSON value that s begins with, n bytes of it; 0 when it is
// none.
func parse(s string) (v any, n int) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, 0
	}
	return v, int(d.InputOffset())
}

// collector collects the text of an error.
type collector struct{ text strings.Builder }

// maxDepth bounds how deep errors are found inside errors: gateways wrap them.
const maxDepth = 8

func (t *collector) walk(v any, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range errorMembers { // in one order, whatever the map's
			if number, ok := v[key].(json.Number); ok {
				t.text.WriteString(key + ": " + number.String() + "\n")
				continue
			}
			t.walk(v[key], depth+1)
		}
	case []any:
		for _, inner := range v {
			t.walk(inner, depth+1)
		}
	case string:
		t.add(v, depth)
	}
}

// add adds a text; gateways quote an error's JSON inside another's message.
func (t *collector) add(s string, depth int) {
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
		if v, n := parse(s); n > 0 {
			t.walk(v, depth+1)
			return
		}
	}
	t.text.WriteString(s + "\n")
}

// errorMembers are the members that describe an error. Others quote the request.
var errorMembers = []string{
	"error", "errors", "message", "msg", "detail", "details", "title", "description", "reason", "cause", "type", "__type", "code",
	"error_code", "status", "exception", "body", "responseBody", "response", "data", "metadata", "raw", "n_prompt_tokens", "n_ctx",
}
