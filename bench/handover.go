package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// object is a JSON object.
type object = map[string]any

// agentFormats write a conversation as an agent's own session file, and have the arguments
// by which the agent asks for its handover; kept stands for an entry among the newest.
var agentFormats = []struct {
	name  string
	write func([]message.Message) []byte
	args  []string
}{
	{"Claude Code", testsessions.ClaudeCode, []string{"--whole"}},
	{"pi", piFile, []string{"--kept", kept}},
	{"opencode", openCodeFile, nil},
	{"Codex CLI", codexFile, nil},
	{"Gemini CLI", geminiFile, nil},
}

const kept = "KEPT"

// handovers measures how long an agent waits for precis in a compaction.
func handovers(r *run) ([]table, error) {
	binary, err := r.build()
	if err != nil {
		return nil, err
	}
	want := 500_000
	if r.short {
		want = 5_000
	}
	ms, tokens, err := conversation(want)
	if err != nil {
		return nil, err
	}
	t := table{
		name: "handover", head: []string{"session of", "file", "first, median", "first, p95", "later, median", "later, p95", "processor time, first", "later"},
		note: fmt.Sprintf("A session of %s messages and %s tokens in the format of each agent: `precis handover`, as a process, with a database that does not know the session (first), and with one that does (later).", whole(float64(len(ms))), whole(float64(tokens))),
	}
	says := func(out []byte) error {
		if len(out) == 0 && !r.short {
			return errors.New("a handover says nothing")
		}
		return nil
	}
	for _, f := range agentFormats {
		path := filepath.Join(r.tmp, strings.ReplaceAll(f.name, " ", "-")+".jsonl")
		text := f.write(ms)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return nil, fmt.Errorf("write a session: %w", err)
		}
		args := []string{"handover", path}
		for _, a := range f.args {
			args = append(args, strings.ReplaceAll(a, kept, piEntry(bytes.Count(text, []byte("\n"))*9/10)))
		}
		db := filepath.Join(r.tmp, "handover.db")
		row, used := []string{f.name, fmt.Sprintf("%s KB", whole(float64(len(text)>>10)))}, []string{}
		for _, fresh := range []bool{true, false} {
			took, err := r.measure(process{binary, append(args, "--db", db), db, fresh}, 30, says)
			if err != nil {
				return nil, err
			}
			row = append(row, since(median(took.walls)), since(percentile(took.walls, 95)))
			used = append(used, since(median(took.cpus)))
		}
		t.row(append(row, used...)...)
	}
	return []table{t}, nil
}

// conversation is a recorded one of at least so many tokens.
func conversation(want int) ([]message.Message, int, error) {
	count, err := bpe.Counter("o200k")
	if err != nil {
		return nil, 0, err
	}
	for n := want / 1000; ; n += want / 5000 {
		ms := testsessions.Session(1, testsessions.Options{Messages: n}).Messages
		tokens := 0
		for _, m := range ms {
			for _, p := range m.Parts {
				tokens += count.Count(p.Body())
			}
		}
		if tokens >= want {
			return ms, tokens, nil
		}
	}
}

// jsonl joins values, a line each.
func jsonl(all []any) []byte {
	var b []byte
	for _, v := range all {
		line, err := json.Marshal(v)
		if err != nil {
			panic(err) // it is made of texts
		}
		b = append(append(b, line...), '\n')
	}
	return b
}

// arguments are those of a call, as JSON.
func arguments(p message.Part) json.RawMessage {
	if json.Valid([]byte(p.Args)) {
		return json.RawMessage(p.Args)
	}
	return json.RawMessage("{}")
}

// piEntry is the id of an entry of a session of pi.
func piEntry(n int) string { return fmt.Sprintf("%08d", n) }

