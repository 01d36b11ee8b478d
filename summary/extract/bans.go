package extract

import (
	"slices"
	"strings"
)

// bans reports whether a clause of a statement rules something out: "no new dependencies".
func bans(text string) bool {
	if strings.HasSuffix(text, "?") {
		return false
	}
	asked := words(text) <= maxRuleWords && asksWork(lowered(strings.ToLower(text)))
	return slices.ContainsFunc(clausesOf(text), func(said []string) bool {
		return len(said) > 1 && len(said) <= maxBanWords && (bansInEnglish(said) || bansElsewhere(said) || asked && excludes(said))
	})
}

// clausesOf returns the words of each clause of a text, in lower case.
func clausesOf(text string) (clauses [][]string) {
	for clause := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return strings.ContainsRune(",;:–—", c) }) {
		said := strings.Fields(clause)
		for i, w := range said {
			said[i] = bareWord(w)
		}
		clauses = append(clauses, said)
	}
	return clauses
}

// maxBanWords is how many words such a clause has.
const maxBanWords = 8

// asksWork reports whether a lowered statement asks for something to be made, or politely.
func asksWork(low string) bool {
	return asksToMake(low) || slices.ContainsFunc(polite, func(p string) bool { return strings.Contains(low, p) })
}

// asksToMake reports whether a lowered statement begins with a verb that asks for something to be made.
func asksToMake(low string) bool {
	first, rest, _ := strings.Cut(low[1:], " ")
	return makeVerbs[first] && !strings.HasPrefix(rest, "sure ")
}

// excludes reports whether a clause of a statement that asks for something begins with what the work
// shall not hold: "no emojis", "without a header".
func excludes(clause []string) bool {
	for len(clause) > 0 && softening[clause[0]] {
		clause = clause[1:]
	}
	if len(clause) < 2 || !excluding[clause[0]] || tells(clause[1:]) {
		return false
	}
	what := clause[1]
	if determiners[what] && len(clause) > 2 {
		what = clause[2]
	}
	what = strings.TrimPrefix(strings.ReplaceAll(what, "’", "'"), "d'")
	return !reported[what] && !sayings[what] && !oneTimeVerbs[what] && !changeVerbs[what] && !makeVerbs[what]
}

func bansInEnglish(clause []string) bool {
	if clause[0] != "no" {
		return false
	}
	what, rest := clause[1], clause[2:]
	if tells(rest) {
		return false
	}
	return barred[what] && len(rest) > 0 && !reported[rest[0]] || forbidden[what]
}

// tells reports whether a clause goes on with a finite verb of its own: it tells what is not so, but
// for one that says what is allowed.
func tells(rest []string) bool {
	for i, w := range rest {
		switch {
		case subordinating[w]:
			return false
		case finite[w]:
			return i+1 == len(rest) || !allowing[rest[i+1]]
		}
	}
	return false
}

func bansElsewhere(clause []string) bool {
	said := strings.Join(clause, " ")
	for _, begin := range barring {
		if rest, ok := strings.CutPrefix(said, begin+" "); ok {
			what, _, _ := strings.Cut(rest, " ")
			return !reported[what]
		}
	}
	return len(clause) > 2 && clause[0] == "yeni" && clause[len(clause)-1] == "yok" && !reported[clause[1]]
}

// makeVerbs are verbs that ask for something to be made; polite words ask for anything, softening ones
// may stand before what it shall not hold.
var (
	makeVerbs = wordSet(`create write implement add make generate build draft list give summarize summarise translate rewrite refactor rename book order design`)
	polite    = phrases(`please | pls | plz | bitte | por favor | s'il te plaît | s'il vous plaît | stp | svp | per favore | alsjeblieft | alstublieft | graag | пожалуйста | proszę | lütfen`)
	softening = wordSet(`please pls and but just bitte und aber por favor`)
)

