package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// excerptHead begins the blocks that precis may mark: excerpts of the log.
const excerptHead = "[Précis] Lines of the log"

// marks are the most cache markers that a request of a run had.
type marks struct{ own, all int }

// count returns the markers of the requests that a client sent, and of those that the model got.
// The fault is a marker that is neither the client's nor behind excerpts.
func count(sent, got []string) (m marks, fault string) {
	for _, body := range sent {
		own, _ := marked(body)
		m.own = max(m.own, own)
	}
	for _, body := range got {
		all, excerpts := marked(body)
		m.all = max(m.all, all)
		if all-excerpts > m.own || excerpts > 1 {
			fault = fmt.Sprintf("%d cache markers, %d of them behind excerpts, for %d of the client's", all, excerpts, m.own)
		}
	}
	return m, fault
}

// String is the cell of the table.
func (m marks) String() string {
	switch m.all {
	case 0:
		return ""
	case m.own:
		return fmt.Sprint(m.own)
	}
	return fmt.Sprintf("%d, %d with ours", m.own, m.all)
}

// marked counts the cache markers of a request, and those of them that stand behind excerpts.
func marked(body string) (all, excerpts int) {
	var v any
	if json.Unmarshal([]byte(body), &v) != nil {
		return 0, 0
	}
	return markedIn(v)
}

func markedIn(v any) (all, excerpts int) {
	add := func(x any) {
		a, e := markedIn(x)
		all, excerpts = all+a, excerpts+e
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			add(x)
		}
	case map[string]any:
		for _, name := range []string{"tools", "system", "messages", "content", "source"} {
			add(v[name])
		}
		if v["cache_control"] == nil {
			return all, excerpts
		}
		all++
		if text, _ := v["text"].(string); strings.HasPrefix(text, excerptHead) {
			excerpts++
		}
	}
	return all, excerpts
}
