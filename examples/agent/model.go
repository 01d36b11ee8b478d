package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The scripted model. It stands where a language model would, and is held to
// what one can do: respond is a pure function of a request. It has no memory, so
// what it knows of the harbour it has read in this prompt, whoever wrote it
// there: the user, a tool, a summary, or a lookup.

// What it understands of a text.
var (
	factPattern    = regexp.MustCompile(`(Correction: )?((?:permit|port|berth) of [a-z]+-\d+|label suffix|closed gate|detour gate): ([\w-]+)`)
	orderPattern   = regexp.MustCompile(`order (\d+): (.+)`)
	workPattern    = regexp.MustCompile(`^commission (\S+) at gate (\S+) with the permit of (\S+)`)
	askPattern     = regexp.MustCompile(`^report the permit of (\S+) and the sum of the ports of (\S+), (\S+) and (\S+)`)
	gapPattern     = regexp.MustCompile(`omitted|condensed|[Ss]ummary|SUMMARY|truncated`)
	pointerPattern = regexp.MustCompile(`(\w+)\("(a\w+)"\)`)
)

// respond is the model: what it says to a request, and the calls it makes.
func respond(req chatRequest) (text string, calls []function) {
	m := read(req)
	text, calls = m.act()
	switch check := grep("^Correction: "); {
	case m.number == 0:
		return "I cannot find my order.", nil
	case m.refused:
		return fmt.Sprintf("Order %d was refused, and I do not know why.", m.number), nil
	case m.gap && m.tools[grepTool] && !m.calls[check]:
		return "Part of the conversation is not shown: was anything corrected there?", []function{check}
	case len(m.missing) > 0:
		return m.search()
	}
	return text, calls
}

// mind holds what the model read in one prompt.
type mind struct {
	tools     map[string]bool
	facts     map[string]string // what a key stands for
	corrected map[string]bool   // keys whose value is the user's correction
	number    int               // of the open order, the highest seen
	order     string
	refused   bool                // the harbour refused what was done about it
	gap       bool                // something was left out of the prompt
	shelf     map[string]function // what reads the result of a call that was moved out, by what the call was about
	about     map[string]string   // that, by the call's id
	calls     map[function]bool   // made in this prompt
	last      map[function]bool   // made in its last turn
	missing   []string            // keys that are needed and stand for nothing
}

func read(req chatRequest) *mind {
	m := &mind{
		tools: map[string]bool{}, facts: map[string]string{}, corrected: map[string]bool{}, shelf: map[string]function{},
		about: map[string]string{}, calls: map[function]bool{}, last: map[function]bool{},
	}
	for _, t := range req.Tools {
		m.tools[t.Function.Name] = true
	}
	for _, msg := range req.Messages {
		switch msg.Role {
		case "system":
		case "assistant":
			m.recollect(msg)
			fallthrough // a summary may speak as the assistant
		default:
			m.hear(msg)
		}
	}
	return m
}

// recollect takes in a turn of the model's own.
func (m *mind) recollect(msg chatMessage) {
	clear(m.last)
	for _, c := range msg.ToolCalls {
		var args struct{ Station string }
		_ = json.Unmarshal([]byte(c.Function.Arguments), &args) // one without has none
		m.about[c.ID] = cmp.Or(args.Station, c.Function.Name)
		m.calls[c.Function], m.last[c.Function] = true, true
	}
}

// hear takes in what a message says. A later word counts more than an earlier
// one, and a correction more than anything that is none.
func (m *mind) hear(msg chatMessage) {
	text := string(msg.Content)
	for line := range strings.Lines(text) {
		if !strings.Contains(line, ": ") {
			continue
		}
		for _, f := range factPattern.FindAllStringSubmatch(line, -1) {
			if correction := f[1] != ""; correction || !m.corrected[f[2]] {
				m.facts[f[2]], m.corrected[f[2]] = f[3], correction
			}
		}
		for _, o := range orderPattern.FindAllStringSubmatch(line, -1) {
			if n, err := strconv.Atoi(o[1]); err == nil && n >= m.number && msg.Role != "assistant" {
				m.number, m.order = n, o[2]
			}
		}
	}
	if p := pointerPattern.FindStringSubmatch(text); p != nil && m.tools[p[1]] {
		m.shelf[m.about[msg.ToolCallID]] = callOf(p[1], map[string]string{"id": p[2]})
	}
	m.refused = m.refused || strings.Contains(text, fmt.Sprintf("order %d was refused", m.number))
	m.gap = m.gap || gapPattern.MatchString(text)
}

// act does what the open order asks for.
func (m *mind) act() (text string, calls []function) {
	if w := workPattern.FindStringSubmatch(m.order); w != nil {
		return m.commission(w[1], w[2], w[3])
	}
	if a := askPattern.FindStringSubmatch(m.order); a != nil {
		sum := 0
		for _, station := range a[2:] {
			port, _ := strconv.Atoi(m.know("port of " + station)) // a missing one is searched first
			sum += port
		}
		return fmt.Sprintf("report: permit %s, sum %d, suffix %s", m.know("permit of "+a[1]), sum, m.know("label suffix")), nil
	}
	return "I begin with the manifest.", []function{callOf("manifest", nil)}
}

// commission thinks aloud and acts, as language models do.
func (m *mind) commission(station, named, other string) (text string, calls []function) {
	gate := named
	if named == m.know("closed gate") {
		gate = m.know("detour gate")
	}
	suffix, berth, permit := m.know("label suffix"), m.know("berth of "+station), m.know("permit of "+other)
	text = fmt.Sprintf("Order %d is about %s. The user wants its label to end in %s. The order names gate %s and I use gate %s. "+
		"According to the manifest its berth is %s. It goes with the permit that was issued for %s, which is %s. I commission it now.",
		m.number, station, suffix, named, gate, berth, other, permit)
	return text, []function{callOf("commission", map[string]string{
		"station": station, "label": station + "-" + suffix, "gate": gate, "berth": berth, "permit": permit,
	})}
}

// know returns what a key stands for, and notes it where that is not known.
func (m *mind) know(key string) string {
	v, ok := m.facts[key]
	if !ok {
		m.missing = append(m.missing, key)
	}
	return v
}

// search looks up what is missing: in a result that was moved out, where the
// prompt points at it, else by its words. It gives up on what the turn before
// searched in vain, and where it has no tool.
func (m *mind) search() (text string, calls []function) {
	for _, key := range m.missing {
		call, known := m.shelf[sourceOf(key)]
		if !known {
			call = grep("^(Correction: )?" + key + ": ")
		}
		if !m.tools[call.Name] || m.last[call] {
			return fmt.Sprintf("I cannot find the %s.", key), nil
		}
		if !slices.Contains(calls, call) {
			calls = append(calls, call)
		}
	}
	return fmt.Sprintf("For order %d I have to look up the %s.", m.number, strings.Join(m.missing, ", the ")), calls
}

// sourceOf returns the subject of the call whose result states a key.
func sourceOf(key string) string {
	kind, station, _ := strings.Cut(key, " of ")
	if kind == "berth" {
		return "manifest"
	}
	return station
}

func grep(pattern string) function {
	return callOf(grepTool, map[string]string{"pattern": pattern})
}

func callOf(name string, args map[string]string) function {
	data := []byte("{}")
	if args != nil {
		data, _ = json.Marshal(args) // strings always encode
	}
	return function{Name: name, Arguments: string(data)}
}
