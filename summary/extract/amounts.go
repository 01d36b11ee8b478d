package extract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// payment is an object of a list of amounts.
type payment struct {
	amount string // "" for another object
	kind   string // what kind of one it is, "" where it does not say
	by     string // by what it was paid, likewise
}

// text tells a payment, and by what it was paid, where that is asked for.
func (p payment) text(by bool) string {
	words := []string{p.kind, p.amount}
	if by {
		words = []string{p.kind, p.by, p.amount}
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// movedAmounts returns what a result in JSON says of money that moved: of a list of amounts those that the
// arguments of the call name, where they are several, else the last where there are two or more, as
// the first may be older than the call; and a refund or difference by itself.
func movedAmounts(result []byte, args string) (told []summary.Field) {
	asked := askedAmounts(args)
	eachMember(result, func(name string, d *jsontext.Decoder) error {
		switch d.PeekKind() {
		case '[':
			if f, ok := amountsOf(oneline.Of(name), paymentsIn(d), asked); ok {
				told = append(told, f)
			}
		case '0':
			if t, _ := d.ReadToken(); strings.HasSuffix(name, "refund") || strings.HasSuffix(name, "difference") {
				told = append(told, summary.Field{Name: oneline.Of(name), Value: t.String()})
			}
		default:
			return d.SkipValue()
		}
		return nil
	})
	return told
}

// eachMember calls f with the name of each member of a JSON object, to read its value.
func eachMember(object []byte, f func(name string, d *jsontext.Decoder) error) {
	d := jsontext.NewDecoder(strings.NewReader(string(object)), jsontext.AllowDuplicateNames(true))
	if d.PeekKind() != '{' {
		return
	}
	for _, err := d.ReadToken(); err == nil && d.PeekKind() == '"'; {
		t, _ := d.ReadToken()
		err = f(t.String(), d)
	}
}

// askedAmounts returns the amounts of the first list of several that the arguments of a call hold.
func askedAmounts(args string) (asked []payment) {
	if !strings.Contains(args, `"amount"`) {
		return nil
	}
	eachMember([]byte(args), func(_ string, d *jsontext.Decoder) error {
		if d.PeekKind() != '[' {
			return d.SkipValue()
		}
		all := paymentsIn(d)
		if len(asked) == 0 && len(all) > 1 && !slices.ContainsFunc(all, func(p payment) bool { return p.amount == "" }) {
			asked = all
		}
		return nil
	})
	return asked
}

// amountsOf tells a list of amounts, and whether there is something to tell.
func amountsOf(name string, all, asked []payment) (f summary.Field, ok bool) {
	n := len(asked)
	if n > 1 && n <= len(all) && slices.EqualFunc(all[len(all)-n:], asked, func(a, b payment) bool { return a.amount == b.amount }) {
		if n < len(all) {
			name += "[-" + strconv.Itoa(n) + ":]"
		}
		text := textOf(all[len(all)-n:], true)
		if len(text) > summary.MostFieldText {
			text = textOf(all[len(all)-n:], false)
		}
		return summary.Field{Name: name, Value: text}, true
	}
	if len(all) < 2 || all[len(all)-1].amount == "" {
		return f, false
	}
	return summary.Field{Name: name + "[-1]", Value: all[len(all)-1].text(false)}, true
}

// textOf tells payments: by what each was paid, where that is asked for.
func textOf(all []payment, by bool) string {
	parts := make([]string, len(all))
	for i, p := range all {
		parts[i] = p.text(by)
	}
	return strings.Join(parts, ", ")
}

// paymentsIn reads a list, and returns its objects; none where it ends with something else.
func paymentsIn(d *jsontext.Decoder) (all []payment) {
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	for d.PeekKind() == '{' {
		object, err := d.ReadValue()
		if err != nil {
			return nil
		}
		all = append(all, paymentOf(object))
	}
	for k := d.PeekKind(); k != ']'; k = d.PeekKind() {
		if k == 0 || d.SkipValue() != nil {
			return nil
		}
		all = nil // a list of something else
	}
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	return all
}

// paymentOf reads an object of such a list.
func paymentOf(object []byte) (p payment) {
	for _, f := range fields(object) {
		switch f.Name {
		case "amount":
			p.amount = f.Value
		case "type", "kind", "transaction_type":
			p.kind = f.Value
		case "payment_id", "payment_method_id", "method", "source":
			p.by = f.Value
		}
	}
	return p
}

// toldAmounts are the tools whose calls told what they changed, by the first field of the call, which names the
// thing, and by what was told.
type toldAmounts map[[2]summary.Field]string

// add notes what a call told.
func (t toldAmounts) add(told *summary.ToolOutcome) {
	if len(told.Fields) < 2 || !tool.ActsByName(told.Tool) {
		return
	}
	for _, f := range told.Fields[1:] {
		t[[2]summary.Field{told.Fields[0], f}] = told.Tool
	}
}

// news returns the amounts that no earlier call of another tool on the same thing told: the result shows those
// once more. The same tool may have moved the same amount again.
func (t toldAmounts) news(told *summary.ToolOutcome, amounts []summary.Field) []summary.Field {
	return slices.DeleteFunc(amounts, func(f summary.Field) bool {
		by := ""
		if len(told.Fields) > 0 {
			by = t[[2]summary.Field{told.Fields[0], f}]
		}
		return by != "" && by != told.Tool
	})
}
