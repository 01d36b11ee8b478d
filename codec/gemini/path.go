package gemini

import "strings"

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
