package tool

// NoteName is the tool by which an agent declares what to keep, or that a piece of work
// has ended.
const NoteName = "precis_note"

// Note reads a call of NoteName, also as an MCP client names it (mcp__server__precis_note):
// the text that the agent wants kept, and whether a piece of work ended. ok is false for
// other calls.
func Note(name, args string) (text string, done, ok bool) {
	if bare(name) != NoteName {
		return "", false, false
	}
	for _, m := range members(args) {
		switch m.name {
		case "text":
			text = m.text
		case "done":
			done = m.text == "true"
		}
	}
	return text, done, true
}
