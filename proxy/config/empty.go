package config

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// errEmpty is of a value that was given and says nothing. What holds without it is not
// what was meant: a key that is not named would leave a database unsealed, a quota that is
// none would bound nothing. The command line refuses such values of its flags, too.
var errEmpty = errors.New("it is empty")

// modelTable is the table of models, where an empty text is a value: no exact encoding.
const modelTable = "model"

// emptyField is the first field, by name, whose text is empty or of spaces; "" for none.
func emptyField(data []byte) (string, error) {
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		return "", err
	}
	delete(all, modelTable)
	return emptyIn(all), nil
}

func emptyIn(table map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		switch v := table[name].(type) {
		case map[string]any:
			if field := emptyIn(v); field != "" {
				return name + "." + field
			}
		case []any:
			if slices.ContainsFunc(v, blank) {
				return name
			}
		default:
			if blank(v) {
				return name
			}
		}
	}
	return ""
}

// blank reports whether a value is a text without a word.
func blank(v any) bool {
	text, ok := v.(string)
	return ok && strings.TrimSpace(text) == ""
}
