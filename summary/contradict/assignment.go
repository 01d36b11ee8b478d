package contradict

import "strings"

// assign finds the value that the statement gives to something, and to what: "the
// port is 8080", "8080 for the port". skip marks the tokens that are taken back.
func (s *Statement) assign(ts []token, skip []bool) {
	for i := range ts {
		if skip[i] || !ts[i].val {
			continue
		}
		next := i + 1
		unit := ""
		if next < len(ts) && units[ts[next].low] && !ts[i].end {
			unit = ts[next].stem
			next++
		}
		if subj, outer, firm := subjectOf(ts, skip, i, next); subj.len() > 0 && (s.value == "" || firm && !s.firm) {
			s.value, s.unit, s.subject, s.outer, s.firm = ts[i].low, unit, subj, outer, firm
		}
		if !ts[i].num {
			continue
		}
		if unit == "" && next < len(ts) && !ts[i].end && !ts[next].stop && !ts[next].val {
			s.nouns = append(s.nouns, noun{ts[i].low, ts[next].stem})
		}
		if i == 0 || ts[i-1].stem != "line" {
			s.number, s.measure = true, s.measure || unit != ""
		}
	}
}

// subjectOf finds what the value at i is given to; next is the position after it
// and its unit. It looks for a link before ("the port is 8080"), one after ("8080
// for the port", "8080 wins for the port"), or none ("make the port 8080").
func subjectOf(ts []token, skip []bool, i, next int) (subj, outer wordSet, firm bool) {
	marker, firm := assigns(ts, i)
	after := linkAfter(ts, next)
	switch {
	case marker >= 0 && after < 0:
		subj, outer = phraseBefore(ts, skip, marker)
		return subj, outer, firm
	case marker >= 0:
		inner, around := phraseBefore(ts, skip, marker)
		for _, w := range around.of {
			inner.add(w)
		}
		return phraseAfter(ts, skip, after+1), inner, true
	case after >= 0:
		return phraseAfter(ts, skip, after+1), wordSet{}, true
	case (next >= len(ts) || ts[next-1].end) && !strings.ContainsAny(ts[i].low, "_/"):
		return clauseBefore(ts, skip, i), wordSet{}, false
	}
	return wordSet{}, wordSet{}, false
}

// assigns returns the position of the word that links the value at i to what
// stands before it, or -1; firm when the link can mean nothing else.
func assigns(ts []token, i int) (marker int, firm bool) {
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if ts[j].end {
			return -1, false
		}
		switch ts[j].low {
		case "is", "are", "=", ":", "be", "to", "becomes", "become", "stays", "equals", "->":
			return j, true
		case "at", "most", "least", "max", "maximum", "min", "minimum", "limit", "under", "below", "within", "exactly", "than", "uses", "use", "of", "on", "by", "version":
			return j, false
		case "a", "an", "the", "only", "about", "up", "just", "now":
		default:
			return -1, false
		}
	}
	return -1, false
}

// clauseBefore collects all words before i in its clause: without a link there
// is no telling which of them name the subject.
func clauseBefore(ts []token, skip []bool, i int) (subj wordSet) {
	named := false
	for k := i - 1; k >= 0 && !ts[k].end && !skip[k]; k-- {
		named = named || determiners[ts[k].low]
		if !ts[k].stop && ts[k].stem != "" {
			subj.add(ts[k].stem)
		}
	}
	if subj.len() < 2 || !named {
		return wordSet{}
	}
	return subj
}

// linkAfter returns the position of a word that links the value before next to what
// follows, at most one word apart, or -1.
func linkAfter(ts []token, next int) int {
	for k := next; k < len(ts) && k <= next+1 && !ts[k-1].end; k++ {
		switch ts[k].low {
		case "for", "as", "on":
			return k
		case "is", "are", "becomes", "the":
			if k == next && (ts[k].low == "the" || k+1 < len(ts) && determiners[ts[k+1].low]) {
				return k
			}
		}
	}
	return -1
}

// phraseBefore collects the words before a marker, back to a determiner or the
// start of the clause; beyond "for the" and its like they are the outer ones.
func phraseBefore(ts []token, skip []bool, marker int) (subj, outer wordSet) {
	into := &subj
	for k := marker - 1; k >= 0 && k >= marker-10; k-- {
		t := &ts[k]
		if t.end || skip[k] {
			break
		}
		if determiners[t.low] && into.len() > 0 {
			if k == 0 || !joiners[ts[k-1].low] {
				break
			}
			into = &outer
		}
		if !t.stop && t.stem != "" {
			into.add(t.stem)
		}
	}
	return subj, outer
}

// phraseAfter collects the words of the phrase that starts at k.
func phraseAfter(ts []token, skip []bool, k int) (subj wordSet) {
	for ; k < len(ts) && subj.len() < 5 && !skip[k]; k++ {
		t := &ts[k]
		if !t.stop && t.stem != "" {
			subj.add(t.stem)
		} else if subj.len() > 0 && !determiners[t.low] && !joiners[t.low] {
			break
		}
		if t.end {
			break
		}
	}
	return subj
}
