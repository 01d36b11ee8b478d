package extract_test

import (
	"strings"
	"testing"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/summary/wording"
)

// SPEC: B18, B20. Calls that an agent writes in its text, with results that come in the user's name, are read as
// calls are: what was changed and run, and how it ended. What was not done is not told as done.
func TestCallsThatAreWritten(t *testing.T) {
	const (
		task  = "user: <task>\nPlease fix the login.\n</task>\n---\n"
		write = "assistant: I write it.\n\n<write_to_file>\n<path>a.py</path>\n<content>\nWe decided to use <path>b.py</path>.\n</content>\n</write_to_file>\n---\n"
		run   = "assistant: I run it.\n\n<execute_command>\n<command>python a.py</command>\n<requires_approval>false</requires_approval>\n</execute_command>\n---\n"
		ran   = "user: [execute_command for 'python a.py'] Result:\n"
		env   = "\n\n<environment_details>\n# Current Mode\n</environment_details>"
		saved = "user: [write_to_file for 'a.py'] Result:\nThe content was successfully saved to a.py." + env + "\n---\n"
		error = "Traceback (most recent call last):\nValueError: no such user"
	)
	for _, c := range []struct {
		name, log     string
		want, without []string
	}{
		{"a file", write + saved + "assistant: It is done.", []string{"- created a.py (#3)", "- Please fix the login. (#1)"}, []string{"b.py", "edited", "We decided", "successfully", "Current Mode"}},
		{"a command", run + ran + "Command executed.\nOutput:\n3 users found" + env, []string{"- `python a.py` → 3 users found (#3)"}, []string{"exit", "answered", "Command executed"}},
		{"a command without output", run + ran + "Command executed." + env, []string{"- `python a.py` → ran (#3)"}, []string{"Command executed"}},
		{"an exit code", run + ran + "Command executed in terminal  within working directory '/srv'. Exit code: 0\nOutput:\n3 users found", []string{"- `python a.py` → exit 0: 3 users found (#3)"}, []string{"/srv"}},
		{"an error", run + ran + "Command executed in terminal  within working directory '/srv'. Command execution was not successful, inspect the cause and adjust as needed.\nExit code: 1\nOutput:\n" + error, []string{"`python a.py`", "ValueError: no such user"}, []string{"inspect the cause"}},
		{"a denial", write + "user: [write_to_file for 'a.py'] Result:\nThe user denied this operation." + env, nil, []string{"a.py (#"}},
		{"a denial with words", write + "user: [write_to_file for 'a.py'] Result:\nThe user denied this operation and provided the following feedback:\n<feedback>\nNever write a.py.\n</feedback>", []string{"- Never write a.py. (#3)"}, []string{"created"}},
		{"no end yet", run + ran + "Command is still running in the user's terminal." + env, nil, []string{"→"}},
		{"the result of another tool", write + ran + "Command executed.\nOutput:\n3 users found", nil, []string{"→", "created"}},
		{"the result of a call before", write + "assistant: It is done.\n---\n" + saved, nil, []string{"created"}},
		{"an example", "assistant: You would write this:\n```\n<write_to_file>\n<path>a.py</path>\n</write_to_file>\n```\n---\n" + saved, nil, []string{"created"}},
		{"an answer", "assistant: <attempt_completion>\n<result>\nThe login is fixed.\n</result>\n</attempt_completion>", []string{"- Please fix the login. (#1), answered (#2)"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := script(t, task+strings.TrimSuffix(c.log, "\n---\n"))
			text, _, _ := strings.Cut(wording.Text(summarize(t, log), 0, nil), "\n## Identifiers")
			checkText(t, text, c.want, c.without)
		})
	}
	t.Run("read in two parts", func(t *testing.T) {
		log := script(t, task+run+ran+"Command executed.\nOutput:\n3 users found")
		checkText(t, wording.Text(summarize(t, log, summarize(t, log[:2])), 0, nil), []string{"- `python a.py` → 3 users found (#3)"}, nil)
	})
	t.Run("in parts of their own", func(t *testing.T) {
		log := script(t, task+strings.TrimSuffix(run, "\n---\n"))
		log = append(log, message.Message{Role: message.User, Parts: []message.Part{
			{Kind: message.Text, Text: "[execute_command for 'python a.py'] Result:"},
			{Kind: message.Text, Text: "Command executed.\nOutput:\n3 users found"},
			{Kind: message.Text, Text: env},
		}})
		checkText(t, wording.Text(summarize(t, log), 0, nil), []string{"- `python a.py` → 3 users found (#3)"}, []string{"] Result:", "environment_details"})
	})
}
