package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/internal/testspan"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18. Of look-ups it is told what they found, of several alike those that were named after
// them, of a list what was named or described; what was changed since is not.
func TestWhatLookUpsFound(t *testing.T) {
	order := func(id, status string) string {
		return `call get_order {"order_id":"` + id + `"}` + "\n---\n" + `result: {"order_id":"` + id + `","user_id":"mia_7","status":"` + status + `","items":[{"name":"Lamp","item_id":"68055","price":135.24}],"note":null}`
	}
	lamp := func(id, status string) string {
		return strings.NewReplacer("Lamp", "Desk Lamp", "68055", "68056", "135.24", "130").Replace(order(id, status))
	}
	housed := func(order string) string {
		return strings.Replace(order, `"items":`, `"address":{"street":"9 Hickory Lane","town":"Austin"},"items":`, 1)
	}
	long := `call get_order {"order_id":"W9"}` + "\n---\n" + `result: {"order_id":"W9","address":{"address1":"584 Sunset Drive","address2":"Suite 270","city":"Washington","country":"USA","state":"DC","zip":"20353"},"items":[` +
		`{"name":"Backpack","product_id":"p2","item_id":"2492","price":201.95,"options":{"color":"navy","size":"small","material":"nylon","compartment":"laptop"}},` +
		`{"name":"Indoor Security Camera","product_id":"p3","item_id":"5810","price":274.98,"options":{"resolution":"4K","field of view":"130 degrees"}},` +
		`{"name":"Desk Lamp","product_id":"p6","item_id":"7453","price":150.01,"options":{"color":"silver","brightness":"low","power source":"battery powered"}}],"status":"pending"}`
	bags := `call get_product {"product_id":"p9"}` + "\n---\n" + `result: {"name":"Bag","product_id":"p9","variants":{` +
		`"5917":{"item_id":"5917","options":{"color":"grey","size":"medium"},"price":212.79},"5918":{"item_id":"5918","options":{"color":"grey","size":"large"},"price":219},` +
		`"5919":{"item_id":"5919","options":{"color":"navy","size":"small"},"price":201},"5920":{"item_id":"5920","options":{"color":"red","size":"small"},"price":202},` +
		`"5921":{"item_id":"5921","options":{"color":"navy","size":"large"},"price":203},"5922":{"item_id":"5922","options":{"color":"red","size":"large"},"price":204},` +
		`"5923":{"item_id":"5923","options":{"color":"red","size":"medium"},"price":205}}}`
	flights := `call search_flight {"from":"JFK"}` + "\n---\n" + `result: [[{"flight_number":"HAT1","prices":{"economy":51}}],[{"flight_number":"HAT2","prices":{"economy":66}}],[{"flight_number":"HAT3","prices":{"economy":70}}],[{"flight_number":"HAT4","prices":{"economy":71}}],[{"flight_number":"HAT5","prices":{"economy":72}}]]`
	for _, c := range []struct {
		name          string
		script        []string
		want, without []string
	}{
		{
			"one of several",
			[]string{order("W1", "new"), order("W2", "sent"), order("W3", "paid"), "assistant: I found your order W2."},
			[]string{"- get_order: order_id=W2, status=sent, items (68055, Lamp, price 135.24) (#4)"},
			[]string{"W1", "W3"},
		},
		{
			"changed by a call that names it",
			[]string{order("W1", "new"), order("W2", "sent"), `call return_items {"order_id":"W1"}` + "\n---\nresult: ok"},
			[]string{"- get_order: order_id=W1, status=new"},
			[]string{"W2"},
		},
		{"none of several", []string{order("W1", "new"), order("W2", "sent"), "assistant: Let me see."}, nil, []string{"get_order"}},
		{
			"a series that the agent is at",
			[]string{order("W1", "new"), order("W2", "sent"), order("W3", "paid")},
			[]string{"- get_order: order_id=W1, status=new, items (68055) (#2); order_id=W2, status=sent, items (68055) (#4); order_id=W3, status=paid, items (68055) (#6)"},
			nil,
		},
		{"one alone", []string{order("W1", "new"), "assistant: Let me see."}, []string{"- get_order: order_id=W1, status=new"}, nil},
		{
			"a set that was named",
			[]string{order("W1", "new"), order("W2", "sent"), order("W3", "paid"), order("W4", "new"), "assistant: W1, W2 and W4 can be cancelled."},
			[]string{"- get_order: order_id=W1, status=new, items (68055) (#2); order_id=W2, status=sent, items (68055) (#4); order_id=W4, status=new, items (68055) (#8)"},
			[]string{"W3"},
		},
		{
			"a set whose things have addresses",
			[]string{housed(order("W1", "new")), housed(order("W2", "sent")), housed(order("W3", "paid")), "assistant: W1, W2 and W3 are yours."},
			[]string{"- get_order: order_id=W1, status=new (#2); order_id=W2, status=sent (#4); order_id=W3, status=paid (#6)"},
			nil,
		},
		{
			"a set of which one is spoken of",
			[]string{order("W1", "new"), order("W2", "sent"), order("W3", "paid"), "assistant: W1, W2 and W3 are yours.", "user: Then cancel W2."},
			[]string{"- get_order: order_id=W1, status=new, items (68055) (#2); order_id=W2, status=sent, items (68055, Lamp, price 135.24) (#4); order_id=W3, status=paid, items (68055) (#6)"},
			nil,
		},
		{
			"things by the names they have",
			[]string{long, "assistant: The desk lamp can be exchanged."},
			[]string{"1 of 3 items (p6, Desk Lamp, 7453, price 150.01, options (silver, low, battery powered))"},
			[]string{"Backpack", "Camera"},
		},
		{
			"what the user had spoken of before",
			[]string{"user: I want to exchange the desk lamp.", strings.ReplaceAll(order("W1", "new"), "Lamp", "Boots"), lamp("W2", "sent"), "assistant: Let me see."},
			[]string{"- get_order: order_id=W2, status=sent, items (68056, Desk Lamp, price 130)"},
			[]string{"W1"},
		},
		{
			"described before",
			[]string{"user: A grey one of medium size, please.", bags, "assistant: Let me see."},
			[]string{"1 of 7 variants (5917, options (grey, medium), price 212.79)"},
			[]string{"5918"},
		},
		{
			"asked for by an id that it found",
			[]string{order("W1", "new"), lamp("W2", "sent"), `call get_item {"item_id":"68056"}` + "\n---\n" + `result: {"item_id":"68056","watts":40}`},
			[]string{"- get_order: order_id=W2, status=sent, items (68056, Desk Lamp, price 130)"},
			[]string{"W1"},
		},
		{
			"changed since",
			[]string{order("W1", "new"), `call cancel_order {"order_id":"W1"}` + "\n---\nresult: ok"},
			[]string{"- cancel_order: order_id=W1, result=ok (#4)"},
			[]string{"status=new"},
		},
		{
			"described",
			[]string{bags, "assistant: There are navy and red ones.\nA grey bag of medium size is there, too."},
			[]string{"- get_product: product_id=p9, 1 of 7 variants (5917, options (grey, medium), price 212.79)"},
			[]string{"5918", "201"},
		},
		{"described too little", []string{bags, "assistant: There is a grey one."}, nil, []string{"variants", "5917"}},
		{"of a list", []string{flights, "assistant: HAT2 is best."}, []string{"- search_flight: from=JFK, found HAT2, prices (economy 66) (#2)"}, []string{"HAT1"}},
		{"all of a list", []string{flights, "assistant: There are HAT1, HAT2, HAT3, HAT4 and HAT5."}, nil, []string{"search_flight"}},
		{
			"a profile",
			[]string{`call get_user {"user_id":"mia_7"}` + "\n---\n" + `result: {"user_id":"mia_7","email":"mia@example.com","address":{"street":"9 Hickory Lane","town":"S\u00e3o Jo\u00e3o","zip":"28243"},"payment_methods":{"paypal_77":{"source":"paypal","id":"paypal_77"},"gift_card_39":{"source":"gift_card","id":"gift_card_39","amount":39}},"membership":"silver"}`},
			[]string{"- get_user: user_id=mia_7, address (9 Hickory Lane, São João, 28243), payment_methods (paypal_77; gift_card_39, amount 39), membership=silver (#2)"},
			nil,
		},
		{
			"in escapes",
			[]string{`call get_page {"page_id":"p7"}` + "\n---\n" + `result: {"status":"new","url":"https:\/\/shop.example\/p7","title":"Lamps"}`},
			[]string{"- get_page: page_id=p7, status=new, title=Lamps"},
			[]string{"get_page: page_id=p7, url"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, strings.Join(c.script, "\n---\n"))
			s := summarize(t, ms)
			s.Ledger, s.Requests, s.Decisions = nil, nil, nil
			text := wording.Text(s, 0, nil)
			checkText(t, text, c.want, c.without)
		})
	}
}