func piFile(ms []message.Message) []byte {
	all := []any{object{"type": "session", "version": 3, "id": "bench", "cwd": "/srv"}}
	parent := any(nil)
	put := func(m object) {
		id := piEntry(len(all))
		all = append(all, object{"type": "message", "id": id, "parentId": parent, "message": m})
		parent = id
	}
	for _, m := range ms {
		content := []any{}
		for _, p := range m.Parts {
			switch p.Kind {
			case message.Text:
				content = append(content, object{"type": "text", "text": p.Text})
			case message.Call:
				content = append(content, object{"type": "toolCall", "id": p.CallID, "name": p.Name, "arguments": arguments(p)})
			case message.Result:
				put(object{"role": "toolResult", "toolCallId": p.CallID, "toolName": p.Name, "content": []any{object{"type": "text", "text": p.Body()}}})
			}
		}
		if len(content) > 0 && m.Role != message.System {
			put(object{"role": string(m.Role), "content": content, "model": "claude-sonnet-4-5"})
		}
	}
	return jsonl(all)
}

func codexFile(ms []message.Message) []byte {
	all := []any{object{"type": "session_meta", "payload": object{"id": "bench"}}}
	put := func(payload object) { all = append(all, object{"type": "response_item", "payload": payload}) }
	for _, m := range ms {
		for _, p := range m.Parts {
			switch {
			case p.Kind == message.Text && m.Role == message.Assistant:
				put(object{"type": "message", "role": "assistant", "content": []any{object{"type": "output_text", "text": p.Text}}})
			case p.Kind == message.Text && m.Role == message.User:
				put(object{"type": "message", "role": "user", "content": []any{object{"type": "input_text", "text": p.Text}}})
			case p.Kind == message.Call:
				put(object{"type": "function_call", "name": p.Name, "arguments": p.Args, "call_id": p.CallID})
			case p.Kind == message.Result:
				put(object{"type": "function_call_output", "call_id": p.CallID, "output": p.Body()})
			}
		}
	}
	return jsonl(all)
}

// results are the texts of all results, by call.
func results(ms []message.Message) map[string]string {
	all := map[string]string{}
	for _, m := range ms {
		for _, p := range m.Parts {
			if p.Kind == message.Result {
				all[p.CallID] = p.Body()
			}
		}
	}
	return all
}

func openCodeFile(ms []message.Message) []byte {
	said, list := results(ms), []any{}
	for i, m := range ms {
		parts := []any{}
		for _, p := range m.Parts {
			switch p.Kind {
			case message.Text:
				parts = append(parts, object{"type": "text", "text": p.Text})
			case message.Call:
				parts = append(parts, object{"type": "tool", "callID": p.CallID, "tool": p.Name, "state": object{"status": "completed", "input": arguments(p), "output": said[p.CallID]}})
			}
		}
		if len(parts) > 0 && (m.Role == message.User || m.Role == message.Assistant) {
			list = append(list, object{"info": object{"id": fmt.Sprintf("msg_%06d", i), "sessionID": "bench", "role": string(m.Role), "modelID": "claude-sonnet-4-5"}, "parts": parts})
		}
	}
	return jsonl([]any{object{"info": object{"id": "bench"}, "messages": list}})
}

func geminiFile(ms []message.Message) []byte {
	said, all := results(ms), []any{object{"sessionId": "bench", "projectHash": "ab12", "kind": "main"}}
	for i, m := range ms {
		text, calls := []any{}, []any{}
		for _, p := range m.Parts {
			switch p.Kind {
			case message.Text:
				text = append(text, object{"text": p.Text})
			case message.Call:
				response := object{"functionResponse": object{"id": p.CallID, "name": p.Name, "response": object{"output": said[p.CallID]}}}
				calls = append(calls, object{"id": p.CallID, "name": p.Name, "args": arguments(p), "status": "success", "result": []any{response}})
			}
		}
		kind := map[message.Role]string{message.User: "user", message.Assistant: "gemini"}[m.Role]
		if kind != "" && len(text)+len(calls) > 0 {
			all = append(all, object{"id": fmt.Sprint("m", i), "type": kind, "content": text, "toolCalls": calls, "model": "gemini-2.5-pro"})
		}
	}
	return jsonl(all)
}
