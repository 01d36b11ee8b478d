package gemini

import (
	"strings"

	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// At reads the path of a call, such as /v1beta/models/gemini-3-pro:generateContent: the
// model, and whether the answer is streamed. It reports false for what is no call of a
// model with contents.
func (Codec) At(path string) (model string, stream, ok bool) {
	model, method := split(path)
	return model, method == "streamGenerateContent", method == "generateContent" || method == "streamGenerateContent"
}

// CountAt reports whether a path has the tokens of a request counted.
func (Codec) CountAt(path string) bool {
	_, method := split(path)
	return method == "countTokens"
}

// split takes a path apart into its model and its method, "" if it has none. Vertex puts
// projects and publishers before the model.
func split(path string) (model, method string) {
	rest, method, ok := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	above := path[:max(0, strings.LastIndexByte(path, '/'))]
	if !ok || rest == "" || !strings.HasSuffix(above, "/models") && !strings.HasSuffix(above, "/tunedModels") && !strings.HasSuffix(above, "/endpoints") {
		return "", ""
	}
	return rest, method
}

// Nested is the call within a request to count tokens, and puts another in its place; nil
// where the request is made of contents alone.
func (Codec) Nested(body []byte) (call []byte, wrap func(call []byte) []byte) {
	const name = "generateContentRequest"
	if call = get(body, name); !jsonedit.IsObject(call) {
		return nil, nil
	}
	return call, func(other []byte) []byte {
		return inside(body, name, func([]byte) []byte { return other })
	}
}
