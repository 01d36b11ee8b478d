package config_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/proxy/config"
)

// A model with a scale of its own is counted by that, whatever the model it is like is counted by.
func TestScaleStandsBeforeEncoding(t *testing.T) {
	for text, want := range map[string]struct {
		encoding string
		scale    float64
	}{
		"like = \"gpt-5\"\n":                                         {"o200k", 0},
		"like = \"gpt-5\"\nscale = 1.3\n":                            {"", 1.3},
		"like = \"claude-opus-5\"\nscale = 1.3\n":                    {"", 1.3},
		"like = \"gpt-5\"\nscale = 1.3\nencoding = \"cl100k\"\n":     {"cl100k", 1.3},
		"like = \"claude-opus-5\"\nencoding = \"o200k\"\nwindow=9\n": {"o200k", 1.56},
	} {
		c, err := config.Parse("serve.toml", []byte("[model.mine]\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		var o proxy.Options
		if err := c.Apply(&o); err != nil {
			t.Fatal(err)
		}
		if m, ok := o.Models.Lookup("mine"); !ok || m.Encoding != want.encoding || m.Scale != want.scale {
			t.Errorf("%s: encoding %q, scale %v", text, m.Encoding, m.Scale)
		}
	}
}
