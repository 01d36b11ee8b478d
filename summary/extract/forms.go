package extract

import "strings"

// What users write that is worded as a rule and is none: reasons, dates, the parts of an order, the labels of
// several things to do.

// givesReason reports whether a statement says why something is asked for: "Reason: no longer needed", or
// that alone.
func givesReason(text, low string) bool {
	label, _, ok := strings.Cut(text, ": ")
	if ok && words(label) <= maxLabelWords && saysOf(label, reasonLabels, nil) {
		return true
	}
	needless := false
	for w := range strings.FieldsSeq(low) {
		if !needlessWords[w] {
			return false
		}
		needless = needless || strings.HasPrefix(w, "need") || strings.HasPrefix(w, "want")
	}
	return needless
}

// isLabel reports whether the first word of a statement is the label of a value: "Name: Ana".
func isLabel(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return strings.HasSuffix(first, ":")
}

// isBareCondition reports whether a statement only says in which case something would be done: its one
// clause has no verb of an order but behind a word that makes it one of the condition.
func isBareCondition(text, low string) bool {
	if !startsAny(low, conditions) || saysAny(low, conditionEnds) || strings.ContainsAny(text, ",:;") {
		return false
	}
	said := strings.Fields(low)
	for i, w := range said {
		orders := oneTimeVerbs[w] || changeVerbs[w] || makeVerbs[w] || conditionOrders[w]
		if orders && !conditionVerbs[said[max(i-1, 0)]] {
			return false
		}
	}
	return true
}

// changesOrder reports whether a lowered line says that something is to be done to an order.
func changesOrder(low string) bool {
	return saysOf(low, orderNouns, nil) && (saysOf(low, oneTimeVerbs, nil) || saysOf(low, changeVerbs, nil) || saysOf(low, orderVerbs, nil))
}

// departs reports whether what stands behind a "leave" is a day, or a place and a day.
func departs(rest string) bool {
	for i, w := range strings.Fields(rest) {
		switch {
		case i > mostBeforeDay || leftAsIs[w]:
			return false
		case dayWords[w]:
			return true
		}
	}
	return false
}

// mostBeforeDay is how many words stand before the day on which somebody leaves a place.
const mostBeforeDay = 4

// isLabelled reports whether a statement is told as one of several things to do: "Item 4: …".
func isLabelled(text string) bool {
	label, rest, ok := strings.Cut(text, ": ")
	if !ok || words(label) > maxLabelWords || startsAny(lowered(rest), settings) {
		return false
	}
	return saysOf(label, labels, nil)
}

// maxLabelWords is how many words such a label has.
const maxLabelWords = 7

// asksForList reports whether a line asks to be told what is listed under it: "Then please send:".
func asksForList(low string) bool { return saysOf(low, tellVerbs, nil) }
