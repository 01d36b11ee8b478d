package overflow

import (
	"regexp"
	"strconv"
	"strings"
)

// wordingSet holds the wordings that state numbers of one unit. Of each list the
// first that matches counts; group 1 is the number.
type wordingSet struct {
	limit, requested, output []*regexp.Regexp
	total                    []*regexp.Regexp // of prompt and output
}

// A number has separators or none. exactNumber must follow it: a rounded number
// ("128k", "1.5") is not taken.
const (
	digits      = `(\d{1,3}(?:[,_]\d{3})+|\d+)`
	exactNumber = `(?:[^\d.,\w]|[.,]\D|[.,]?$)`
)

var measures = map[Unit]wordingSet{
	Tokens: {
		limit: wordings(
			`tokens? > N`,
			`\d \+ [\d,_]+ > N`,
			`maximum context length (?:is|of) ~?N`,
			`maximum context length \(N`,
			`maximum number of tokens allowed \(?N`,
			`maximum prompt length is N`,
			`maximum allowed input length (?:is|of) N`,
			`context length (?:is only |is |of )?\(?N`,
			`prompt token count of [\d,_]+ exceeds the limit of N`,
			`exceed context window \[N`,
			`model token limit: N`,
			`too large for model with N`,
			`range of input length should be \[\d+, *N`,
			`configured context size is N`,
			`context (?:size|window) \(N`,
			`input tokens, limit is N`,
			`n_ctx: N`,
		),
		total: wordings(
			`requested (?:about |~)?N tokens`,
			`resulted in N tokens`,
			`for a total of (?:at least )?N`,
			`request contains N tokens`,
		),
		requested: wordings(
			`too long: N`,
			`N \+ [\d,_]+ > \d`,
			`input token count \(N`,
			`prompt token count of N`,
			`prompt contains (?:at least )?N`,
			`prompt has N tokens`,
			`request has N input tokens`,
			`\brequest \(N tokens\)`,
			`\binput \(N tokens\)`,
			`input length \(N`,
			`input tokens \[N`,
			`\(requested: N`,
			`~?N input \+`,
			`n_prompt_tokens: N`,
		),
		output: wordings(
			`\d \+ N > \d`,
			`\bN in (?:the )?(?:completion|output)`,
			`requested N output tokens`,
			`\+ ~?N output`,
			`max_(?:completion_)?tokens'? is too large: N`,
		),
	},
	Bytes: {
		limit: wordings(
			`exceeds limit N`,
			`(?:limit|maximum)(?: size)?(?: of| is|:) N bytes`,
			`cannot exceed N bytes`,
		),
		requested: wordings(`total message size N`, `(?:body|payload|request) of N bytes`),
	},
}

// wordings compiles patterns in which N is the number.
func wordings(exprs ...string) []*regexp.Regexp {
	rs := make([]*regexp.Regexp, len(exprs))
	for i, e := range exprs {
		before, after, _ := strings.Cut(e, "N")
		if after == "" {
			after = exactNumber
		}
		rs[i] = regexp.MustCompile(before + digits + after)
	}
	return rs
}

// read returns the numbers a text states. A prompt size that is not stated by itself
// is the total without the output.
func (m wordingSet) read(text string) Overflow {
	o := Overflow{Limit: first(m.limit, text), Requested: first(m.requested, text), Output: first(m.output, text)}
	if total := first(m.total, text); total > o.Output && o.Requested == 0 {
		o.Requested = total - o.Output
	}
	return o
}

func first(rs []*regexp.Regexp, text string) int {
	for _, r := range rs {
		if m := r.FindStringSubmatch(text); m != nil {
			return number(m[1])
		}
	}
	return 0
}

// number returns 0 for what no int can hold.
func number(s string) int {
	v, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "").Replace(s), 10, 0)
	if err != nil {
		return 0
	}
	return int(v)
}
