package limits

import "time"

// bound is the most of something that a provider takes, as its refusals state it, and
// how far that is believed. The zero value is none.
type bound struct {
	most  int       // 0 = none is believed
	until time.Time // when most is forgotten
	doubt int       // what was stated and is not believed yet
	times int       // how often that was stated without a larger one being accepted
}

const (
	// A number that a provider stated is believed for a day, one that we chose for an
	// hour: then larger prompts are tried again.
	statedTime = 24 * time.Hour
	chosenTime = time.Hour
	// A number is believed when it was stated so often; one that is much smaller than
	// what is known, or than what was accepted before, more often.
	timesLikely, timesDoubtful = 2, 4
	// doubtfulShare is the share of a known window below which a number is doubtful.
	doubtfulShare = 16
)

// at returns what is believed now, 0 for nothing.
func (b bound) at(now time.Time) int {
	if now.After(b.until) {
		return 0
	}
	return b.most
}

// believe makes n the bound, if that is smaller.
func (b *bound) believe(n int, now time.Time, long time.Duration) {
	if most := b.at(now); most == 0 || n <= most {
		b.most, b.until = n, now.Add(long)
	}
}

// stated takes a number that is believed when it was stated so many times.
func (b *bound) stated(n, times int, now time.Time) {
	if n < b.doubt*3/4 || n > b.doubt*4/3 { // another one
		b.doubt, b.times = n, 0
	}
	b.doubt, b.times = min(b.doubt, n), b.times+1
	if b.times >= times {
		b.believe(b.doubt, now, statedTime)
	}
}

// beyond reports whether a prompt of n shows that a bound is wrong, and not just that
// counts differ.
func beyond(n, most int) bool { return n > most+most/4 }

// accepted takes that n was accepted: what states less is a little off, as counts are,
// or wrong.
func (b *bound) accepted(n int) {
	if beyond(n, b.doubt) {
		b.doubt, b.times = 0, 0
	}
	if beyond(n, b.most) {
		b.most = 0
	}
	if b.most > 0 {
		b.most = max(b.most, n)
	}
}
