package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
)

// harbour is the world the agent works in: a chain of numbered orders, each
// given with the result of the one before. Its values follow from a seed by a
// hash, so that nobody guesses one: the agent has them from what it was told,
// or not at all.
type harbour struct {
	seed  string
	steps int // orders, the report included
	done  int // orders
	heard int // user messages taken so far
}

// order is the number of the order that is open.
func (h *harbour) order() int { return h.done + 1 }

// How a task ends badly.
var (
	errUnfinished = errors.New("the agent stopped")
	errWrong      = errors.New("the report is wrong")
)

// instructions are the system prompt: how to work, and none of the values.
const instructions = `You commission the stations of a harbour, one order after the other. Every result ends with the next order.
The user's brief states the label suffix, the closed gate and the gate to take in its place. The manifest states berths, results state ports and permits.
Where the user corrects a value, only the corrected one counts: if part of the conversation is not shown to you, look whether there were corrections in it.
Never guess a value: what you need and do not see is to be looked up.`

// harbourTools are the harbour's tools.
var harbourTools = []codec.Tool{
	{Name: "manifest", Description: "The manifest: a berth for every station.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
	{Name: "commission", Description: "Commission a station. The label is its name, a dash and the label suffix.", Schema: json.RawMessage(
		`{"type":"object","properties":{"station":{"type":"string"},"label":{"type":"string"},"gate":{"type":"string"},` +
			`"berth":{"type":"string"},"permit":{"type":"string"}},"required":["station","label","gate","berth","permit"]}`)},
}

// brief is the user's first message. What it says holds to the end.
func (h *harbour) brief() string {
	return fmt.Sprintf(`Please commission all stations of the harbour, %d orders in all; the last one asks for a report.
label suffix: %s
closed gate: %s
detour gate: %s
Never use the closed gate. Where an order names it, use the detour gate in its place.
permit of quay-01: %s
%s`, h.steps, h.value("label suffix"), closedGate, h.value("detour gate"), h.value("permit of quay-01"), h.task())
}

// correction is the user's message halfway: two earlier values are wrong.
func (h *harbour) correction() string {
	wrong := "permit of " + station(h.misprinted())
	return fmt.Sprintf("Two things I told you are no longer true.\nCorrection: label suffix: %s\nCorrection: %s: %s\nUse only these from now on, also in the report.",
		h.value("label suffix"), wrong, h.value(wrong))
}

// said returns what the user said since it was last asked, if anything.
func (h *harbour) said() (string, bool) {
	if h.heard > 0 || !h.corrected() {
		return "", false
	}
	h.heard++
	return h.correction(), true
}

func (h *harbour) corrected() bool { return h.order() > h.steps/2 }

// misprinted is the order whose permit the user corrects.
func (h *harbour) misprinted() int { return min(4, h.steps/2) }

const closedGate = "g-17"

var birds = []string{"quay", "heron", "ibis", "gannet", "tern", "curlew", "plover", "avocet", "fulmar", "dunlin", "osprey", "petrel"}

// station names the subject of order n; the first is known from the brief.
func station(n int) string { return fmt.Sprintf("%s-%02d", birds[(n-1)%len(birds)], n) }

// value returns the current value of a key.
func (h *harbour) value(key string) string {
	if h.corrected() && (key == "label suffix" || key == "permit of "+station(h.misprinted())) {
		key += ", corrected"
	}
	n, code := h.chance(key)
	switch kind, _, _ := strings.Cut(key, " "); kind {
	case "permit":
		return "p-" + code
	case "berth":
		return "b-" + code
	case "detour":
		return "g-" + code
	case "port":
		return fmt.Sprint(40_000 + n%20_000)
	}
	return code
}

// chance is a number and a code that only the seed and the key decide.
func (h *harbour) chance(key string) (n int, code string) {
	sum := sha256.Sum256([]byte(h.seed + "/" + key))
	return int(binary.BigEndian.Uint32(sum[:])), hex.EncodeToString(sum[4:7])
}

// permitFor is the earlier station whose permit an order wants. The corrected
// one is wanted again late in the chain.
func (h *harbour) permitFor(n int) string {
	if n == h.steps-1 && n > h.misprinted() {
		return station(h.misprinted())
	}
	c, _ := h.chance(fmt.Sprint("pick ", n))
	return station(1 + c%max(n-1, 1))
}

func (h *harbour) gate(n int) string {
	c, _ := h.chance(fmt.Sprint("gate ", n))
	if n%7 == 3 {
		return closedGate
	}
	return fmt.Sprintf("g-%d", 20+c%70)
}

// surveyed are the stations whose ports the report adds up: an early one, one
// from the middle, a late one.
func (h *harbour) surveyed() [3]string {
	return [3]string{station(min(2, h.steps-1)), station((h.steps + 1) / 2), station(h.steps - 1)}
}

// task is the open order as the agent reads it.
func (h *harbour) task() string {
	switch h.order() {
	case 1:
		return "order 1: fetch the manifest"
	case h.steps:
		s := h.surveyed()
		return fmt.Sprintf("order %d: report the permit of %s and the sum of the ports of %s, %s and %s", h.order(), station(h.misprinted()), s[0], s[1], s[2])
	}
	return fmt.Sprintf("order %d: commission %s at gate %s with the permit of %s", h.order(), station(h.order()), h.gate(h.order()), h.permitFor(h.order()))
}

// do runs a tool and returns its result.
func (h *harbour) do(tool, args string) string {
	want := h.wanted()
	got := map[string]string{"tool": tool}
	if err := json.Unmarshal([]byte(args), &got); err != nil {
		return "refused: " + err.Error()
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if got[k] != want[k] {
			return fmt.Sprintf("order %d was refused: the %s is not %q", h.order(), k, got[k])
		}
	}
	var out strings.Builder
	if tool == "manifest" {
		for n := 2; n < h.steps; n++ {
			fmt.Fprintf(&out, "berth of %s: %s, %d m deep\n", station(n), h.value("berth of "+station(n)), 8+n%5)
		}
	} else {
		h.log(&out, 0)
		for _, kind := range []string{"port of ", "permit of "} {
			fmt.Fprintf(&out, "%s%s: %s\n", kind, station(h.order()), h.value(kind+station(h.order())))
		}
		h.log(&out, lines/2)
	}
	h.done++
	return out.String() + h.task()
}

// wanted is the only call that the open order accepts.
func (h *harbour) wanted() map[string]string {
	switch h.order() {
	case 1:
		return map[string]string{"tool": "manifest"}
	case h.steps:
		return map[string]string{"tool": "none"} // a report is an answer
	}
	s, gate := station(h.order()), h.gate(h.order())
	if gate == closedGate {
		gate = h.value("detour gate")
	}
	return map[string]string{
		"tool": "commission", "station": s, "label": s + "-" + h.value("label suffix"), "gate": gate,
		"berth": h.value("berth of " + s), "permit": h.value("permit of " + h.permitFor(h.order())),
	}
}

// lines of a station's log in each result: what makes a history long.
const lines = 20

func (h *harbour) log(out *strings.Builder, from int) {
	for i := from; i < from+lines/2; i++ {
		n, code := h.chance(fmt.Sprint("log ", h.order(), i))
		fmt.Fprintf(out, "%02d:%02d:%02d crane c-%d torque 0x%s rail %d ok\n", n%24, n/24%60, n/1440%60, n%90, code, n%7)
	}
}

// report is the answer that the last order wants.
func (h *harbour) report() string {
	sum := 0
	for _, s := range h.surveyed() {
		var port int
		fmt.Sscan(h.value("port of "+s), &port)
		sum += port
	}
	return fmt.Sprintf("report: permit %s, sum %d, suffix %s", h.value("permit of "+station(h.misprinted())), sum, h.value("label suffix"))
}

// check returns what is wrong with the agent's last message; nil if it is right.
func (h *harbour) check(answer string) error {
	if h.order() < h.steps {
		return fmt.Errorf("%w at order %d of %d: %s", errUnfinished, h.order(), h.steps, answer)
	}
	if want := h.report(); answer != want {
		return fmt.Errorf("%w: %q, want %q", errWrong, answer, want)
	}
	h.done++
	return nil
}
