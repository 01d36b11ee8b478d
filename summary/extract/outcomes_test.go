package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. What a call was asked is told value by value, and marks around several are no values.
func TestFieldsOfOutcomes(t *testing.T) {
	for args, want := range map[string]string{
		`{"query":["go","json [x]",[3],{"in":4},5]}`:     "- websearch: query=go, query=json [x], query=3, in=4, query=5 (#2)",
		`{"query":{"all":["go"],"none":null},"url":"x"}`: "- websearch: all=go, none=null, url=x (#2)",
	} {
		text := wording.Text(summarize(t, script(t, "call websearch "+args+"\n---\nresult: Two pages say so, which is quite a long text, longer than what stands whole.")), 0, nil)
		if !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", args, want, text)
		}
	}
}

// SPEC: B18. Of a call that changes something it is told what was paid or refunded last, where the
// result lists more than one amount, so that the last is not older than the call.
func TestWhatWasPaid(t *testing.T) {
	for result, want := range map[string]string{
		`{"id":"NM1VX1","payments":[{"by":"gift","amount":183},{"by":"card","amount":484.5}]}`:                                             "id=NM1VX1, payments[-1]=484.5 (#2)",
		`{"id":"W1","history":[{"transaction_type":"payment","amount":9},{"transaction_type":"refund","amount":4}],"price_difference":-5}`: "id=W1, history[-1]=refund 4, price_difference=-5 (#2)",
		`{"id":"W2","payments":[{"amount":183}],"items":[{"price":1},{"price":2}],"tags":["a","b"],"price_difference":null}`:               "id=W2 (#2)",
		`{"id":"W3","payments":[{"amount":1},{"amount":2},3]}`:                                                                             "id=W3 (#2)",
		`{"id":"W4","payments":[{"amount":{"usd":2}},{"amount":2}],"n":{"refund":1}}`:                                                      "id=W4, payments[-1]=2 (#2)",
	} {
		text := wording.Text(summarize(t, script(t, "call update_order {\"address\":\"\"}\n---\nresult: "+result)), 0, nil)
		if !strings.Contains(text, "- update_order: "+want) {
			t.Errorf("missing %q in\n%s", want, text)
		}
	}
	if text := wording.Text(summarize(t, script(t, "call get_order {\"id\":\"W1\"}\n---\nresult: {\"status\":\"new\",\"payments\":[{\"amount\":1},{\"amount\":2}]}")), 0, nil); strings.Contains(text, "[-1]") {
		t.Errorf("nothing was paid by looking:\n%s", text)
	}
}

// SPEC: B18. Where a call pays in several parts, all of them are told, not the last as if it were all; what a
// later call on the same thing shows once more was not paid by that.
func TestWhatWasPaidInParts(t *testing.T) {
	const (
		pays    = `"payment_methods":[{"payment_id":"cert_1","amount":250},{"payment_id":"card_2","amount":5}]`
		paid    = `{"payment_id":"cert_1","amount":250},{"payment_id":"card_2","amount":5}`
		many    = `{"payment_id":"certificate_3765853","amount":500},{"payment_id":"gift_card_8020792","amount":198},{"payment_id":"gift_card_6136092","amount":129},{"payment_id":"credit_card_2198526","amount":44}`
		changed = "call modify_items {\"order_id\":\"W1\"}\n---\nresult: {\"order_id\":\"W1\",\"history\":[{\"amount\":9},{\"type\":\"refund\",\"amount\":4}]}\n---\n"
		moved   = "call modify_address {\"order_id\":\"W1\",\"zip\":\"10116\"}\n---\nresult: {\"order_id\":\"W1\",\"history\":[{\"amount\":9},{\"type\":\"refund\",\"amount\":4}]}\n---\n"
		other   = "call modify_address {\"order_id\":\"W2\",\"zip\":\"10116\"}\n---\nresult: {\"order_id\":\"W2\",\"history\":[{\"amount\":9},{\"type\":\"refund\",\"amount\":4}]}\n---\n"
	)
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{"all", "call book {\"id\":\"H1\"," + pays + "}\n---\nresult: {\"id\":\"H1\",\"payments\":[" + paid + "]}", []string{"payments=cert_1 250, card_2 5 (#2)"}, []string{"[-1]"}},
		{"many", "call book {\"id\":\"H1\",\"payment_methods\":[" + many + "]}\n---\nresult: {\"id\":\"H1\",\"payments\":[" + many + "]}", []string{"payments=500, 198, 129, 44 (#2)"}, nil},
		{"behind older ones", "call book {\"id\":\"H1\"," + pays + "}\n---\nresult: {\"id\":\"H1\",\"payments\":[{\"payment_id\":\"card_2\",\"amount\":70}," + paid + "]}", []string{"payments[-2:]=cert_1 250, card_2 5 (#2)"}, nil},
		{"other amounts", "call book {\"id\":\"H1\"," + pays + "}\n---\nresult: {\"id\":\"H1\",\"payments\":[{\"amount\":250},{\"amount\":6}]}", []string{"payments[-1]=6 (#2)"}, nil},
		{"shown once more", changed + moved + "user: ok", []string{"- modify_items: order_id=W1, history[-1]=refund 4 (#2)", "- modify_address: order_id=W1, zip=10116 (#4)"}, nil},
		{"the same again", changed + changed + "user: ok", []string{"history[-1]=refund 4 (2 times, #2 to #4)"}, nil},
		{"lists without amounts", "call book {\"id\":\"H1\",\"flights\":[{\"no\":\"A\"},{\"no\":\"B\"}]}\n---\nresult: {\"id\":\"H1\",\"flights\":[{\"no\":\"A\"},{\"no\":\"B\"}],\"payments\":[{\"amount\":1},{\"amount\":2}]}", []string{"- book: id=H1, payments[-1]=2 (#2)"}, nil},
		{"of another order", changed + other + "user: ok", []string{"zip=10116, history[-1]=refund 4 (#4)"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, c.log)
			checkText(t, wording.Text(summarize(t, ms), 0, nil), c.want, c.without)
			checkText(t, wording.Text(summarize(t, ms, throughJSON(t, summarize(t, ms[:2]))), 0, nil), c.want, c.without)
		})
	}
}

