package tool

// Commits reports whether a command line makes a commit.
func (r *Reading) Commits() bool {
	for _, c := range r.lex(r.Command) {
		if len(c.words) > 1 && c.words[0] == "git" && c.words[1] == "commit" {
			return true
		}
	}
	return false
}
