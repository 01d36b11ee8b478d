package tool_test

import (
	"slices"
	"testing"

	"github.com/seed-3db51b0e/precis/tool"
)

// SPEC: B18. What a script prints whatever it finds is known: whole texts, in statements that stand in no other
// and that it always comes to.
func TestWhatAScriptAlwaysPrints(t *testing.T) {
	for script, want := range map[string][]string{
		"print('Fix applied!')\n":                                                {"Fix applied!"},
		"x = 1\nprint(\"\\nAll \\\"good\\\"\")\nprint('done', x)":                {`All "good"`},
		"if ok:\n    print('Fix applied!')\nelse:\n    print('no')":              nil,
		"print(f'{n} tests pass')\nprint(f'Tests pass')":                         {"Tests pass"},
		"print('a' + b)\nprint(\"=\" * 60)":                                      nil,
		"print(\"\"\"Plan:\n  one\n\"\"\")\nprint('two')":                        {"Plan:", "one", "two"},
		"print(\"\"\"never ends":                                                 nil,
		"assert x == 1\nprint('All pass')":                                       nil,
		"if bad:\n    sys.exit(1)\nprint('All pass')":                            nil,
		"#!/bin/sh\nsed -i s/a/b/ x.go\necho \"Fix applied!\"":                   {"Fix applied!"},
		"sed -i s/a/b/ x.go && echo \"Fix applied!\"":                            nil,
		"echo \"in $PWD\"\necho 'over'":                                          {"over"},
		"console.log('ready');\nconsole.log(`at ${x}`);":                         {"ready"},
		"print('unclosed\nprint(":                                                nil,
		"if grep -q x f; then\necho 'found'\nelse\necho 'none'\nfi\necho 'over'": {"over"},
		"for f in a b; do\necho 'one'\ndone":                                     nil,
		"case $1 in\na)\necho 'first'\n;;\nesac":                                 nil,
		"work() {\necho 'worked'\n}\necho 'over'":                                {"over"},
		"make &&\necho 'built'\necho 'over'":                                     {"over"},
		"make || \\\necho 'not built'":                                           nil,
		"from x import test_it\ntest_it()\nprint('passed')":                      nil,
		"mod.test_it(1)\nprint('passed')":                                        nil,
		"def test_it():\n    return 1\nprint('over')":                            {"over"},
		"": nil,
	} {
		if got := tool.AlwaysPrints(script); !slices.Equal(got, want) {
			t.Errorf("%q\n%q, want %q", script, got, want)
		}
	}
}
