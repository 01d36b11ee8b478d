package tool

import "strings"

// fellBack returns an output without the line at its end that the command line prints where its program
// fails, and reports whether there is one: what only looks finds nothing, and says so with it.
func (r *Reading) fellBack() (output string, ok bool) {
	instead := r.Fallback()
	if instead == "" || !strings.Contains(r.Output, instead) || r.Inspects() {
		return r.Output, false
	}
	for rest := r.Output; rest != ""; {
		i := strings.LastIndexByte(rest, '\n')
		line := strings.TrimSpace(rest[i+1:])
		rest = rest[:max(i, 0)]
		if line == instead {
			return rest, true
		}
		if line != "" && !isMarkup(line) && exitLine(line) == nil {
			break
		}
	}
	return r.Output, false
}
