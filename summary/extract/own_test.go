package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18, B20. What a user wrote in wrapped lines, or in one long one, is the user's; code,
// output and data are not.
func TestWhatAUserWrote(t *testing.T) {
	long := func(sentence string) string { return strings.Repeat(sentence, 1+4500/len(sentence)) }
	for _, c := range []struct {
		name, said    string
		want, without []string
	}{
		{
			"wrapped behind a comma", "Please change the parser so that it accepts gzip,\nnever touch the public API of pkg/load\nand keep the limit at 64 MB.",
			[]string{"- never touch the public API of pkg/load (#1)", "- Please change the parser so that it accepts gzip, never touch"},
			[]string{"pasted"},
		},
		{
			"wrapped behind a parenthesis", "Fix the login.\nNever change the schema (it is shared)\nUse port 8080.",
			[]string{"- Never change the schema (it is shared) (#1)", "- Use port 8080. (#1)", "- Fix the login. Never change"},
			[]string{"pasted"},
		},
		{
			"wrapped behind semicolons", "Fix the file(s) of the login;\nnever change src/db.go, src/api.go (both are shared);\nuse port 8080.",
			[]string{"- never change src/db.go, src/api.go (both are shared); (#1)", "- use port 8080. (#1)"},
			[]string{"pasted"},
		},
		{
			"wrapped in a clause", "Please read files of zip.\nNever change the public API of the loader package because the\nmobile app depends on it. Use port 8080.\n- never touch the files of the other team, which are in the\n  folder src/vendor\n- never push",
			[]string{"- Never change the public API of the loader package because the mobile app depends on it. (#1)", "- Use port 8080. (#1)", "- never touch the files of the other team, which are in the folder src/vendor (#1)", "- never push (#1)"},
			nil,
		},
		{
			"calls in backquotes", "Refactor `load(path, mode)` and `save(path)`,\nnever change what `open(path)` returns (it is public),\nand keep the limit at 64 MB.",
			[]string{"- never change what `open(path)` returns (it is public), (#1)"},
			[]string{"pasted"},
		},
		{"a task in a line", "<task>Fix the login. Never push to main.</task>", []string{"- Never push to main. (#1)", "order\n- Fix the login. Never push to main."}, []string{"pasted", "task>"}},
		{"a task in lines", "  <task>\nFix the login.\nNever push to main.</task>\n<rules>\nNever x.\n</rules>", []string{"- Never push to main. (#1)", "order\n- Fix the login. Never push to main."}, []string{"pasted", "task>", "Never x"}},
		{"code", "What is wrong here?\n\nfunc load(path string) {\n\tmust := never(path, 64)\n\treturn always(must)\n}", []string{"What is wrong here?"}, []string{"- func", "always"}},
		{"arguments", "What is wrong here?\n\nrun(\n  never_fails,\n  limit=64,\n  must_be=always(3),\n)", []string{"What is wrong here?"}, []string{"never_fails", "must_be"}},
		{"a query", "Why is it slow?\n\nSELECT name, id must,\nFROM users that never pay (active)\nWHERE limit < 64;", []string{"Why is it slow?"}, []string{"never pay"}},
		{"a log", "Why is it slow?\n\nERROR worker must never stop (pid 64)\nERROR worker must always run (pid 65)\nINFO restarted", []string{"Why is it slow?"}, []string{"never stop"}},
		{
			"one long line", "Please raise the limit of the parser to 12. " + long("We spoke about the parser of the old files. ") + "Never touch the public API of pkg/load.",
			[]string{"- Never touch the public API of pkg/load. (#1)", " We spoke about the parser"},
			[]string{"pasted"},
		},
		{
			"one long line in Chinese", "请修复解析器。" + long("我们以前谈过旧文件的解析器。") + "绝对不要改动公共接口。",
			[]string{"- 绝对不要改动公共接口。 (#1)", "- 请修复解析器。我们"},
			[]string{"pasted"},
		},
		{"a long line without sentences", "What is this?\n" + long("must never 64 ") + "end.", []string{"- What is this? …"}, []string{"must never"}},
		{"words behind a fence", "```\nError: ENOENT: no such file\n```\nfix that", []string{"order\n- … fix that (#1)"}, []string{"pasted", "ENOENT"}},
		{"a word behind a tag", "<log>\na\nb\n</log>\nwhy?", []string{"order\n- … why? (#1)"}, []string{"pasted"}},
		{"words behind a quote", "> npm run check\n> tsc\nfix it please", []string{"order\n- … fix it please (#1)"}, []string{"pasted", "npm"}},
		{"words above a trace", "why does it crash\nError: ENOENT: no such file, open 'a.json'\n    at readFileSync (node:fs:440:20)\n    at load (/x/config.ts:3:1)", []string{"order\n- why does it crash … (#1)"}, []string{"pasted", "ENOENT"}},
		{"a trace alone", "node:fs:440\n    return binding.readFileUtf8(path, flags);\n           ^\n\nError: ENOENT: no such file, open 'a.json'\n    at readFileSync (node:fs:440:20)\n    at load (/x/config.ts:3:1)", []string{"order\n- [pasted text] Error: ENOENT: no such file, open 'a.json' (#1)"}, []string{"readFileUtf8"}},
		{"the end of a paste", "func load() {\n\tmust := never(path, 64);\n\treturn always(must);\n}\n\nit is", []string{"order\n- [pasted text] (#1)"}, nil},
		{"a long line of data", "What is this?\n" + `{"rule": "Never push. Always ask. ` + long(`Never push. Always ask. `) + `"}`, []string{"- What is this? …"}, []string{"Never push"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := wording.Text(summarize(t, []message.Message{message.TextOf(message.User, c.said)}), 0, nil)
			text, _, _ = strings.Cut(text, "\n## Identifiers")
			checkText(t, text, c.want, c.without)
		})
	}
}

