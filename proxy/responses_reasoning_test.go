package proxy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/policy"
)

// reasoner is OpenAI as it is about reasoning: an item of it stands before what
// the model made of it and nothing else, with the content it came with; and what
// was made of reasoning, and is known by its id, does not stand without it.
type reasoner struct {
	*provider
	sealed   map[string]string // content of reasoning, by id
	next     map[string]string // id of what follows reasoning, by its id
	needs    map[string]string // id of the reasoning that an item goes with
	refusals []string
	reasons  []int // items of reasoning, by request
}

func newReasoner(t *testing.T) *reasoner {
	r := &reasoner{newProvider(t), map[string]string{}, map[string]string{}, map[string]string{}, nil, nil}
	r.answer = r.reply
	return r
}

// wireItem is what is judged of an item.
type wireItem struct {
	Type, ID, Role string
	Sealed         string `json:"encrypted_content"`
}

func (s *reasoner) judge(body string) string {
	var q struct{ Input []wireItem }
	if err := json.Unmarshal([]byte(body), &q); err != nil {
		return err.Error()
	}
	here, n := "", 0
	for i, it := range q.Input {
		switch {
		case it.Type == "reasoning":
			n++
			here = it.ID
			if it.Sealed != s.sealed[it.ID] {
				return fmt.Sprintf("The encrypted content for item %s could not be verified.", it.ID)
			}
			if i+1 == len(q.Input) || q.Input[i+1].ID != s.next[it.ID] && (q.Input[i+1].ID != "" || q.Input[i+1].Role == "user") {
				return fmt.Sprintf("Item '%s' of type 'reasoning' was provided without its required following item.", it.ID)
			}
		case s.needs[it.ID] != "" && s.needs[it.ID] != here:
			return fmt.Sprintf("Item '%s' of type '%s' was provided without its required 'reasoning' item: '%s'.", it.ID, it.Type, s.needs[it.ID])
		case it.Role == "user" || strings.HasSuffix(it.Type, "_output"):
			here = ""
		}
	}
	s.reasons = append(s.reasons, n)
	return ""
}

// reply answers with reasoning, twice in a row at times, then words, calls, or
// both.
func (s *reasoner) reply(w http.ResponseWriter, _ *http.Request, body string) bool {
	s.mu.Lock()
	n := len(s.got)
	why := s.judge(body)
	if why != "" {
		s.refusals = append(s.refusals, fmt.Sprintf("request %d: %s", n, why))
	}
	s.mu.Unlock()
	if why != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"message":%s,"type":"invalid_request_error","param":"input","code":null}}`, quoted(why))
		return true
	}
	text, id, args := said(n)
	var out []string
	switch {
	case n%11 == 0:
		out = []string{s.think(n, "a"), messageItem(n, text)}
	case n%7 == 0:
		out = []string{s.think(n, "a"), s.think(n, "b"), callItem(n, id, args)}
	case n%5 == 0:
		out = []string{callItem(n, id, args)}
	case n%3 == 0:
		out = []string{s.think(n, "a"), messageItem(n, text), callItem(n, id, args), callItem(n+1000, id+"b", args)}
	default:
		out = []string{s.think(n, "a"), callItem(n, id, args)}
	}
	s.bind(out)
	size := tokens(s.t, apiNamed(s.t, "responses"), body)
	s.most = max(s.most, size)
	s.send(w, "text/event-stream", itemStream(out, size))
	return true
}

func (s *reasoner) think(n int, which string) string {
	id, sealed := fmt.Sprintf("rs_%d%s", n, which), fmt.Sprintf("gAAAA%d%sZm9v", n, which)
	s.sealed[id] = sealed
	return fmt.Sprintf(`{"type":"reasoning","id":%q,"summary":[],"encrypted_content":%q}`, id, sealed)
}

// bind notes what goes with what.
func (s *reasoner) bind(out []string) {
	last, before := "", ""
	for _, raw := range out {
		var it wireItem
		_ = json.Unmarshal([]byte(raw), &it) // it is ours
		if before != "" {
			s.next[before] = it.ID
		}
		before = ""
		if it.Type == "reasoning" {
			last, before = it.ID, it.ID
		} else if last != "" {
			s.needs[it.ID] = last
		}
	}
}

// itemStream is an answer of these items as events.
func itemStream(out []string, size int) string {
	var b strings.Builder
	n := 0
	put := func(kind, rest string) {
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q,\"sequence_number\":%d%s}\n\n", kind, kind, n, rest)
		n++
	}
	put("response.created", `,"response":{"id":"r","status":"in_progress","output":[]}`)
	for i, raw := range out {
		put("response.output_item.added", fmt.Sprintf(`,"output_index":%d,"item":%s`, i, strings.Replace(raw, `"encrypted_content":"`, `"encrypted_content":"cut`, 1)))
		put("response.output_item.done", fmt.Sprintf(`,"output_index":%d,"item":%s`, i, raw))
	}
	put("response.completed", fmt.Sprintf(`,"response":{"id":"r","object":"response","status":"completed","output":[%s],"usage":{"input_tokens":%d,"output_tokens":9}}`, strings.Join(out, ","), size))
	return b.String()
}

// Long sessions of a client that sends reasoning back: none is refused, and
// reasoning stays with what was made of it.
//
// SPEC: B9, V3 · WO3, WO4, P6
func TestReasoning(t *testing.T) {
	for _, name := range policy.Names() {
		t.Run(name, func(t *testing.T) {
			up := newReasoner(t)
			o := options(up.url)
			o.Budget = budget
			o.Engine.Policy, _ = policy.Named(name)
			f := serve(t, o)
			g := newAgent(t, apiNamed(t, "responses"), f.url, true)
			g.lines = 12
			for n := range 70 {
				g.step()
				if !slices.ContainsFunc(g.last, func(m string) bool { return strings.Contains(m, "function_call_output") }) {
					g.messages = append(g.messages, fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":"Now part %d."}]}`, n))
				}
			}
			for _, r := range up.refusals {
				t.Error(r)
			}
			if hs := f.threads(t, ""); len(hs) != 1 || hs[0].PlanVersion < 2 {
				t.Errorf("threads: %+v", hs)
			}
			if up.most > budget {
				t.Errorf("a request of %d tokens", up.most)
			}
			if least := slices.Min(up.reasons[10:]); least == 0 && name == "balanced" {
				t.Errorf("reasoning by request: %v", up.reasons)
			}
		})
	}
}