// SPEC: B18. A tool that runs tests tells their verdict, and a verdict stands before what the agent
// said of it.
func TestVerdictsOfTools(t *testing.T) {
	text := wording.Text(summarize(t, script(t, "call run_tests {\"packages\":\"./internal/hold\"}\n---\nresult: === RUN A\n--- PASS: A (0.1s)\nPASS\nok  \texample.org/hold\t0.233s\n---\n"+
		"call run_tests {\"packages\":\"./...\"}\n---\nresult: === RUN A\n--- FAIL: A (0.1s)\nFAIL\nFAIL\texample.org/pay\t0.5s\nok  \texample.org/hold\t(cached)\nFAIL\n---\n"+
		"call bash {\"command\":\"make test-unit\"}\n---\nresult: go test -race\nok  \texample.org/hold\t0.2s\nok  \texample.org/pay\t0.3s\n---\nassistant: It works now.")), 0, nil)
	for _, want := range []string{"packages=./internal/hold, result=ok example.org/hold 0.233s (#2)", "packages=./..., result=FAIL example.org/pay 0.5s (#4)", "`make test-unit` → ok example.org/pay 0.3s (#6)"} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in\n%s", want, text)
		}
	}
}

// SPEC: B18. A call that is made again and again, and comes to the same, is told with how often it was;
// of one that looks, from the third time on.
func TestRepeatedCalls(t *testing.T) {
	const transfer = "call transfer_to_human_agents {\"summary\":\"wants to fly\"}\n---\nresult: Transfer successful\n---\n"
	ms := script(t, strings.Repeat(transfer, 30)+"call send_mail {\"to\":\"mia\"}\n---\nresult: ok\n---\ncall send_mail {\"to\":\"mia\"}\n---\nresult: Error: no such user\n---\n"+
		strings.TrimSuffix(strings.Repeat("call get_seat {\"id\":\"A1\"}\n---\nresult: free\n---\n", 2), "\n---\n"))
	for _, s := range []*summary.Structured{summarize(t, ms), summarize(t, ms, throughJSON(t, summarize(t, ms[:20])))} {
		text := wording.Text(s, 0, nil)
		for _, want := range []string{
			"- transfer_to_human_agents: summary=wants to fly, result=Transfer successful (30 times, #2 to #60)\n",
			"- send_mail: to=mia, result=ok (#62), failed, to=mia, Error: no such user (#64)\n", "- get_seat: id=A1, result=free (#68)",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("missing %q in\n%s", want, text)
			}
		}
	}
}

// SPEC: B18. Of a call that changes something what it says first is told; what was read before it, of
// the same thing, no longer stands, nor what a later call read otherwise.
func TestReadingsThatNoLongerHold(t *testing.T) {
	call := func(name, args, result string) string {
		return "call " + name + " " + args + "\n---\nresult: " + result
	}
	for _, c := range []struct {
		name          string
		calls         []string
		want, without []string
	}{
		{"a state that came", []string{call("toggle_data", "{}", "Mobile Data is now ON.\nStatus Bar: Poor | 2G | Data Enabled | Battery: 80% | Signal: 4")}, []string{"- toggle_data: result=Mobile Data is now ON. (#2)"}, []string{"Status Bar"}},
		{
			"set since",
			[]string{call("check_network_mode_preference", "{}", "Network Mode Preference: 2g_only"), call("set_network_mode_preference", `{"mode":"4g"}`, "Preferred Network Mode set to: 4g")},
			[]string{"- set_network_mode_preference: mode=4g, result=Preferred Network Mode set to: 4g (#4)"},
			[]string{"2g_only"},
		},
		{
			"set in vain",
			[]string{call("check_network_mode_preference", "{}", "Network Mode Preference: 2g_only"), call("set_network_mode_preference", `{"mode":"4g"}`, "Error: no such mode")},
			[]string{"Preference: 2g_only (#2)"},
			nil,
		},
		{
			"read since",
			[]string{call("toggle_wifi_calling", "{}", "Wi-Fi Calling is now OFF."), call("check_wifi_calling_status", "{}", "Wi-Fi Calling is currently turned OFF.")},
			[]string{"turned OFF. (#4)", "now OFF. (#2)"},
			nil,
		},
		{
			"named in more words",
			[]string{call("check_sim_status", "{}", "No SIM card detected."), call("enable_sim_card", "{}", "Enabled.")},
			[]string{"- enable_sim_card: result=Enabled. (#4)"},
			[]string{"detected"},
		},
		{
			"of another thing",
			[]string{call("check_seat", `{"seat":"A1"}`, "A1 is free"), call("book_seat", `{"seat":"A2"}`, "booked")},
			[]string{"A1 is free (#2)"},
			nil,
		},
		{
			"read otherwise",
			[]string{call("can_send_mms", "{}", "It cannot send MMS."), call("can_send_mms", "{}", "It can send MMS.")},
			[]string{"It can send MMS. (#4)"},
			[]string{"cannot"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, strings.Join(c.calls, "\n---\n"))
			for _, s := range []*summary.Structured{summarize(t, ms), summarize(t, ms, throughJSON(t, summarize(t, ms[:2])))} {
				text := wording.Text(s, 0, nil)
				checkText(t, text, c.want, c.without)
			}
		})
	}
}
