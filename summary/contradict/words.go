package contradict

import "strings"

// phrase is a set of kinds of phrases, a bit for each.
type phrase uint16

// The kinds.
const (
	changePhrase phrase = 1 << iota
	addPhrase
	forbidPhrase
	exceptPhrase // "never anything but X" states a value rather than forbidding one
	exemptPhrase // "never X, except Y"
	permitPhrase
	liftPhrase     // takes back what was forbidden
	refusePhrase   // permits nothing, though it sounds so
	reservedPhrase // says who else says so, or in which case
)

var phraseLists = map[phrase][]string{
	changePhrase: {
		" instead", " actually", "no longer", "anymore", "any more", "rather than", " change ", " changed ", " changing ", "scratch that",
		"correction", " switch", "replac", "second thought", "my mind", "forget ", "ignore what i", "ignore my", " bump ", " raise ", " lower ",
		" increase ", " decrease ", " moved ", " move to ", "is now ", "are now ", "now be ", "should now", "now use", " now lives", " revert", " make that ",
		" make it ", "supersede", "override", "renam", " update ", " updated ", "not valid", "obsolete", "outdated", "wrong", " drop ", "turns out", "previously",
		" reduce ", " extend", " back to ", "amend", "as of today", "stop ", " was ", "new plan", "change of plan",
	},
	addPhrase:    {" also ", " as well", "in addition", "additionally", " another ", " besides "},
	forbidPhrase: {" never ", " don't ", " do not ", " must not", " mustn't", " avoid ", " can't ", " cannot ", " shouldn't"},
	exceptPhrase: {" but ", "other than", "differ", "exceed", "anything"},
	exemptPhrase: {"except"},
	permitPhrase: {"fine to", "ok to", "okay to", " allowed", "you may", "you can", "no need to", "don't bother", "don't need to", "feel free"},
	liftPhrase: {
		"no longer", "anymore", "any more", "scratch that", "forget ", "ignore what i", "ignore my", "my mind", "second thought", "not valid", "obsolete", "outdated", "supersede", "override",
		" instead", " actually", "rather than", "correction", "turns out", "new plan", "change of plan", "as of today", " rule", "restriction", "lifted",
	},
	refusePhrase:   {" may not ", " can not ", " may never ", " can never ", "not allowed", "n't allowed", "don't think", "do not think", " doubt "},
	reservedPhrase: {" says ", " said ", " told ", " claims ", " thinks ", " wrote ", " if ", " once ", " unless ", " until ", " when ", " only "},
}

type phraseOf struct {
	text string
	kind phrase
}

// byStart holds the phrases by their second byte: the first of most is a space.
var byStart = func() (t [256][]phraseOf) {
	for kind, list := range phraseLists {
		for _, p := range list {
			t[p[1]] = append(t[p[1]], phraseOf{p, kind})
		}
	}
	return t
}()

// phrasesIn returns the kinds of the phrases in a text, in one pass.
func phrasesIn(low string) (found phrase) {
	for i := 1; i < len(low); i++ {
		for _, p := range byStart[low[i]] {
			if p.text[0] == low[i-1] && strings.HasPrefix(low[i-1:], p.text) {
				found |= p.kind
			}
		}
	}
	return found
}

func lookup(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// stopWords holds the words that say nothing about a subject.
var stopWords = lookup(`a an the this that these those it its is are was were be been being am do does did done have has had having will would shall ought
	should can could may might must need needs want wants please just only also too very really so as at by for from in into of off on onto out over to
	up with within without and or but if then than when while which who whom whose what where why how i you he she we they me him her us them my your his
	our their mine yours all any each every some no not never always don't doesn't didn't isn't aren't won't can't cannot couldn't shouldn't mustn't let
	let's i'll i'd i'm i've we'll we'd we're we've you'll you're it's that's there there's here now actually instead rather longer anymore more most least
	less use uses used using make makes made making set sets setting keep keeps kept go goes going get gets got put take takes change changes changed
	changing switch switched switching update updated correction new old ok okay yes sure well right = : please remember note everywhere both same such
	one ones thing things about after again back because been before during other own through under until via per e.g i.e etc sorry scratch forget
	replace replaces replaced stick stay stays decided decision decide choose chose chosen pick picked settled opting prefer preferred like mind second
	thought bump raise lower increase decrease moved move previously formerly was turns out longer wrong reduce extend amend stop supersedes revert place` + unitWords)

// unitWords may follow a number.
const unitWords = ` ms millisecond milliseconds second seconds sec secs minute minutes min mins hour hours hr hrs day days week weeks month months
	kb mb gb tb bytes percent px usd eur dollars euros`

var units = lookup(unitWords)

var determiners = lookup("the a an our my your its their this that these those all every each")

// denials begin a statement that corrects another, corrective words stand in it, and articles before
// what it speaks of, in several languages.
var (
	denials    = lookup("no nope nein non não nee nie нет nej")
	corrective = lookup("please instead rather actually better bitte lieber doch besser stattdessen mejor plutôt meglio piuttosto melhor liever лучше raczej lepiej hellre")
	articles   = lookup("the a an my your this that these those der die das den dem ein eine einen el la los las un una le les une mon ma il lo gli uno o os as um uma de het een")
)

// joiners link the parts of one name: "the timeout for the upload".
var joiners = lookup("for of in on at")

var auxiliaries = lookup("do does did must should can could will would may might is are was be need have has am")

// endsRetraction holds the words at which what is taken back ends.
var endsRetraction = lookup("to with for by in on and but as because since so use go when at")
