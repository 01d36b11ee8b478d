package token

// Heuristic estimates o200k without a vocabulary, at several hundred MB/s: a
// sum over classes of bytes, with weights fitted by least squares to exact
// counts of code, JSON, logs, prose in several scripts and tool output. See
// docs/tokens.md for its error.
var Heuristic Counter = fitted{}

// UTF16 is the estimator of the session-summary design: UTF-16 code units / 4,
// rounded up.
var UTF16 Counter = utf16Quarter{}

// Bytes is the estimator of the truncating design: bytes / 4, rounded down.
var Bytes Counter = byteQuarter{}

// Session is the session-summary design's meter: UTF16 and 2 tokens a message.
func Session() Meter {
	return Meter{Counter: UTF16, Overhead: Overhead{Message: 2}, NoIDs: true}
}

// Truncate is the truncating design's meter: Bytes and 4 tokens a message.
func Truncate() Meter {
	return Meter{Counter: Bytes, Overhead: Overhead{Message: 4}, NoIDs: true}
}

type utf16Quarter struct{}

func (utf16Quarter) Name() string { return "utf16/4" }
func (utf16Quarter) Exact() bool  { return false }

func (utf16Quarter) Count(text string) int {
	units := 0
	for _, r := range text {
		units++
		if r >= 0x10000 {
			units++
		}
	}
	return (units + 3) / 4
}

type byteQuarter struct{}

func (byteQuarter) Name() string          { return "bytes/4" }
func (byteQuarter) Exact() bool           { return false }
func (byteQuarter) Count(text string) int { return len(text) / 4 }
