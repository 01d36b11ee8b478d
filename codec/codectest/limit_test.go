package codectest_test

import (
	"fmt"
	"testing"
)

// The cap of a reply is read in any form that JSON has for a whole number; what is none,
// and what some clients write for no cap, is no cap.
//
// SPEC: V11
func TestMaxOutput(t *testing.T) {
	bodies := map[string]string{
		"anthropic": `{"messages":[],"max_tokens":%s}`,
		"openai":    `{"messages":[],"max_tokens":%s}`,
		"responses": `{"max_output_tokens":%s}`,
		"gemini":    `{"contents":[],"generationConfig":{"maxOutputTokens":%s}}`,
	}
	for written, want := range map[string]int{
		"1024": 1024, "1024.0": 1024, "1e3": 1000, "0": 0, "-1": 0, "-1.0": 0, "1.5": 0, "1e400": 0, "1e300": 0, "null": 0, `"9"`: 0, "[]": 0,
	} {
		for _, c := range codecs {
			req, err := c.Decode(fmt.Appendf(nil, bodies[c.Name()], written))
			if err != nil {
				t.Fatal(err)
			}
			if req.MaxOutput != want {
				t.Errorf("%s: %s is a cap of %d, want %d", c.Name(), written, req.MaxOutput, want)
			}
		}
	}
}
