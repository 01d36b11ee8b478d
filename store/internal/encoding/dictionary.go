package encoding

// dictionary lists strings that are written as their index. It is part of the
// stored form: it grows at its end and nothing in it ever moves.
var dictionary = []string{
	"", "system", "user", "assistant", "tool", // roles
	"text", "thinking", "tool_call", "tool_result", "media", "opaque", // kinds
	"anthropic", "openai", "responses", "claude-code", "codex", "pi", "opencode", "gemini-cli", "jsonl", // dialects
	"bash", "Bash", "read", "Read", "edit", "Edit", "write", "Write", "grep", "Grep", "glob", "Glob", // tools
	"exec_command", "shell", "apply_patch", "image/png", "image/jpeg",
}

var dictionaryIndex = func() map[string]uint64 {
	m := make(map[string]uint64, len(dictionary))
	for i, w := range dictionary {
		m[w] = uint64(i)
	}
	return m
}()
