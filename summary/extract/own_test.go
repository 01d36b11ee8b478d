package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18, B20. What a user wrote in one long line is the user's; code, output and data are not.
func TestWhatAUserWrote(t *testing.T) {
	long := func(sentence string) string { return strings.Repeat(sentence, 1+4500/len(sentence)) }
	for _, c := range []struct {
		name, said    string
		want, without []string
	}{
		{"code", "What is wrong here?\n\nfunc load(path string) {\n\tmust := never(path, 64)\n\treturn always(must)\n}", []string{"What is wrong here?"}, []string{"- func", "always"}},
		{"arguments", "What is wrong here?\n\nrun(\n  never_fails,\n  limit=64,\n  must_be=always(3),\n)", []string{"What is wrong here?"}, []string{"never_fails", "must_be"}},
		{"a query", "Why is it slow?\n\nSELECT name, id must,\nFROM users that never pay (active)\nWHERE limit < 64;", []string{"Why is it slow?"}, []string{"never pay"}},
		{"a log", "Why is it slow?\n\nERROR worker must never stop (pid 64)\nERROR worker must always run (pid 65)\nINFO restarted", []string{"Why is it slow?"}, []string{"never stop"}},
		{
			"one long line", "Please raise the limit of the parser to 12. " + long("We spoke about the parser of the old files. ") + "Never touch the public API of pkg/load.",
			[]string{"- Never touch the public API of pkg/load. (#1)", " We spoke about the parser"}, []string{"pasted"},
		},
		{
			"one long line in Chinese", "请修复解析器。" + long("我们以前谈过旧文件的解析器。") + "绝对不要改动公共接口。",
			[]string{"- 绝对不要改动公共接口。 (#1)", "- 请修复解析器。我们"}, []string{"pasted"},
		},
		{"a long line without sentences", "What is this?\n" + long("must never 64 ") + "end.", []string{"- What is this? …"}, []string{"must never"}},
		{"a long line of data", "What is this?\n" + `{"rule": "Never push. Always ask. ` + long(`Never push. Always ask. `) + `"}`, []string{"- What is this? …"}, []string{"Never push"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := wording.Text(summarize(t, []message.Message{message.TextOf(message.User, c.said)}), 0, nil)
			text, _, _ = strings.Cut(text, "\n## Identifiers")
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("no %q in\n%s", w, text)
				}
			}
			for _, w := range c.without {
				if strings.Contains(text, w) {
					t.Errorf("%q stands in\n%s", w, text)
				}
			}
		})
	}
}
