package merge

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/seed-3db51b0e/precis/internal/exchange"
	"github.com/seed-3db51b0e/precis/internal/jsonobject"
	"github.com/seed-3db51b0e/precis/internal/sse"
	"github.com/seed-3db51b0e/precis/recall"
)

const geminiAPI = "gemini"

// geminiJoiner joins answers of the Gemini API, whose events are answers with further
// parts.
type geminiJoiner struct {
	rounds  int             // before this one
	id      json.RawMessage // of the first
	hides   bool            // a look-up of this round was left out
	signed  bool            // a signature was left out with it, and no call has come since
	visible bool            // the client got something that is no thought
	said    bool            // the client got text in an earlier round
	speaks  bool            // text of this round has begun
	tail    []tail          // how this round ends
}

// event takes a chunk. The last one waits: it may hold a look-up, and then another round
// follows.
func (w *geminiJoiner) event(raw []byte, e sse.Event) []byte {
	o := jsonobject.Of(e.Data)
	if o == nil {
		return raw
	}
	if changed := w.chunk(o); changed {
		raw = sse.Encode("", jsonobject.Marshal(o))
	}
	c := candidate(o)
	switch {
	case len(w.tail) > 0 || c != nil && !c.Absent("finishReason"):
		return w.ending(raw, o)
	case c != nil && w.hides && !says(partsOf(c)):
		return nil
	}
	return raw
}

// ending keeps the end of a round back. What a round says before its look-ups goes out,
// as no later round repeats it.
func (w *geminiJoiner) ending(raw []byte, o jsonobject.Object) (out []byte) {
	raw = slices.Clone(raw)
	if c := candidate(o); w.hides && says(partsOf(c)) {
		now := jsonobject.Of(jsonobject.Marshal(o))
		d := candidate(now)
		delete(d, "finishReason")
		delete(now, "usageMetadata")
		now.Set("candidates", []jsonobject.Object{d})
		out = sse.Encode("", jsonobject.Marshal(now))
		c.Set("content", map[string]string{"role": "model"})
		o.Set("candidates", []jsonobject.Object{c})
		raw = sse.Encode("", jsonobject.Marshal(o))
	}
	w.tail = append(w.tail, tail{raw, o})
	return out
}

// candidate is the one that clients go on with.
func candidate(o jsonobject.Object) jsonobject.Object {
	for _, raw := range o.List("candidates") {
		if c := jsonobject.Of(raw); c.Number("index", 0) == 0 {
			return c
		}
	}
	return nil
}

func partsOf(c jsonobject.Object) []json.RawMessage { return jsonobject.Of(c["content"]).List("parts") }

// says reports whether parts hold more than empty text.
func says(parts []json.RawMessage) bool {
	return slices.ContainsFunc(parts, func(raw json.RawMessage) bool {
		p := jsonobject.Of(raw)
		return len(p) != 1 || p["text"] == nil || p.Text("text") != ""
	})
}

// chunk leaves out look-ups, and reports whether anything changed.
func (w *geminiJoiner) chunk(o jsonobject.Object) (changed bool) {
	if w.id == nil {
		w.id = o["responseId"]
	} else if w.rounds > 0 && !o.Absent("responseId") {
		o["responseId"], changed = w.id, true
	}
	c := candidate(o)
	parts := partsOf(c)
	if len(parts) == 0 {
		return changed
	}
	kept, fewer := w.filter(parts)
	if !fewer {
		return changed
	}
	content := jsonobject.Of(c["content"])
	content.Set("parts", kept)
	c.Set("content", content)
	o.Set("candidates", []jsonobject.Object{c})
	return true
}

