package tool

import "strings"

// withoutLogged returns an output of the reading without the accounts of errors that stand behind records
// of a log: the program caught these errors, and went on. The account that an output ends with is left
// out only where the program is known to have ended with exit 0: it may have died of that error.
func (r *Reading) withoutLogged(s string) string {
	if !strings.Contains(s, traceback) { // nearly always
		return s
	}
	var kept, account strings.Builder
	before, logged, ended := "", false, false // the line before; within such an account, and behind its error
	for line := range strings.Lines(s) {
		said := strings.TrimRight(line, "\r\n")
		switch {
		case said == traceback && isLogRecord(before):
			logged, ended = true, false
			account.Reset()
		case logged && !ended:
			ended = isException(said)
		case logged && (said == "" || isMarkup(said) || exitLine(said) != nil):
		case logged && isChained(said):
			ended = false
		default:
			logged = false
		}
		if logged {
			account.WriteString(line)
		} else {
			kept.WriteString(line)
		}
		before = said
	}
	if logged && !r.endedWell() {
		kept.WriteString(account.String())
	}
	return kept.String()
}

// endedWell reports whether what ran is known to have ended with exit 0.
func (r *Reading) endedWell() bool { return r.Exit != nil && *r.Exit == 0 && !r.HidesExit() }

// logLevels are the levels of records under which programs log errors that they caught.
var logLevels = [...]string{"ERROR", "CRITICAL", "WARNING", "WARN", "INFO", "DEBUG"}

// isLogRecord reports whether a line is a record of a log: a time or a name stands before its level, or
// the name of the log behind it, as in "ERROR:app.calls:it broke".
func isLogRecord(line string) bool {
	for _, level := range logLevels {
		before, rest, ok := strings.Cut(line, level)
		switch {
		case !ok || rest == "":
		case before == "":
			name, _, named := strings.Cut(strings.TrimPrefix(rest, ":"), ":")
			if rest[0] == ':' && named && name != "" && !strings.Contains(name, " ") {
				return true
			}
		case strings.ContainsAny(before, "0123456789") && strings.IndexByte(" [|:-", before[len(before)-1]) >= 0 && strings.IndexByte(" ]|:-", rest[0]) >= 0:
			return true
		}
	}
	return false
}