// SPEC: B18. What a user says beside the messages that are summarized tells which look-ups matter, too.
func TestLookUpsForWhatStandsApart(t *testing.T) {
	order := func(id, item string) string {
		return `call get_order {"order_id":"` + id + `"}` + "\n---\n" + `result: {"order_id":"` + id + `","items":[{"name":"` + item + `","item_id":"i` + id + `","price":5}]}`
	}
	looked := []string{order("W1", "Boots"), order("W2", "Desk Lamp"), "assistant: Which one?"}
	before := append([]string{"user: Exchange the desk lamp.", "assistant: Yes."}, looked...)
	after := append([]string{"user: Hello.", "assistant: Yes."}, append(looked, "user: Exchange the desk lamp.")...)
	for name, said := range map[string][]string{"before": before, "after": after} {
		t.Run(name, func(t *testing.T) {
			th, span := testspan.Of(t, script(t, strings.Join(said, "\n---\n")))
			span.IDs = span.IDs[1:7] // without the request
			s, err := extract.Summarizer{}.Summarize(t.Context(), summary.Input{Thread: th, Span: span})
			if err != nil {
				t.Fatal(err)
			}
			checkText(t, wording.Text(s, 0, nil), []string{"- get_order: order_id=W2, items (iW2, Desk Lamp, price 5)"}, []string{"W1"})
		})
	}
}

// SPEC: B18. Of a set of look-ups a summary tells all or none.
func TestSetsOfLookUpsStandWhole(t *testing.T) {
	var calls []string
	for _, id := range []string{"W1", "W2", "W3", "W4", "W5"} {
		calls = append(calls, `call get_order {"order_id":"`+id+`"}`+"\n---\n"+`result: {"order_id":"`+id+`","status":"new"}`)
	}
	s := summarize(t, script(t, strings.Join(append(calls, "assistant: W1, W2, W3, W4 and W5 can be cancelled."), "\n---\n")))
	s.Ledger = nil
	for limit := 20; limit < 160; limit += 4 {
		if n := strings.Count(wording.Text(s, limit, func(s string) int { return len(s) / 4 }), "order_id="); n != 0 && n != 5 {
			t.Errorf("%d of 5 in %d tokens", n, limit)
		}
	}
}
