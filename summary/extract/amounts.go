package extract

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/summary"
)

// movedAmounts returns what a result in JSON says of money that moved: the last of a list of amounts, where
// there are two or more, as the first may be older than the call, and a refund or difference by
// itself.
func movedAmounts(result []byte) (told []summary.Field) {
	d := jsontext.NewDecoder(strings.NewReader(string(result)), jsontext.AllowDuplicateNames(true))
	if d.PeekKind() != '{' {
		return nil
	}
	for _, err := d.ReadToken(); err == nil && d.PeekKind() == '"'; {
		t, _ := d.ReadToken()
		name := t.String()
		switch d.PeekKind() {
		case '[':
			if last := lastAmount(d); last != "" {
				told = append(told, summary.Field{Name: oneline.Of(name) + "[-1]", Value: last})
			}
		case '0':
			if t, _ = d.ReadToken(); strings.HasSuffix(name, "refund") || strings.HasSuffix(name, "difference") {
				told = append(told, summary.Field{Name: oneline.Of(name), Value: t.String()})
			}
		default:
			err = d.SkipValue()
		}
	}
	return told
}

// lastAmount reads a list and returns the amount of its last object, with its kind where it
// names one, "" where there are fewer than two or it has none.
func lastAmount(d *jsontext.Decoder) string {
	if _, err := d.ReadToken(); err != nil {
		return ""
	}
	n, kind, amount := 0, "", ""
	for d.PeekKind() == '{' {
		n, kind, amount = n+1, "", ""
		object, err := d.ReadValue()
		if err != nil {
			return ""
		}
		for _, f := range fields(object) {
			switch f.Name {
			case "amount":
				amount = f.Value
			case "type", "kind", "transaction_type":
				kind = f.Value + " "
			}
		}
	}
	for k := d.PeekKind(); k != ']'; k = d.PeekKind() {
		if k == 0 || d.SkipValue() != nil {
			return ""
		}
		amount = "" // a list of something else
	}
	if _, err := d.ReadToken(); err != nil || n < 2 || amount == "" {
		return ""
	}
	return kind + amount
}
