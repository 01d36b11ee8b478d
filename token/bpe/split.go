package bpe

// The scanners cut a text as the published patterns do, alternatives tried in
// their order:
//
// o200k_base
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// cl100k_base
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+

// nextO200k is the end of the o200k piece that starts at i < len(s).
func nextO200k(s string, i int) int {
	c, n := at(s, i)
	switch {
	case c&anyLetter != 0:
		end, _ := word(s, i)
		return end
	case c == number:
		return numbers(s, i)
	case c&prefix != 0:
		if i+n < len(s) {
			end, first := word(s, i+n)
			if first || end > 0 && c != mark {
				return end
			}
		}
		if c == mark { // a mark is a word by itself, and one may begin with it
			end, _ := word(s, i)
			return end
		}
	}
	if j := symbolStart(s, i); j < len(s) {
		if c, _ := at(s, j); c&symbol != 0 {
			return symbols(s, j, true)
		}
	}
	return spaces(s, i)
}

// word is the end of an o200k word without prefix that starts at i, 0 if none
// does, and whether it is one of the pattern's first alternative: upper and
// caseless characters, then at least one lower or caseless one.
func word(s string, i int) (end int, first bool) {
	k, caseless := i, 0
	for k < len(s) {
		c, n := at(s, k)
		if c&upperRun == 0 {
			break
		}
		k += n
		if c != upper {
			caseless = k
		}
	}
	end = k
	for end < len(s) {
		c, n := at(s, end)
		if c&lowerRun == 0 {
			break
		}
		end += n
	}
	switch {
	case end > k:
		return contraction(s, end), true
	case caseless > 0: // the pattern backs up to the last caseless character
		return contraction(s, caseless), true
	case k > i:
		return contraction(s, k), false
	}
	return 0, false
}

// nextCl100k is the end of the cl100k piece that starts at i < len(s).
func nextCl100k(s string, i int) int {
	if end := contraction(s, i); end > i {
		return end
	}
	c, n := at(s, i)
	switch {
	case c&anyLetter != 0:
		return letters(s, i+n)
	case c == number:
		return numbers(s, i)
	case c&prefix != 0 && i+n < len(s):
		if after, m := at(s, i+n); after&anyLetter != 0 {
			return letters(s, i+n+m)
		}
	}
	if j := symbolStart(s, i); j < len(s) {
		if c, _ := at(s, j); c&symbol != 0 {
			return symbols(s, j, false)
		}
	}
	return spaces(s, i)
}

func letters(s string, i int) int {
	for i < len(s) {
		c, n := at(s, i)
		if c&anyLetter == 0 {
			break
		}
		i += n
	}
	return i
}

// numbers takes up to three number characters.
func numbers(s string, i int) int {
	for n := 0; n < 3 && i < len(s); n++ {
		c, n := at(s, i)
		if c != number {
			break
		}
		i += n
	}
	return i
}

// symbolStart steps over the one blank that symbols may have before them.
func symbolStart(s string, i int) int {
	if s[i] == ' ' {
		return i + 1
	}
	return i
}

// symbols takes symbols and the line breaks after them, for o200k slashes too.
func symbols(s string, i int, slashes bool) int {
	for i < len(s) {
		if ascii[s[i]] == other {
			i++
			continue
		}
		c, n := at(s, i)
		if c&symbol == 0 {
			break
		}
		i += n
	}
	for i < len(s) && (s[i] == '\n' || s[i] == '\r' || slashes && s[i] == '/') {
		i++
	}
	return i
}

// spaces takes white space: up to its last line break if it has one, else all
// of it but the character before what follows.
func spaces(s string, i int) int {
	end, last, lineEnd := i, i, 0
	for end < len(s) {
		c, n := at(s, end)
		if c&anySpace == 0 {
			break
		}
		last = end
		end += n
		if c == breaks {
			lineEnd = end
		}
	}
	switch {
	case lineEnd > 0:
		return lineEnd
	case end == len(s) || last == i:
		return end
	}
	return last
}

// contraction is the end of an English contraction at i, in any case, or i.
func contraction(s string, i int) int {
	if i+1 >= len(s) || s[i] != '\'' {
		return i
	}
	switch s[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v':
		if i+2 < len(s) && s[i+2]|0x20 == 'e' {
			return i + 3
		}
	case 'l':
		if i+2 < len(s) && s[i+2]|0x20 == 'l' {
			return i + 3
		}
	}
	if i+2 < len(s) && s[i+1:i+3] == "ſ" { // a case of s
		return i + 3
	}
	return i
}
