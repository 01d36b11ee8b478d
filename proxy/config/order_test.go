package config_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/proxy/config"
)

// Of several mistakes in tables the same one is told each time: the first by name.
func TestMistakesAreToldInOrder(t *testing.T) {
	const key = "credential = \"0123456789abcdef01234567\"\n"
	for want, text := range map[string]string{
		"tool.alpha.ttl":          "[tool.beta]\nttl = \"x\"\n[tool.gamma]\nttl = \"x\"\n[tool.alpha]\nttl = \"x\"\n",
		"model.alpha.like":        "[model.beta]\nlike = \"x\"\n[model.gamma]\nlike = \"x\"\n[model.alpha]\nlike = \"x\"\n",
		"tenant.alpha.budget":     "[tenant.beta]\n" + strings.Replace(key, "0", "1", 1) + "budget = \"x\"\n[tenant.alpha]\n" + key + "budget = \"x\"\n",
		"tenant.gamma.credential": "[tenant.gamma]\n" + key + "[tenant.alpha]\n" + key,
	} {
		for range 20 {
			c, err := config.Parse("serve.toml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if err = c.Apply(&proxy.Options{}); err == nil || !strings.Contains(err.Error(), want+": ") {
				t.Fatalf("%v, want one about %s", err, want)
			}
		}
	}
}
