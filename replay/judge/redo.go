package judge

import (
	"regexp"
	"slices"
	"strings"
)

// Count is how many things there were of a kind, and how many of them were right.
type Count struct{ All, Right int }

func (c *Count) add(right bool) {
	c.All++
	if right {
		c.Right++
	}
}

var (
	acting = regexp.MustCompile(`(?:^|[\n;|&]\s*)(?:mv|cp|mkdir|touch|chmod|ln)\s|\b(?:pip3?|npm|pnpm|yarn|apt|apt-get|brew|cargo|go|gem|conda|make)\s+(?:-\S+\s+)*(?:install|add|get|i|publish)\b|` +
		`\bgit\s+(?:commit|push|merge|rebase|tag|reset|stash|apply|cherry-pick|revert)\b|\bcurl\b[^\n;|]*\s(?:-X\s*(?:POST|PUT|PATCH|DELETE)|-d\b|--data)|\b(?:docker|podman)\s+(?:run|rm|build|push)\b|` +
		`\bkubectl\s+(?:apply|delete|create)\b|\bpatch\s+-p|(?i:\b(?:insert\s+into|update\s+\w+\s+set|delete\s+from|alter\s+table|drop\s+table|create\s+table)\b)`)
	actingTools = regexp.MustCompile(`(?i)write|edit|create|replace|patch|insert|save|delete|remove|update|send|post|book|cancel|return|exchange|refund|modify|add|install|commit|push|order|pay|transfer|grant|enable|disable|set_|toggle|reset`)
)

// changes reports whether a call changed something outside the conversation, so that doing
// it again is no repetition without consequences.
func (c *call) changes() bool {
	switch {
	case len(c.writes)+len(c.deletes)+len(c.restores) > 0:
		return true
	case c.shell:
		return acting.MatchString(c.line)
	}
	return actingTools.MatchString(c.name) && !viewers.MatchString(c.name) && len(c.reads) == 0
}

// headLength is how much of a command line tells it from others, in characters.
const headLength = 60

// key tells calls apart that do the same.
func (c *call) key() string { return clipped(c.line, headLength) }

// Redo counts the calls before a step that changed something and did not fail, the same
// once, and those of them that a prompt still shows: the call, the head of the command line, the
// branch and hash of its commit, the tool beside its arguments, or the path beside what was done
// to it.
func (r *Record) Redo(at int, prompt []Said) (n Count) {
	shown := oneLine(Join(prompt))
	last := map[string]*call{}
	for i := range r.calls {
		if c := &r.calls[i]; c.done >= 0 && c.done < at && !c.failed && c.acts {
			last[c.key()] = c
		}
	}
	folders := r.foldersBefore(at)
	for key, c := range last {
		n.add(strings.Contains(shown, c.whole) || holds(shown, key) || holds(shown, c.commit) || !c.shell && c.beside(shown) || c.stated(shown, folders))
	}
	return n
}

// holds reports whether a part that is not empty stands in a text.
func holds(text, part string) bool { return part != "" && strings.Contains(text, part) }

// nearby is how far from a tool's name its arguments may stand, in bytes.
const nearby = 400

// beside reports whether a text names the tool with its arguments near.
func (c *call) beside(text string) bool {
	for from := 0; ; {
		n := strings.Index(text[from:], c.name)
		if n < 0 || c.name == "" {
			return false
		}
		at := from + n
		window := text[max(0, at-nearby):min(len(text), at+nearby)]
		all := true
		for _, v := range c.values {
			all = all && strings.Contains(window, clipped(oneLine(v), headLength))
		}
		if all {
			return true
		}
		from = at + len(c.name)
	}
}

// changed begins what a state says of files.
var changed = regexp.MustCompile(`(?i)^- (?:created|edited|deleted|moved|restored|changed|written|wrote|modified|removed)\b`)

// stated reports whether a text says of every file that the call changed that it was
// changed, or shows the head of the patch that did. The path of a file in one of the folders may
// stand as it is read from there.
func (c *call) stated(text string, folders []string) bool {
	paths := slices.Concat(c.writes, c.deletes, c.restores)
	for _, p := range paths {
		heads := []string{"*** Add File: " + p + " ", "*** Update File: " + p + " "}
		if !slices.ContainsFunc(heads, func(h string) bool { return strings.Contains(text, h) }) &&
			!slices.ContainsFunc(spellings(p, folders), func(s spelling) bool { return s.statedIn(text) }) {
			return false
		}
	}
	return len(paths) > 0
}

// spelling is a path as a state may have it.
type spelling struct {
	path string
	// full is set where nothing that leads to the path may stand before it: it begins at the root
	// or in a folder that is known.
	full bool
}

// spellings returns how a path may stand: as the call has it, without "./", and from each of the
// folders that it is in.
func spellings(path string, folders []string) []spelling {
	out := []spelling{{strings.TrimPrefix(path, "./"), strings.HasPrefix(path, "/")}}
	for _, f := range folders {
		if inside, ok := strings.CutPrefix(path, f+"/"); ok && inside != "" {
			out = append(out, spelling{inside, true})
		}
	}
	return out
}

// statedIn reports whether the path stands in a list that begins with what was done.
func (s spelling) statedIn(text string) bool {
	for from := 0; ; {
		n := strings.Index(text[from:], s.path)
		if n < 0 {
			return false
		}
		at := from + n
		from = at + len(s.path)
		lead := text[max(0, at-nearby):at]
		if i := strings.LastIndex(lead, "- "); i >= 0 && changed.MatchString(lead[i:]) && s.whole(lead, text[from:]) {
			return true
		}
	}
}

// whole reports whether the path, between two texts, is no part of the name of another file.
func (s spelling) whole(before, after string) bool {
	if !strings.HasSuffix(s.path, "/") && startsPath(strings.TrimLeft(after, ".")) {
		return false
	}
	if before = strings.TrimSuffix(before, "./"); before == "" {
		return true
	}
	last := before[len(before)-1:]
	return !startsPath(last) || last == "/" && !s.full
}

// startsPath reports whether a text begins with a byte of a path.
func startsPath(text string) bool {
	return text != "" && (text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z' || text[0] >= '0' && text[0] <= '9' || strings.IndexByte("_./~-", text[0]) >= 0)
}

// foldersBefore returns the folders in which the run was before a step.
func (r *Record) foldersBefore(at int) (out []string) {
	for i := range r.calls {
		if r.calls[i].at >= at {
			break
		}
		for _, f := range r.calls[i].enters {
			if f = strings.TrimRight(f, "/"); f != "" && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}
