package wirecheck

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
)

// geminiMembers are those of a request. Its names may be written in snake case.
var geminiMembers = map[string]bool{
	"model": true, "contents": true, "systemInstruction": true, "tools": true, "toolConfig": true, "generationConfig": true,
	"safetySettings": true, "cachedContent": true, "labels": true, "continuationToken": true, "serviceTier": true, "store": true,
}

// geminiData are the members of a part that hold its content: exactly one stands in each.
// The value is the role that may say it, "" for both.
var geminiData = map[string]string{
	"text": "", "inlineData": "", "fileData": "", "functionCall": "model", "functionResponse": "user",
	"executableCode": "model", "codeExecutionResult": "model", "toolCall": "model", "toolResponse": "model",
}

// geminiBeside are the other members of a part.
var geminiBeside = map[string]bool{"thought": true, "thoughtSignature": true, "partMetadata": true, "mediaResolution": true, "videoMetadata": true}

// lowerCamel is a member's name in camel case.
func lowerCamel(name string) string {
	words := strings.Split(name, "_")
	for i := 1; i < len(words); i++ {
		if words[i] != "" {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
	}
	return strings.Join(words, "")
}

// either is get for a name in camel case or snake case.
func (n *node) either(name string) *node {
	if n == nil || n.kind != '{' {
		return nil
	}
	for i := range n.names {
		if lowerCamel(n.names[i]) == name && n.vals[i].kind != 'n' {
			return n.vals[i]
		}
	}
	return nil
}

// content is one element of contents.
type content struct {
	path, role       string
	parts            []geminiPart
	calls, responses []geminiPart
}

// geminiPart is one part: its kind is the member that holds its content, "" if there is
// not exactly one.
type geminiPart struct {
	node *node
	path string
	kind string
}

func (p geminiPart) data() *node { return p.node.either(p.kind) }

func (p geminiPart) signature() string { return p.node.either("thoughtSignature").text() }

// Gemini judges a body of generateContent and streamGenerateContent: WG4 to WG16, WG18
// and WG25.
func Gemini(body []byte, o Options) []Fault {
	c := &checker{opt: o}
	root := c.object(body)
	if root == nil {
		return c.faults
	}
	for i, name := range root.names {
		if !geminiMembers[lowerCamel(name)] && root.vals[i].kind != 'n' && !o.AllowUnknown {
			c.fault("WG4", name, "unknown member")
		}
	}
	c.geminiSystem(root)
	c.geminiTools(root)
	if root.either("cachedContent") != nil {
		for _, name := range []string{"systemInstruction", "tools", "toolConfig"} {
			if root.either(name) != nil {
				c.fault("WG25", name, "not with a cached content")
			}
		}
	}
	list := root.get("contents")
	if !list.is('[') || len(list.vals) == 0 {
		c.fault("WG9", "contents", "want at least one content")
		return c.faults
	}
	var all []content
	for i, v := range list.vals {
		all = append(all, c.geminiContent(v, index("contents", i)))
	}
	c.geminiRounds(all)
	c.geminiSigned(all, o.Model)
	return c.faults
}

func (c *checker) geminiSystem(root *node) {
	system := root.either("systemInstruction")
	if system == nil {
		return
	}
	for i, p := range c.geminiParts(system, "systemInstruction") {
		if p.kind != "text" && p.kind != "" {
			c.fault(Block, index("systemInstruction.parts", i), "%s in the system instruction", p.kind)
		}
	}
}

// geminiContent judges one content by itself.
func (c *checker) geminiContent(v *node, path string) content {
	out := content{path: path, role: v.get("role").text()}
	if out.role == "" && v.get("role") == nil {
		out.role = "user"
	}
	if out.role != "user" && out.role != "model" {
		c.fault("WG5", join(path, "role"), "unknown role %.40q", out.role)
	}
	out.parts = c.geminiParts(v, path)
	for _, p := range out.parts {
		if role := geminiData[p.kind]; role != "" && role != out.role {
			c.fault("WG6", p.path, "a %s of the %s", p.kind, out.role)
		}
		switch p.kind {
		case "functionCall":
			out.calls = append(out.calls, p)
			c.geminiFunction(p, "args")
		case "functionResponse":
			out.responses = append(out.responses, p)
			c.geminiFunction(p, "response")
		case "inlineData", "fileData":
			c.geminiMedia(p)
		}
	}
	c.geminiServed(out.parts)
	return out
}

// geminiServed judges the calls that the provider answers itself: WG12. A call and its
// response stand in one content, in this order; a call that has none yet is the last part.
func (c *checker) geminiServed(parts []geminiPart) {
	open := map[string]string{} // id to path
	for i, p := range parts {
		id := p.data().get("id").text()
		switch {
		case id == "":
		case p.kind == "toolCall" && i < len(parts)-1:
			open[id] = p.path
		case p.kind == "toolResponse" && open[id] == "":
			c.fault("WG12", p.path, "no toolCall %.80q before it", id)
		case p.kind == "toolResponse":
			delete(open, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(open)) {
		c.fault("WG12", open[id], "no toolResponse for %.80q", id)
	}
}

// geminiParts judges the parts of a content: WG10, WG11.
func (c *checker) geminiParts(v *node, path string) []geminiPart {
	list := v.get("parts")
	if !list.is('[') || len(list.vals) == 0 {
		c.fault("WG10", join(path, "parts"), "want at least one part")
		return nil
	}
	var out []geminiPart
	for i, n := range list.vals {
		p := geminiPart{node: n, path: index(join(path, "parts"), i)}
		kinds := 0
		for j, name := range n.names {
			switch name = lowerCamel(name); {
			case n.vals[j].kind == 'n' || geminiBeside[name]:
			default:
				if _, known := geminiData[name]; !known && !c.opt.AllowUnknown {
					c.fault(Block, p.path, "unknown part %.40q", name)
				}
				p.kind = name
				kinds++
			}
		}
		if kinds != 1 {
			c.fault("WG11", p.path, "want exactly one content, have %d", kinds)
			p.kind = ""
		}
		c.geminiText(p)
		out = append(out, p)
	}
	return out
}

// geminiText judges a part of text: WG11.
func (c *checker) geminiText(p geminiPart) {
	if s := p.node.either("thoughtSignature"); s != nil && !s.is('"') {
		c.fault(Shape, join(p.path, "thoughtSignature"), "want a string")
	}
	if p.kind != "text" {
		return
	}
	switch t := p.data(); {
	case !t.is('"'):
		c.fault(Shape, join(p.path, "text"), "want a string")
	case t.str == "" && p.signature() == "" && !c.opt.AllowEmpty:
		c.fault("WG11", join(p.path, "text"), "empty text")
	}
}

// geminiFunction judges a call or an answer: WG13, WG14. The API's names begin with a
// letter or _, and hold . and : too.
func (c *checker) geminiFunction(p geminiPart, object string) {
	name, at := p.data().get("name").text(), join(p.path, p.kind)
	if name == "" {
		c.fault("WG14", join(at, "name"), "want a name")
	} else {
		c.named(strings.NewReplacer(".", "_", ":", "_").Replace(name), join(at, "name"), 128)
	}
	v := p.data().get(object)
	switch {
	case v != nil && v.kind != '{', v == nil && object == "response":
		c.fault("WG13", join(at, object), "want an object")
	}
}

func (c *checker) geminiMedia(p geminiPart) {
	at := join(p.path, p.kind)
	if p.data().either("mimeType").text() == "" {
		c.fault("WG12", join(at, "mimeType"), "want a media type")
	}
	if p.kind == "fileData" {
		if p.data().either("fileUri").text() == "" {
			c.fault("WG12", join(at, "fileUri"), "want an address")
		}
		return
	}
	if data := p.data().get("data").text(); data == "" || !isBase64(data) {
		c.fault("WG12", join(at, "data"), "want base64")
	}
}

// isBase64 reports whether a text is base64 of either alphabet.
func isBase64(s string) bool {
	s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(s), "=")
	_, err := base64.RawStdEncoding.DecodeString(s)
	return err == nil
}

// geminiRounds judges contents by their neighbours: WG6 to WG8, WG15, WG16.
func (c *checker) geminiRounds(all []content) {
	for i, t := range all {
		if i > 0 && all[i-1].role == t.role && !c.opt.AllowNeighbours {
			c.fault("WG8", t.path, "two contents of the %s in a row", t.role)
		}
		var calls []geminiPart
		if i > 0 {
			calls = all[i-1].calls
		} else if t.role == "model" {
			c.fault("WG7", t.path, "begins with the model")
		}
		c.geminiAnswers(t, calls)
	}
	if last := all[len(all)-1]; last.role == "model" {
		c.fault("WG7", last.path, "ends with the model")
	}
}

// geminiAnswers holds the responses of a content against the calls before it.
func (c *checker) geminiAnswers(t content, calls []geminiPart) {
	if len(calls) != len(t.responses) {
		c.fault("WG6", t.path, "%d responses to %d calls", len(t.responses), len(calls))
		return
	}
	if n := len(t.responses); n > 0 && slices.ContainsFunc(t.parts[:n], func(p geminiPart) bool { return p.kind != "functionResponse" }) {
		c.fault("WG6", t.path, "responses stand first")
	}
	byID := map[string]int{}
	for i, call := range slices.Backward(calls) {
		byID[call.data().get("id").text()] = i
	}
	for i, r := range t.responses {
		call, id := calls[i], r.data().get("id").text()
		if at, ok := byID[id]; ok && id != "" {
			if at != i {
				c.fault("WG16", r.path, "answers the call %d", at)
			}
			call = calls[at]
		} else if call.data().get("id").text() != "" {
			c.fault("WG15", r.path, "the call it answers has the id %.80q", call.data().get("id").text())
		}
		if name := call.data().get("name").text(); name != r.data().get("name").text() {
			c.fault("WG14", r.path, "answers %.80q", name)
		}
	}
}

// geminiSigned is WG18: in the turn in progress, the first call of each step is signed
// where the model signs.
func (c *checker) geminiSigned(all []content, model string) {
	if !strings.HasPrefix(model, "gemini-") || strings.HasPrefix(model, "gemini-1") || strings.HasPrefix(model, "gemini-2") {
		return
	}
	start := 0
	for i, t := range all {
		if t.role == "user" && len(t.parts) > len(t.responses) {
			start = i
		}
	}
	for _, t := range all[start:] {
		if len(t.calls) > 0 && t.calls[0].signature() == "" {
			c.fault("WG18", t.calls[0].path, "not signed")
		}
	}
}

func (c *checker) geminiTools(root *node) {
	seen := once{}
	for i, t := range root.get("tools").elements() {
		for j, f := range t.either("functionDeclarations").elements() {
			path := index(join(index("tools", i), "functionDeclarations"), j)
			name := f.get("name").text()
			c.named(strings.NewReplacer(".", "_", ":", "_").Replace(name), join(path, "name"), 128)
			seen.add(c, name, join(path, "name"))
			if f.get("parameters") != nil && f.either("parametersJsonSchema") != nil {
				c.fault(Shape, path, "two schemas")
			}
		}
	}
}
