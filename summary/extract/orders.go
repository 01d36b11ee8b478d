package extract

import (
	"slices"
	"strings"
)

// orders reports whether a statement says what is left as it is, or left out, or what the user does
// without the agent: that stands until the user says otherwise.
func orders(text string) bool {
	if strings.HasSuffix(text, "?") || words(text) > maxRuleWords {
		return false
	}
	low := lowered(strings.ToLower(text))
	return leavesOut(low) || doesItself(low) || slices.ContainsFunc(clausesOf(text), forbidsAtEnd)
}

// leavesOut reports whether a lowered statement says what is left as it is, or not done.
func leavesOut(low string) bool {
	for first, rest, _ := strings.Cut(low[1:], " "); orderLeadIns[first] && rest != ""; first, rest, _ = strings.Cut(rest, " ") {
		low = " " + rest
	}
	if startsAny(low, leaveOpenings) {
		return true
	}
	what, ok := strings.CutPrefix(low, " skip ")
	return ok && strings.ContainsAny(strings.Fields(what + " .")[0], "0123456789")
}

// doesItself reports whether a lowered statement says that the user does something.
func doesItself(low string) bool {
	if slices.ContainsFunc(usersWork, func(p string) bool { return strings.Contains(low, p) }) {
		return true
	}
	said, _, ok := strings.Cut(low, " myself ")
	if !ok || slices.ContainsFunc(myselfMeans, func(p string) bool { return strings.HasSuffix(said, p) }) {
		return false
	}
	said += " "
	return slices.ContainsFunc(undertaking, func(p string) bool { return strings.Contains(said, p) }) && !strings.Contains(said, " have to ") && !supposes(low)
}

// forbidsAtEnd reports whether a clause in German ends with what is not to be done, and tells of
// nobody: "test_login nicht anfassen".
func forbidsAtEnd(clause []string) bool {
	n := len(clause)
	return n > 2 && clause[n-2] == "nicht" && forbiddenLast[clause[n-1]] && !slices.ContainsFunc(clause, func(w string) bool { return tellingLast[w] })
}

// orderLeadIns are words before what is to be left as it is, leaveOpenings begin it.
var (
	orderLeadIns  = wordSet(`no nope ok okay yes please pls and but just so also then now for well`)
	leaveOpenings = openings(`leave the | leave this | leave that | leave those | leave these | leave my | leave our | leave all | leave everything | leave out | leave it as | leave it alone | leave it for | leave them as | leave them alone |
	skip the | skip this | skip that | skip those | skip these | skip it | skip them | skip all | skip any`)
)

// undertaking stands before what the user does, myselfMeans right before a "myself" that means nobody who does it.
var (
	undertaking = phrases(`i'll | i will | ill | i'm going to | i am going to | i'd rather`)
	myselfMeans = []string{" for", " to", " of", " as", " and", " with", " between", " about"}
)

// usersWork are phrases in other languages with which the user takes something on.
var usersWork = phrases(`mache ich selbst | mach ich selbst | mache ich selber | mach ich selber | das mache ich | das mach ich | das übernehme ich | schreibe ich selbst | schreib ich selbst | schreibe ich selber | pushe ich selbst | push ich selbst | merge ich selbst | erledige ich selbst | übernehme ich selbst |
	ich kümmere mich selbst | ich mache das selbst | ich schreibe das selbst | ich übernehme das |
	lo hago yo | los hago yo | la hago yo | las hago yo | lo haré yo | yo lo hago | yo lo haré | yo mismo lo hago | yo mismo lo haré | yo misma lo hago | lo escribo yo | me encargo yo | yo me encargo | de eso me encargo |
	je m'en occupe | je m'en occuperai | je m'en charge | je le fais moi-même | je le ferai moi-même | je l'écris moi-même | je l'écrirai moi-même | je les fais moi-même |
	lo faccio io | la faccio io | li faccio io | lo farò io | lo scrivo io | ci penso io | me ne occupo io | eu mesmo faço | eu mesma faço | eu faço isso | deixa comigo | deixe comigo | eu mesmo escrevo |
	doe ik zelf | doe ik wel zelf | schrijf ik zelf | ik doe het zelf | dat regel ik zelf | сделаю сам | сделаю сама | я сам сделаю | я сама сделаю | напишу сам | zrobię sam | zrobię sama | sam to zrobię | sama to zrobię | napiszę sam`)

// forbiddenLast are verbs that end such a clause, tellingLast words of one that tells of somebody.
var (
	forbiddenLast = wordSet(`anfassen antasten anrühren ändern verändern abändern anpassen bearbeiten löschen entfernen überschreiben umbenennen verschieben umstellen ersetzen hinzufügen einbauen verwenden benutzen nutzen einchecken committen pushen mergen rebasen deployen ausrollen
	veröffentlichen installieren aktualisieren ausführen starten neustarten beheben reparieren umbauen refaktorieren formatieren senden schicken versenden abschicken bestellen buchen stornieren raten erfinden mocken`)
	tellingLast = wordSet(`ich du er sie es wir ihr man kann kannst können könnt konnte konnten könnte könnten will willst wollen wollte wollten würde würden werde wird werden sich lässt ließ weil wenn dass ob warum wieso`)
)