// filter returns the parts that the client gets, and whether they are others.
func (w *geminiJoiner) filter(parts []json.RawMessage) (kept []json.RawMessage, changed bool) {
	kept = []json.RawMessage{}
	for _, raw := range parts {
		p := jsonobject.Of(raw)
		call := jsonobject.Of(p["functionCall"])
		switch {
		case call != nil && recall.Answers(call.Text("name")):
			w.hides, changed = true, true
			w.signed = w.signed || p.Text("thoughtSignature") != ""
			continue
		case call != nil && w.signed:
			if w.signed = false; p.Text("thoughtSignature") == "" {
				p.Set("thoughtSignature", noSignature)
				raw, changed = jsonobject.Marshal(p), true
			}
		case w.parted(p):
			raw, changed = jsonobject.Marshal(p), true
		}
		w.visible = w.visible || !isThought(p) && (call != nil || p.Text("text") != "" || p["text"] == nil)
		kept = append(kept, raw)
	}
	return kept, changed
}

// noSignature stands on the first call that the client gets where the signature was that
// of a look-up: the API asks for one, and takes this.
const noSignature = "skip_thought_signature_validator"

func isThought(p jsonobject.Object) bool { return string(p["thought"]) == "true" }

// parted sets the text of a later round off from what was said before.
func (w *geminiJoiner) parted(p jsonobject.Object) bool {
	text := p.Text("text")
	if text == "" || isThought(p) || w.speaks {
		return false
	}
	if w.speaks = true; w.said {
		p.Set("text", "\n\n"+text)
	}
	return w.said
}

func (w *geminiJoiner) nextRound() {
	w.said, w.speaks = w.said || w.speaks, false
	w.rounds, w.hides, w.signed, w.tail = w.rounds+1, false, false, nil
}

func (w *geminiJoiner) end(stop bool) (out []byte) {
	for _, t := range w.tail {
		if stop && candidate(t.o) != nil {
			t.raw = sse.Encode("", jsonobject.Marshal(w.stopped(t.o)))
			stop = false
		}
		out = append(out, t.raw...)
	}
	return out
}

// stopped is an answer that the model ended, which says so if it says nothing else.
func (w *geminiJoiner) stopped(o jsonobject.Object) jsonobject.Object {
	c := candidate(o)
	c.Set("finishReason", "STOP")
	if !w.visible {
		c.Set("content", map[string]any{"role": "model", "parts": append(partsOf(c), jsonobject.Marshal(map[string]string{"text": lookUpsUsed}))})
	}
	o.Set("candidates", []jsonobject.Object{c})
	return o
}

func (*geminiJoiner) fail(text string) []byte {
	return sse.Encode("", jsonobject.Marshal(map[string]any{"error": map[string]any{"code": 502, "message": text, "status": "UNAVAILABLE"}}))
}

func (w *geminiJoiner) bodies(rounds [][]byte, stop bool) []byte {
	if body := bytes.TrimLeft(rounds[len(rounds)-1], " \t\r\n"); len(body) > 0 && body[0] == '[' {
		return w.arrays(rounds, stop)
	}
	parts := []json.RawMessage{}
	var o jsonobject.Object
	for n, body := range rounds {
		if n > 0 {
			w.nextRound()
		}
		o = jsonobject.Of(body)
		w.chunk(o)
		parts = append(parts, partsOf(candidate(o))...)
	}
	c := candidate(o)
	if c == nil {
		return jsonobject.Marshal(o)
	}
	content := jsonobject.Object{"role": []byte(`"model"`)}
	content.Set("parts", parts)
	c.Set("content", content)
	o.Set("candidates", []jsonobject.Object{c})
	if stop {
		o = w.stopped(o)
	}
	return jsonobject.Marshal(o)
}

// arrays joins streams that are one array each.
func (w *geminiJoiner) arrays(rounds [][]byte, stop bool) []byte {
	chunks := []json.RawMessage{}
	p := sse.NewParser(exchange.Most, func(e sse.Event) error {
		chunks = append(chunks, bytes.Clone(e.Data))
		return nil
	})
	put := func(events []byte) { _, _ = p.Write(events) } // they are events
	for n, body := range rounds {
		if n > 0 {
			w.nextRound()
		}
		var list []json.RawMessage
		_ = json.Unmarshal(body, &list) // it was read before
		for _, raw := range list {
			put(w.event(sse.Encode("", raw), sse.Event{Data: raw}))
		}
	}
	put(w.end(stop))
	return jsonobject.Marshal(chunks)
}
