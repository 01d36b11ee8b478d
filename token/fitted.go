package token

// fitted is the sum of weighted features.
type fitted struct{}

func (fitted) Name() string { return "heuristic" }
func (fitted) Exact() bool  { return false }

// longestToken is the bytes of the longest token of the public encodings.
const longestToken = 128

// Count is 0 for the empty text only.
func (fitted) Count(text string) int {
	sum := weightUnit - 1
	for i, n := range measure(text) {
		sum += n * weights[i]
	}
	return max(sum/weightUnit, (len(text)+longestToken-1)/longestToken)
}

// The features of a text: what the public encodings cut at, by byte.
const (
	words       = iota // runs of ASCII letters
	letters            // ASCII letters, the first eight of a run
	longLetters        // ASCII letters beyond the eighth
	humps              // capitals after a small letter
	capitals           // capitals after a capital
	numbers            // groups of three digits
	mixed              // digits after a letter
	symbols            // ASCII punctuation and control bytes
	symbolRuns         // runs of one and the same symbol
	spaces             // blanks after another kind of blank
	lines              // runs of line breaks
	latin              // Latin letters with accents, of two bytes
	cyrillic           // two bytes
	alphabets          // the other characters of two bytes
	indic              // three bytes: Indic scripts, Thai, Georgian
	signs              // three bytes: dashes, quotes, arrows, boxes
	han                // three bytes: Chinese, Japanese
	hangul             // three bytes: Korean
	rest               // three bytes after Korean, four bytes
	features
)

// weightUnit is 1 in weights: integers, so that the sum is the same on any
// machine.
const weightUnit = 1024

// measure counts the features in one pass.
func measure(text string) (f [features]int) {
	run := 0 // letters or digits so far
	before, was := byte(0), isLine
	for i := range len(text) {
		c := text[i]
		class := classOf[c]
		switch class {
		case isTail:
			continue
		case isLetter:
			if was != isLetter {
				run = 0
				f[words]++
			}
			if run++; run > 8 {
				f[longLetters]++
			} else {
				f[letters]++
			}
			if c < 'a' && run > 1 {
				f[capitals-int(before>>5&1)]++ // humps after a small letter
			}
		case isDigit:
			if was == isLetter {
				f[mixed]++
			}
			if was != isDigit {
				run = 0
			}
			if run++; run%3 == 1 {
				f[numbers]++
			}
		case isSymbol:
			f[symbols]++
			if c != before {
				f[symbolRuns]++
			}
		case isSpace:
			if was == isSpace && c != before {
				f[spaces]++
			}
		case isLine:
			if was != isLine {
				f[lines]++
			}
		default:
			f[class]++
		}
		before, was = c, class
	}
	return f
}

// Classes of bytes; lead bytes of longer characters are their feature.
const (
	isLetter uint8 = 100 + iota
	isDigit
	isSymbol
	isSpace
	isLine
	isTail
)

var classOf = func() (t [256]uint8) {
	for c := range 256 {
		t[c] = classify(c)
	}
	return t
}()

func classify(c int) uint8 {
	switch {
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return isLetter
	case c >= '0' && c <= '9':
		return isDigit
	case c == ' ' || c == '\t':
		return isSpace
	case c == '\n' || c == '\r':
		return isLine
	case c < 0x80:
		return isSymbol
	case c < 0xC0:
		return isTail
	case c < 0xC6:
		return latin
	case c >= 0xD0 && c < 0xD4:
		return cyrillic
	case c < 0xE0:
		return alphabets
	case c < 0xE2:
		return indic
	case c < 0xE3:
		return signs
	case c < 0xEA:
		return han
	case c < 0xEE:
		return hangul
	}
	return rest
}

// weights are tokens of o200k for each of a feature, in 1/1024, raised by 8 % so
// that the estimate is more often over than under. None is negative: no text
// makes the estimate fall.
var weights = [features]int{
	words:       507,
	letters:     127,
	longLetters: 173,
	humps:       756,
	capitals:    403,
	numbers:     1423,
	mixed:       270,
	symbols:     429,
	symbolRuns:  208,
	spaces:      3006,
	lines:       1213,
	latin:       432,
	cyrillic:    301,
	alphabets:   443,
	indic:       426,
	signs:       1511,
	han:         802,
	hangul:      683,
	rest:        2058,
}
