package discover

import (
	"strings"
	"testing"
)

// FuzzParse holds what is read of any bytes against what must be true of it.
//
// SPEC: B10
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"order_881234"}}
{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":"u1","compactMetadata":{"preservedMessages":{"uuids":["u1"]}}}
{"type":"user","uuid":"c1","parentUuid":"b1","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"so far"}}
{"type":"assistant","uuid":"a1","parentUuid":"c1","sessionId":"s","message":{"id":"m","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"order_881234"}],"usage":{"input_tokens":3,"output_tokens":1}}}`,
		`{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a/b.go"}]}}
{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":9},"last_token_usage":{"input_tokens":5,"cached_input_tokens":9}}}}
{"timestamp":"t","type":"compacted","payload":{"message":"x","replacement_history":[{"a":["b",{"c":"d"}]}]}}`,
		`{"type":"session","id":"p"}
{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"x"}}
{"type":"compaction","id":"2","parentId":"1","summary":"y","firstKeptEntryId":"1"}
{"type":"message","id":"3","parentId":"2","message":{"role":"assistant","content":[{"type":"text","text":"z"}],"usage":{"cost":{"total":1}}}}`,
		`{"info":{"id":"s"},"messages":[{"info":{"id":"1","role":"user"},"parts":[{"type":"text","text":"x"}]},{"info":{"id":"2","role":"user"},"parts":[{"type":"compaction","tail_start_id":"1"}]},{"info":{"id":"3","role":"assistant","summary":true},"parts":[{"type":"text","text":"y"}]}]}`,
		`{"sessionId":"g","projectHash":"a"}
{"id":"1","type":"user","content":"x"}
{"$set":{"messages":[{"id":"9","type":"user","content":"y"}]}}
{"id":"2","type":"gemini","content":"z","tokens":{"input":1,"cached":2}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := (Found{Path: "s"}).parse(data)
		if err != nil {
			if len(err.Error()) > 100 {
				t.Errorf("an error as long as a quotation: %v", err)
			}
			return
		}
		for _, v := range []*Session{s, s.Requests()} {
			at := 0
			for _, c := range v.Compactions {
				if c.At < at || c.From < 0 || c.From > c.At || c.At > len(v.Messages) {
					t.Fatalf("compaction at %d from %d of %d messages, the last at %d", c.At, c.From, len(v.Messages), at)
				}
				at = c.At
				for k, n := range c.Loss.Used {
					if n > c.Loss.Lost[k] || c.Loss.Lost[k] > c.Loss.Stood[k] {
						t.Fatalf("%s: %d used of %d lost of %d", k, n, c.Loss.Lost[k], c.Loss.Stood[k])
					}
				}
			}
			for n := range v.Messages {
				if p := v.Prompt(v.Messages[:n]); len(p) > n+1 {
					t.Fatalf("a prompt of %d after %d messages", len(p), n)
				}
			}
		}
		if said := len(s.Requests().Messages); said > len(s.Messages) || said == 0 {
			t.Fatalf("%d requests of %d messages", said, len(s.Messages))
		}
		for _, c := range s.Charges {
			if c.Key != "" && !strings.HasPrefix(c.Key, s.Agent+" ") {
				t.Fatalf("key %q", c.Key)
			}
		}
	})
}
