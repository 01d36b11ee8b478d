package recall

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// arguments hold what a model wrote to a tool. They are read with patience (a
// number may come as text, a text as a number, null is nothing) but not with
// guesses: an unknown name is refused. err is the first fault.
type arguments struct {
	given map[string]json.RawMessage
	err   error
}

func (d *definition) arguments(called string, raw json.RawMessage) *arguments {
	a := &arguments{}
	if len(raw) == 0 {
		return a
	}
	if err := json.Unmarshal(raw, &a.given); err != nil {
		a.fail("the arguments are no JSON object")
		return a
	}
	var strange []string
	for name := range a.given {
		if !slices.Contains(d.takes, name) {
			strange = append(strange, name)
		}
	}
	if len(strange) > 0 {
		slices.Sort(strange)
		a.fail("%s takes no %s: it takes %s", called, short(strange[0]), strings.Join(d.takes, ", "))
	}
	return a
}

func (a *arguments) fail(format string, args ...any) {
	if a.err == nil {
		a.err = &refusal{BadArgument, fmt.Sprintf(format, args...)}
	}
}

// short quotes what a model wrote.
func short(s string) string { return strconv.Quote(window(s, 0, 0, 80)) }

func (a *arguments) has(name string) bool {
	v, ok := a.given[name]
	return ok && string(v) != "null"
}

// text is a text of at most most bytes, "" if there is none.
func (a *arguments) text(name string, most int) string {
	if !a.has(name) {
		return ""
	}
	var s string
	var n json.Number
	if json.Unmarshal(a.given[name], &s) != nil {
		if json.Unmarshal(a.given[name], &n) != nil {
			a.fail("%s is a text", name)
		}
		s = n.String()
	}
	if len(s) > most {
		a.fail("%s has %d bytes, at most %d are read", name, len(s), most)
	}
	return s
}

// number is a whole number, otherwise if there is none; what is above most is
// most.
func (a *arguments) number(name string, least, most, otherwise int) int {
	if !a.has(name) {
		return otherwise
	}
	var s string
	var f float64
	if json.Unmarshal(a.given[name], &s) == nil {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
		if f = float64(n); err != nil {
			f = math.NaN()
		}
	} else if json.Unmarshal(a.given[name], &f) != nil {
		f = math.NaN()
	}
	if f != math.Trunc(f) || f < float64(least) { // NaN is no number's equal
		a.fail("%s is a whole number from %d to %d", name, least, most)
		return otherwise
	}
	return int(min(f, float64(most)))
}

func (a *arguments) flag(name string) bool {
	if !a.has(name) {
		return false
	}
	b, err := strconv.ParseBool(strings.Trim(string(a.given[name]), `"`))
	if err != nil {
		a.fail("%s is true or false", name)
	}
	return b
}

// choice is one of the words, the first if none is given.
func (a *arguments) choice(name string, words ...string) string {
	s := a.text(name, 100)
	if s == "" {
		return words[0]
	}
	if !slices.Contains(words, s) {
		a.fail("%s is one of %s", name, strings.Join(words, ", "))
	}
	return s
}

// id returns what a reference looks like when a model copies it from a marker.
func (a *arguments) id() string {
	s := strings.Trim(a.text("id", 200), " \t\r\n\"'`[](){}<>")
	return strings.TrimPrefix(s, "artifact:")
}