// Reading a message is linear in its lines: one that looked at the rest of it, or of a paragraph,
// for every line would not end.
func TestLongMessagesAreLinear(t *testing.T) {
	const lines = 200_000
	for name, line := range map[string]string{"tags that nothing closes": `<row id="1" name="x"/>`, "one paragraph": "it is so,", "elements": "<a b>x</a>"} {
		t.Run(name, func(t *testing.T) {
			said := "Please raise the limit to 12.\n\n" + strings.Repeat(line+"\n", lines) + "\nNever touch port 8080."
			s := summarize(t, []message.Message{message.TextOf(message.User, said)})
			if n := len(s.Facts); n == 0 || s.Facts[n-1].Text != "Never touch port 8080." {
				t.Errorf("the facts are %+v", s.Facts)
			}
		})
	}
}

// SPEC: B18, B20. What an agent's program hands on of tools in the user's role is a result, and so
// is what follows in its message; what the user answers there is the user's.
func TestResultsThatAreTextsOfTheUser(t *testing.T) {
	const rule = "You must never change the token length."
	for _, c := range []struct {
		name          string
		parts         []string
		want, without []string
	}{
		{"a file", []string{"[read_file for 'src/a.ts'] Result:\n\n# Notes\n" + rule}, nil, []string{"- # Notes", "## Constraints", "pasted text"}},
		{"a file in a part of its own", []string{"[read_file for 'src/a.ts'] Result:", "# Notes\n" + rule, "<answer>\n" + rule + "\n</answer>"}, nil, []string{"## Constraints", "pasted text"}},
		{"a tool without arguments", []string{"[list_rules] Result:\n" + rule}, nil, []string{"## Constraints", "pasted text"}},
		{"behind words of the user's", []string{"Never push.", "[read_file for 'src/a.ts'] Result:\n" + rule}, []string{"- Never push. (#3)"}, []string{"token"}},
		{"an answer", []string{"[ask_followup_question for 'Which port?'] Result:", "<answer>\nNever use port 8080.\n</answer>", "# Notes\n" + rule}, []string{"- Never use port 8080. (#3)"}, []string{"token"}},
		{"feedback", []string{"[attempt_completion] Result:", "The user has provided feedback on the results.\n<feedback>\nNow add the date to notes.md.\n</feedback>"}, []string{"- Now add the date to notes.md. (#3)"}, []string{"has provided"}},
		{"a rule in a denial", []string{"[execute_command for 'git push'] Result:\nThe user denied this operation and provided the following feedback:\n<feedback>\nNever push to main.\n</feedback>\n\n<environment_details>\n" + rule + "\n</environment_details>"}, []string{"- Never push to main. (#3)"}, []string{"token", "denied"}},
		{"a file that is worded as a denial", []string{"[read_file for 'a.md'] Result:\nThe user denied this operation and provided the following feedback:\n<feedback>\n" + rule + "\n</feedback>"}, nil, []string{"## Constraints"}},
		{"a command of several lines", []string{"[execute_command for 'cat <<E\n" + rule + "\nE'] Result:\nCommand executed.\nOutput:\n" + rule}, nil, []string{"## Constraints", "pasted text"}},
		{"the environment", []string{"<environment_details>\n" + rule + "\n</environment_details>"}, nil, []string{"## Constraints", "pasted text"}},
		{"no head of a result", []string{"[Note for all of us] Result: the login is broken. " + rule}, []string{"- " + rule + " (#3)"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := message.Message{Role: message.User}
			for _, p := range c.parts {
				said.Parts = append(said.Parts, message.Part{Kind: message.Text, Text: p})
			}
			text := wording.Text(summarize(t, append(script(t, "user: Please fix the login.\n---\nassistant: I look at it."), said)), 0, nil)
			text, _, _ = strings.Cut(text, "\n## Identifiers")
			checkText(t, text, c.want, c.without)
		})
	}
}
