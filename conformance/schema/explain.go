package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// explain tells the place and reason that a person looks for. Where none of
// several alternatives fits, it follows the one that the value's type or role
// chooses, and among those the one that fits furthest down.
func explain(e *jsonschema.ValidationError) string {
	e = leaf(e)
	path := strings.Join(e.InstanceLocation, ".")
	if path == "" {
		path = "the body"
	}
	return path + ": " + e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}

func leaf(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return e
	}
	causes := slices.Clone(e.Causes)
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		at := len(e.InstanceLocation)
		chosen := slices.DeleteFunc(slices.Clone(causes), func(c *jsonschema.ValidationError) bool { return other(c, at) })
		if len(chosen) > 0 {
			causes = chosen
		}
	}
	var best *jsonschema.ValidationError
	for _, c := range causes {
		if l := leaf(c); best == nil || len(l.InstanceLocation) > len(best.InstanceLocation) {
			best = l
		}
	}
	return best
}

// other says whether an alternative is not the one meant: the value at depth
// at is of another JSON type, or its member type or role is not the
// alternative's.
func other(e *jsonschema.ValidationError, at int) bool {
	if n := len(e.InstanceLocation); n == at+1 && (e.InstanceLocation[at] == "type" || e.InstanceLocation[at] == "role") {
		return true
	}
	switch e.ErrorKind.(type) {
	case *kind.Type:
		return len(e.InstanceLocation) == at
	case *kind.AnyOf, *kind.OneOf:
		return !slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return !other(c, at) })
	}
	return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return other(c, at) })
}
