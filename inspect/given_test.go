package inspect_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/inspect"
)

// What a request says and cannot mean is refused, and nothing is changed: a budget below
// zero is not the default one, and a field that is not known is not passed over.
//
// SPEC: B13
func TestNothingGivenIsPassedOver(t *testing.T) {
	s := simulated(t, "t", 16_000)
	c := served(t, s, inspect.Options{})
	before := current(t, s, "t")
	for body, want := range map[string]string{
		`actions {"action":"compact","plan_version":V,"budget":-5}`:              "budget: want 0 or more",
		`actions {"action":"undo","plan_version":V} {}`:                          "read action: more than one object",
		`actions {"action":"undo","plan_version":V,"preveiw":true}`:              "preveiw",
		`whatif {"policy":"truncate","budget":-1}`:                               "budget: want 0 or more",
		`whatif {"polcy":"truncate"}`:                                            "polcy",
		`whatif {"policy":"truncate"} [`:                                         "read experiment: more than one object",
		`whatif ` + `{"policy":"` + strings.Repeat("x", 100_000) + `"}`:          "read experiment",
		`actions {"action":"return","plan_version":V,"message":-1}`:              "message: this thread has",
		`actions {"action":"restore","plan_version":V,"restore":-1}`:             "",
		`actions {"action":"rename","title":"` + strings.Repeat("x", 201) + `"}`: "title: at most",
	} {
		path, given, _ := strings.Cut(body, " ")
		r := c.request(http.MethodPost, "/api/v1/threads/t/"+path, strings.NewReader(strings.ReplaceAll(given, "V", string(rune('0'+before)))))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Precis-Csrf", c.csrf)
		resp := c.do(r)
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode/100 != 4 || !strings.Contains(string(text), want) {
			t.Errorf("%.80s: %d %v %.200s, want %q", body, resp.StatusCode, err, text, want)
		}
	}
	if now := current(t, s, "t"); now != before {
		t.Errorf("plan %d was made, there was %d", now, before)
	}
}
