package wirecheck

import "strings"

// claude is read from a model's name. The zero value is an unknown model; it is held
// to the newest rules.
type claude struct {
	family  string
	version int // 46 is 4.6; 0 is unknown
}

func claudeOf(model string) claude {
	_, rest, ok := strings.Cut(strings.ToLower(model), "claude")
	if !ok {
		return claude{}
	}
	var m claude
	digits := 0
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune("-@.:_/", r) }) {
		switch word {
		case "fable", "mythos", "opus", "sonnet", "haiku":
			m.family = word
			continue
		}
		if len(word) > 1 || word < "0" || word > "9" {
			if digits > 0 {
				break
			}
			continue
		}
		if digits < 2 {
			m.version = m.version*10 + int(word[0]-'0')
			digits++
		}
	}
	if digits == 1 {
		m.version *= 10
	}
	return m
}

// prefills reports whether the model accepts a trailing assistant message (WA4).
func (m claude) prefills() bool { return m.version > 0 && m.version < 46 }

// systems reports whether the model accepts system messages among the others (WA8).
func (m claude) systems() bool {
	switch m.family {
	case "opus":
		return m.version == 0 || m.version >= 48
	case "sonnet", "haiku":
		return m.version == 0 || m.version >= 55
	}
	return m.version == 0 || m.version >= 50
}

// binds reports whether the model binds thinking to the prefix it was produced
// under (WT3).
func (m claude) binds() bool {
	if m.family == "fable" || m.family == "mythos" {
		return m.version >= 51
	}
	return m.version >= 55
}
