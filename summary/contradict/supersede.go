package contradict

import "strings"

// pair is two statements held against each other.
type pair struct{ now, old *Statement }

// shared counts the stems of both.
func (p *pair) shared() int { return p.now.words.shared(&p.old.words) }

// within reports whether all stems of the shorter one are the other's, too.
func (p *pair) within() bool {
	n := p.shared()
	return n > 0 && n == min(p.now.words.len(), p.old.words.len())
}

// alike is how alike the two are: the share of all their stems that both have.
func (p *pair) alike() float64 {
	n := p.shared()
	return float64(n) / float64(max(1, p.now.words.len()+p.old.words.len()-n))
}

// valued reports whether both name a value.
func (p *pair) valued() bool { return p.now.values.len() > 0 && p.old.values.len() > 0 }

// replaces reports whether now surely replaces old, and otherwise how likely it does:
// 0 is no. Two statements that each name something the other does not ("import retry
// limit", "export retry limit") are about different things.
func replaces(now, old *Statement) (sure bool, score float64) {
	if now.adds || now.asks {
		return false, 0
	}
	p := pair{now: now, old: old}
	same, shorter := p.sameName()
	switch retracted := p.retracted(); {
	case same:
		return true, 0
	case old.bans && !now.lifts && !p.allowed():
		return false, 0
	case shorter:
		return false, p.alike()
	case p.namesBoth(), p.permitted(), p.renewed():
		return true, 0
	case retracted > 0:
		return p.byRetraction(retracted)
	case p.corrected():
		return false, p.alike()
	}
	return p.byChange()
}

// allowed reports whether the newer statement permits what the old one forbids: it names all of that, or the same
// thing and nothing that the old one does not speak of.
func (p *pair) allowed() bool {
	now, old := p.now, p.old
	switch {
	case !now.allows:
		return false
	case p.permitted():
		return true
	case now.values.shared(&old.values) == 0:
		return !p.valued() && old.words.in(&now.words)
	}
	return p.within()
}

// retracted counts the words and values of the old statement that the newer one
// takes back.
func (p *pair) retracted() int {
	return p.now.retracted.shared(&p.old.words) + p.now.retracted.shared(&p.old.values)
}

// byRetraction judges a pair of which the newer statement takes n words back.
func (p *pair) byRetraction(n int) (sure bool, score float64) {
	likely := p.alike() >= .6 ||
		(p.alike() >= .4 || p.shared() > 1) && p.retractsValue() ||
		p.shared() == 0 && p.old.words.len()+p.old.values.len() <= 3 ||
		p.shared() == 0 && p.retractsValue() && p.now.words.len() <= 3 // it says no more than that
	switch {
	case p.within():
		return true, 0
	case likely:
		return false, p.alike() + float64(n)
	}
	return false, 0
}

// retractsValue reports whether the newer statement takes back a particular value of
// the old one, which is hardly shared by chance.
func (p *pair) retractsValue() bool {
	for _, v := range p.old.values.of {
		if p.now.retracted.has(v) && len(v) >= 4 && strings.ContainsAny(v, "0123456789") {
			return true
		}
	}
	return false
}

// byChange judges a pair of which the newer statement says that something changes,
// or permits what the old one forbids.
func (p *pair) byChange() (sure bool, score float64) {
	changes := p.now.changes || p.now.permits && p.old.forbids
	switch {
	case !changes || p.shared() == 0 || !p.differ():
		return false, 0
	case p.within():
		return p.alike() == 1 && p.valued(), p.alike()
	case p.valued() || p.alike() < .3:
		return false, 0
	}
	return false, p.alike()
}

// leastAlike is how alike two statements are that begin with the same words of no subject.
const leastAlike = .4

// corrected reports whether the newer statement says no, and says the same of the same thing with
// another value: "no, use certificate B".
func (p *pair) corrected() bool {
	now, old := p.now, p.old
	return now.denies && now.begins[0] != "" && now.begins == old.begins && now.forbids == old.forbids && p.shared() > 0 && p.differ() &&
		(!stopWords[now.begins[1]] || p.alike() >= leastAlike)
}

// renewed reports whether the newer statement says that from now on the same is done with another number.
func (p *pair) renewed() bool {
	now, old := p.now, p.old
	n := now.values.len()
	if !now.onwards || now.forbids || old.forbids || now.begins != old.begins || now.begins[1] == "" ||
		!now.words.in(&old.words) || !old.words.in(&now.words) || n == 0 || n != old.values.len() || now.values.shared(&old.values) != n-1 {
		return false
	}
	return now.otherNumber(old) && old.otherNumber(now)
}

// otherNumber reports whether the value that another statement does not name is a number.
func (s *Statement) otherNumber(other *Statement) bool {
	for _, v := range s.values.of {
		if !other.values.has(v) {
			return isNumeric(v)
		}
	}
	return false
}

// differ reports whether the newer statement says something else, not the same again.
func (p *pair) differ() bool {
	now, old := p.now, p.old
	return !old.values.in(&now.values) || !old.words.in(&now.words) || now.forbids != old.forbids || now.permits != old.permits
}

// sameName reports whether the newer statement gives another value to what the old
// one gave one to. A shorter name for it ("the limit") is taken as the same when the
// newer statement says that something changes.
func (p *pair) sameName() (same, shorter bool) {
	now, old := p.now, p.old
	if p.otherKind() || now.value != "" && now.value == old.value {
		return false, false
	}
	if now.value != "" && old.value != "" && now.subject.in(&old.subject) {
		n := now.subject.len()
		if (n > 1 || now.changes || isNumeric(now.value)) && p.sameAround(n) {
			same, shorter = n == old.subject.len(), now.changes
		}
	}
	same = same || speaksOf(old, now) || speaksOf(now, old)
	return same, shorter
}

// otherKind reports whether the two cannot give a value to the same thing: one
// forbids, or their units differ.
func (p *pair) otherKind() bool {
	now, old := p.now, p.old
	return (now.forbids || old.forbids) && !now.changes || now.unit != old.unit && now.unit != "" && old.unit != ""
}

// sameAround reports whether what stands around a name of n words does not tell two
// things apart.
func (p *pair) sameAround(n int) bool {
	now, old := &p.now.outer, &p.old.outer
	if now.len() == 0 || old.len() == 0 {
		return n > 1 || now.len() == old.len()
	}
	return now.shared(old) > 0
}

// namesBoth reports whether the newer statement speaks of the old one's subject and
// names its value and another one like it.
func (p *pair) namesBoth() bool {
	now, old := p.now, p.old
	v := old.value
	if v == "" || !now.values.has(v) || p.shared() < 2 || !now.holds(&old.subject) && !old.holds(&now.subject) {
		return false
	}
	for _, w := range now.values.of {
		if !old.values.has(w) && isNumeric(w) == isNumeric(v) {
			return true
		}
	}
	return false
}

// speaksOf reports whether s names what of gives a value to, and one other value like
// it.
func speaksOf(s, of *Statement) bool {
	name, v := &of.subject, of.value
	if v == "" || name.len() < 2 || !s.holds(name) || s.values.has(v) {
		return false
	}
	other := ""
	for _, w := range s.values.of {
		if name.has(w) || name.has(stem(w)) {
			continue
		}
		if other != "" {
			return false
		}
		other = w
	}
	counted := s.counts(other)
	return other != "" && isNumeric(other) == isNumeric(v) && (counted == "" || of.words.has(counted))
}
