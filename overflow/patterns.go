package overflow

import (
	"regexp"
	"strings"
)

// pattern matches line by line. Every text its expressions match holds one of the
// words, so other lines are skipped.
type pattern struct {
	words []string
	expr  *regexp.Regexp
}

// find returns where text matches first, nil if it does not.
func (p pattern) find(text string) []int {
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		if p.mayMatch(line) {
			if m := p.expr.FindStringIndex(line); m != nil {
				return []int{at + m[0], at + m[1]}
			}
		}
		at += len(line) + 1
	}
	return nil
}

func (p pattern) mayMatch(line string) bool {
	for _, w := range p.words {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

func newPattern(words string, exprs ...string) pattern {
	return pattern{strings.Split(words, "|"), regexp.MustCompile(strings.Join(exprs, "|"))}
}

// The patterns, for lower-case text.
var (
	tooManyTokens = newPattern("exceed|too long|too large|context|length|no body",
		`\bprompt (?:is )?too long(?:[^\w-]|$)`,
		`\binput is too long(?:[^\w-]|$)`,
		`input too long: *\d+ input tokens`,
		`exceeds? (?:the |this )?(?:model'?s )?(?:available )?context (?:window|size|limit)`,
		`(?:exceeds?|exceeding) (?:the |this |model'?s |the model'?s |this model'?s )?maximum context length`,
		`maximum context length (?:is|of) ~?[\d,]+`,
		`maximum prompt length is [\d,]+`,
		`input token count.*exceeds the maximum`,
		`reduce the length of (?:the |your )?(?:messages|prompt|input|either one)`,
		`exceeds (?:the )?maximum allowed input length`,
		`longer than the model'?s context length`,
		`greater than the context length`,
		`context length is only [\d,]+`,
		`input length.*exceeds.*context length`,
		`prompt token count of [\d,]+ exceeds the limit of [\d,]+`,
		`context window exceeds limit`,
		`context window is full`,
		`exceeded model token limit`,
		`too large for model with [\d,]+ maximum context length`,
		`range of input length should be \[\d+, *\d+\]`,
		`configured context size is [\d,]+ tokens`,
		`context[_ ](?:length|window)[_ ]exceeded`,
		`contextwindowexceedederror`,
		`model_max_prompt_tokens_exceeded`,
		`exceed_context_size_error`,
		`^\W*(?:error:? *)?4(?:00|13)\s*(?:status code)?\s*\(no body\)`,
	)
	tooManyBytes = newPattern("too large|too_large|exceeds limit",
		`request_too_large`,
		`total message size [\d,]+ exceeds limit`,
		`request (?:entity|payload|body)(?: is)? too large`,
	)
	notOverflow = newPattern("rate|too many|throttl|minute|tpm|quota|maxoutput|valid range|429",
		`rate.?limit`,
		`too many requests`,
		`throttl`,
		`per.?minute`,
		`\btpm\b`,
		`quota`,
		`maxoutputtokens value`,
		`valid range of max_tokens`,
		`(?:code|status): 429\b`, // inside an answer of another status
	)
)
