package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/internal/jsonobject"
	"github.com/seed-3db51b0e/precis/internal/sse"
)

// The items of the rounds below.
const (
	reasoning  = `{"type":"reasoning","id":"rs_%[1]s","summary":[],"encrypted_content":"c2ln"}`
	spokenItem = `{"type":"message","id":"msg_%[1]s","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Part %[1]s.","annotations":[]}]}`
	ownCall    = `{"type":"function_call","id":"fc_%[1]s","status":"completed","call_id":"c_%[1]s","name":"read_file","arguments":"{}"}`
	lookUp     = `{"type":"function_call","id":"fc_%[1]s","status":"completed","call_id":"c_%[1]s","name":"precis_grep","arguments":"{}"}`
)

// round is an answer of these items as it comes, streamed and whole.
func round(n int, kinds []string) (stream, whole string) {
	var list []json.RawMessage
	for i, k := range kinds {
		list = append(list, json.RawMessage(fmt.Sprintf(k, fmt.Sprintf("%d_%d", n, i))))
	}
	response := func(status string, output any) string {
		return string(jsonobject.Marshal(map[string]any{"id": fmt.Sprint("resp_", n), "status": status, "output": output, "usage": map[string]int{"input_tokens": 10, "output_tokens": 1}}))
	}
	seq := 0
	put := func(kind, rest string) {
		stream += string(sse.Encode(kind, []byte(fmt.Sprintf(`{"type":%q,"sequence_number":%d,%s}`, kind, seq, rest))))
		seq++
	}
	put("response.created", `"response":`+response("in_progress", []any{}))
	for i, item := range list {
		put("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, i, item))
		put("response.from_the_future", fmt.Sprintf(`"output_index":%d`, i))
		put("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, i, item))
	}
	put("response.completed", `"response":`+response("completed", list))
	return stream, response("completed", list)
}

// heardItems is what a client makes of a stream: what it numbers and indexes is
// whole and in order.
func heardItems(t *rapid.T, stream []byte) (*codec.Reply, string) {
	next, kind, id := 0, "", ""
	done := map[int]string{}
	p := sse.NewParser(0, func(e sse.Event) error {
		o := jsonobject.Of(e.Data)
		if n := o.Number("sequence_number", -1); n != next {
			t.Fatalf("event %d has number %d: %s", next, n, e.Data)
		}
		next++
		kind = o.Text("type")
		switch kind {
		case "response.created":
			id = jsonobject.Of(o["response"]).Text("id")
		case "response.output_item.added":
			if n := o.Number("output_index", -1); n != len(done) {
				t.Fatalf("item %d begins after %d", n, len(done))
			}
		case "response.output_item.done":
			done[o.Number("output_index", -1)] = string(o["item"])
		case "response.completed":
			r := jsonobject.Of(o["response"])
			var all []string
			for _, raw := range r.List("output") {
				all = append(all, string(raw))
			}
			var got []string
			for _, i := range slices.Sorted(maps.Keys(done)) {
				got = append(got, done[i])
			}
			if !slices.Equal(all, got) || r.Text("id") != id {
				t.Fatalf("completed %q has %s\nthe stream %q had %s", r.Text("id"), all, id, got)
			}
		}
		return nil
	})
	a := responses.Codec{}.Stream()
	q := sse.NewParser(0, func(e sse.Event) error { return a.Event(e.Name, e.Data) })
	for _, p := range []*sse.Parser{p, q} {
		if _, err := p.Write(stream); err != nil {
			t.Fatal(err)
		}
	}
	r, err := a.Reply()
	if err != nil {
		t.Fatal(err)
	}
	return r, kind
}

// Whatever rounds an answer of Responses has: the client's stream is numbered
// through, its items are those of the same answer that is no stream, no look-up
// is among them, and reasoning only before what it led to. A stream without
// look-ups comes as it was.
//
// SPEC: B6, B8 · WO3, WO4, WP4
func TestRoundsOfResponses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.SampledFrom([]string{reasoning, spokenItem, ownCall, lookUp}), 1, 6)
		rounds := rapid.SliceOfN(kinds, 1, 4).Draw(t, "rounds")
		stop := rapid.Bool().Draw(t, "stop")
		l := NewWriter(responsesAPI, responses.Codec{})
		var out, came []byte
		var wholes [][]byte
		looks := stop
		for n, ks := range rounds {
			stream, whole := round(n, ks)
			if n > 0 {
				l.NextRound()
			}
			out = append(out, l.Write([]byte(stream))...)
			came, wholes = append(came, stream...), append(wholes, []byte(whole))
			looks = looks || n > 0 || slices.Contains(ks, lookUp)
		}
		out = append(out, l.Close(stop)...)
		if !looks && !bytes.Equal(out, came) {
			t.Fatalf("came %s\nwent %s", came, out)
		}
		got, last := heardItems(t, out)
		want, err := responses.Codec{}.Reply(http.StatusOK, Bodies(responsesAPI, wholes, stop))
		if err != nil || last != "response.completed" {
			t.Fatalf("%v, the last event is %s", err, last)
		}
		if len(got.Items) != len(want.Items) || got.Usage != want.Usage || got.Usage.Input != 10 {
			t.Fatalf("streamed %d items, %+v; whole %d, %+v", len(got.Items), got.Usage, len(want.Items), want.Usage)
		}
		for i := range got.Items {
			if string(got.Items[i].Raw) != string(want.Items[i].Raw) {
				t.Errorf("streamed %s\nwhole %s", got.Items[i].Raw, want.Items[i].Raw)
			}
			if bytes.Contains(got.Items[i].Raw, []byte("precis_grep")) {
				t.Errorf("look-up %s", got.Items[i].Raw)
			}
		}
		if len(got.Items) == 0 && stop {
			t.Error("nothing is said")
		}
	})
}
