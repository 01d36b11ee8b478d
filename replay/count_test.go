package replay

import (
	"unicode/utf8"

	"github.com/seed-3db51b0e/precis/message"
)

// chars4 estimates a message at four characters a token, plus four for the
// message and four for each call. It is the count under which the published
// numbers of the baselines were measured.
func chars4(m message.Message) int {
	n := 4
	for i := range m.Parts {
		p := &m.Parts[i]
		switch p.Kind {
		case message.Call:
			n += 4 + quarter(p.Name+p.Args)
		default:
			n += quarter(p.Body())
		}
	}
	return n
}

func quarter(s string) int { return utf8.RuneCountInString(s) / 4 }
