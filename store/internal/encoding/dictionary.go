package encoding

// words are strings that are written as their number. The list is part of the
// form: it grows at its end and nothing in it ever moves.
var words = []string{
	"", "system", "user", "assistant", "tool", // roles
	"text", "thinking", "tool_call", "tool_result", "media", "opaque", // kinds
	"anthropic", "openai", "responses", "claude-code", "codex", "pi", "opencode", "gemini-cli", "jsonl", // dialects
	"bash", "Bash", "read", "Read", "edit", "Edit", "write", "Write", "grep", "Grep", "glob", "Glob", // tools
	"exec_command", "shell", "apply_patch", "image/png", "image/jpeg",
}

var wordNumber = func() map[string]uint64 {
	m := make(map[string]uint64, len(words))
	for i, w := range words {
		m[w] = uint64(i)
	}
	return m
}()
