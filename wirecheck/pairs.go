package wirecheck

import (
	"maps"
	"slices"
	"strings"
)

// pairs is WA5, WA6 and WA7 for the calls the client answers.
func (c *checker) pairs(r *request) {
	for i, t := range r.turns {
		switch t.role {
		case "assistant":
			c.answered(r, i)
		case "user":
			c.answers(t, callsBefore(r, i))
		}
	}
}

// answered is WA5: the next user turn answers every call of turn i.
func (c *checker) answered(r *request, i int) {
	results := map[string]bool{}
	if next := nextTurn(r, i); next != nil && next.role == "user" {
		for _, b := range next.blocks {
			if b.kind == "tool_result" {
				results[b.node.get("tool_use_id").text()] = true
			}
		}
	}
	for _, b := range r.turns[i].blocks {
		if id := b.node.get("id").text(); b.kind == "tool_use" && !results[id] {
			c.fault("WA5", b.path, "%.80q has no tool_result in the next message", id)
		}
	}
}

// nextTurn is the turn after i, a system turn aside (that one is WA8's).
func nextTurn(r *request, i int) *turn {
	for j := i + 1; j < len(r.turns); j++ {
		if r.turns[j].role != "system" {
			return &r.turns[j]
		}
	}
	return nil
}

// callsBefore are the calls of the assistant turn that user turn i answers, by
// id, each with its caller's type.
func callsBefore(r *request, i int) map[string]string {
	for j := i - 1; j >= 0; j-- {
		switch r.turns[j].role {
		case "user":
			return nil
		case "assistant":
			calls := map[string]string{}
			for _, b := range r.turns[j].blocks {
				if b.kind == "tool_use" {
					calls[b.node.get("id").text()] = b.node.get("caller").get("type").text()
				}
			}
			return calls
		}
	}
	return nil
}

// answers is WA6 and WA7: the results come first, each answers one call.
func (c *checker) answers(t turn, calls map[string]string) {
	seen := map[string]bool{}
	other := "" // the first block that is no result
	programmatic := false
	for _, b := range t.blocks {
		if b.kind != "tool_result" {
			if other == "" {
				other = b.path
			}
			continue
		}
		id := b.node.get("tool_use_id").text()
		caller, asked := calls[id]
		programmatic = programmatic || caller != "" && caller != "direct"
		switch {
		case strings.HasPrefix(id, "srvtoolu_"):
			c.fault("WA7", b.path, "a server tool's call %.80q gets no tool_result", id)
		case !asked:
			c.fault("WA7", b.path, "no tool_use %.80q in the message before", id)
		case seen[id]:
			c.fault("WA7", b.path, "second tool_result for %.80q", id)
		}
		seen[id] = true
		if other != "" {
			c.fault("WA6", b.path, "tool_result after %s", other)
		}
	}
	if programmatic && other != "" {
		c.fault("WA6", other, "only tool_result may answer a programmatic call")
	}
}

// serverPairs is WA7 for the calls the provider runs: the result stands in the
// same turn, unless the turn waits for the client or is the last, paused one. One that
// calls the client's tools waits for each of them, turn after turn.
func (c *checker) serverPairs(r *request) {
	open := map[string]string{} // id to path
	for i, t := range r.turns {
		if t.role != "assistant" {
			continue
		}
		waiting := open
		open = map[string]string{}
		for _, b := range t.blocks {
			switch {
			case b.serverUse():
				open[b.node.get("id").text()] = b.path
			case b.serverResult():
				id := b.node.get("tool_use_id").text()
				if open[id] == "" && waiting[id] == "" {
					c.fault("WA7", b.path, "no open server call %.80q in this turn", id)
				}
				delete(open, id)
				delete(waiting, id)
			case waiting[b.caller()] != "":
				open[b.caller()] = waiting[b.caller()]
				delete(waiting, b.caller())
			}
		}
		c.unfinished(waiting)
		if i < len(r.turns)-1 && !t.has("tool_use") {
			c.unfinished(open)
			clear(open)
		}
	}
}

// caller is the id of the call that the provider runs and that made this one, "" for none.
func (b block) caller() string { return b.node.get("caller").get("tool_id").text() }

func (c *checker) unfinished(open map[string]string) {
	for _, id := range slices.Sorted(maps.Keys(open)) {
		c.fault("WA7", open[id], "the result of server call %.80q is not in its turn", id)
	}
}

// systemPlaces is WA8.
func (c *checker) systemPlaces(r *request) {
	for _, m := range r.messages {
		c.clearAt(m)
	}
	for i, t := range r.turns {
		if t.role != "system" {
			continue
		}
		if !r.model.systems() {
			c.fault("WA8", t.path, "the model takes no system message here")
		}
		if i == 0 {
			c.fault("WA8", t.path, "a system message is never first")
			continue
		}
		before := r.turns[i-1]
		if before.has("tool_use") {
			c.fault("WA8", t.path, "a system message inside a tool round")
		} else if before.role == "assistant" && !before.last().serverResult() {
			c.fault("WA8", t.path, "a system message after an assistant turn that does not end in a server tool's result")
		}
		if i+1 < len(r.turns) && r.turns[i+1].role != "assistant" {
			c.fault("WA8", t.path, "a system message is followed by an assistant turn or ends the array")
		}
	}
}

// clearAt checks WA8 and WA11 on a message that the provider removes by itself.
func (c *checker) clearAt(m turn) {
	at := m.node.get("clear_at")
	if at == nil {
		return
	}
	if m.role != "system" {
		c.fault("WA8", join(m.path, "clear_at"), "only a system message has clear_at")
	}
	for _, b := range m.blocks {
		if at.text() == "next_user_message" && b.kind != "text" {
			c.fault("WA8", b.path, "a message with clear_at holds text only")
		}
		if at.text() == "next_user_message" && b.node.get("cache_control") != nil {
			c.fault("WA11", b.path, "cache_control in a message with clear_at")
		}
	}
}
