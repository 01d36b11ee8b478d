package proxy_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/store/memory"
)

// A header that no request can have is refused: it would tell no two callers apart.
//
// SPEC: B6
func TestHeadersThatTellNobodyApart(t *testing.T) {
	for name, valid := range map[string]bool{"X-Our-Key": true, "x_our.key!": true, "": false, "X-Our-Key:": false, "X Our": false, "schlüssel": false, "X\r\nY": false} {
		for _, of := range []proxy.Tenancy{{Headers: []string{"X-Known", name}}, {UserHeaders: []string{name}}} {
			o := options("http://127.0.0.1:1")
			o.Engine.Store, o.Tenancy = memory.New(), of
			if err := o.Validate(); (err == nil) != valid || err != nil && !strings.Contains(err.Error(), "not the name of a header") {
				t.Errorf("%q: error %v", name, err)
			}
		}
	}
}
