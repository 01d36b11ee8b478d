package summary

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis/codec"
)

// Redact returns an error in words that may be logged. Why a summary was not made or
// not taken may repeat what was said: then it is whose, and a provider's status.
func Redact(err error) string {
	text := err.Error()
	for _, about := range []string{"summarize ", "verify summary "} {
		at := strings.Index(text, about)
		if at < 0 {
			continue
		}
		doing, _, _ := strings.Cut(text[at:], ": ")
		var f *codec.Failure
		if errors.As(err, &f) && f.Status > 0 {
			return fmt.Sprintf("%s%s: status %d", text[:at], doing, f.Status)
		}
		return text[:at] + doing
	}
	return text
}