// excluding words begin what something shall not hold, determiners may stand behind them; sayings are words of
// sayings, and of who only denies.
var (
	excluding   = wordSet(`no without ohne kein keine keinen sin ningún ninguna sans pas aucun aucune senza nessun nessuna sem nenhum nenhuma zonder geen без никаких bez żadnych utan inga`)
	determiners = wordSet(`de a an any the of el la le un une una einen eine`)
	sayings     = wordSet(`i you we they he she it that this these those the one longer such less fewer later sooner further doubt need matter way reason luck idea clue rush hurry worries worry chance difference pressure stress joke thanks thank please don't not just only still actually now wait sorry
		use keep let let's can could would want more stopping response reply answer sign trace success fail exception effort limit
		dass zu weiteres mich dich ahnung eile sorge frage zweifel erfolg grund que embargo duda prisa hay es doute soucis souci pression attente je tu il elle che dubbio fretta dúvida pressa meer twijfel haast сомнения czego wątpienia`)
)

// forbidden is what agents do and are told not to; what programs do (loading, logging) is none.
var forbidden = wordSet(`breaking sleeping mocking stubbing faking cheating pushing force-pushing skipping guessing assuming inventing fabricating hallucinating committing amending squashing rebasing merging stashing deploying publishing releasing
	deleting removing renaming reformatting refactoring rewriting editing touching changing modifying hardcoding hard-coding monkeypatching monkey-patching vendoring disabling ignoring silencing suppressing swallowing
	commenting copying copy-pasting installing downloading upgrading downgrading peeking improvising cutting asking stopping waiting polling`)

// finite are verbs of who tells what is not so; subordinating words begin a clause that has a verb
// beside that; allowing follow a verb with which something is forbidden all the same.
var (
	finite = wordSet(`is was are were isn't wasn't has have had does did do will would happens happened happen occurs occurred occur works worked helps helped shows showed appears appeared seems seemed takes took
		gets got goes went comes came makes made solves solved exists existed exist began ran fails remains remained broke meant`)
	subordinating = wordSet(`that which who until till unless before after if when while whenever where because since as so but and or though although`)
	allowing      = wordSet(`allowed permitted acceptable ok okay accepted tolerated wanted`)
)

// barred stand between "no" and what is ruled out, barring before it in other languages; reported
// are words of who tells what was not there.
var (
	barred  = wordSet(`new additional external extra further third-party`)
	barring = strings.Split("keine neuen|keine neue|keine weiteren|keine zusätzlichen|keine externen|pas de nouvelles|pas de nouveaux|pas de nouvelle|pas de nouveau|aucune nouvelle|aucun nouveau|sin nuevas|sin nuevos|ninguna nueva|ningún nuevo|"+
		"nessuna nuova|nessun nuovo|senza nuove|senza nuovi|sem novas|sem novos|geen nieuwe|geen extra|inga nya|без новых|никаких новых|żadnych nowych|bez nowych", "|")
	reported = wordSet(`thing warning error errors warnings message messages issue issues failure failures information problem problems result results
		finding findings update updates news changes questions comments data output instructions requests
		fehler fehlermeldungen meldungen nachrichten probleme erkenntnisse erreur erreurs nouvelles problème problèmes résultats errores error mensajes problemas errori messaggi problemi erros mensagens fouten berichten problemen meldingen fel
		ошибок сообщений проблем błędów problemów komunikatów hata mesaj sorun`)
)

// corrects reports whether a statement in another language puts a value in the place of another:
// "Nein, nicht 8443, sondern 9443".
func corrects(text string) bool {
	said := strings.Fields(strings.ToLower(text))
	if len(said) < 4 || len(said) > maxCorrectionWords || strings.HasSuffix(text, "?") || strings.IndexFunc(text, func(c rune) bool { return c >= '0' && c <= '9' }) < 0 {
		return false
	}
	not := 0
	if denials[bareWord(said[0])] {
		not = 1
	}
	if !negations[bareWord(said[not])] {
		return false
	}
	return slices.ContainsFunc(said[not+1:], func(w string) bool { return contrasts[bareWord(w)] })
}

// maxCorrectionWords is how many words such a statement has.
const maxCorrectionWords = 12

// denials begin it, negations stand before what is taken back and contrasts before what stands.
var (
	denials   = wordSet(`nein no non nee não нет nie nej`)
	negations = wordSet(`nicht no pas non não niet не nie inte`)
	contrasts = wordSet(`sondern sino mais ma bensì mas maar а но tylko lecz utan`)
)
