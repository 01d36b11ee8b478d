package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/seed-3db51b0e/precis/internal/oneline"
)

// tongue counts words by language, as phrases of English mean something else elsewhere:
// what is written in another language is kept as requests and values, and read for
// demands alone, by words of its own.
type tongue struct{ english, other int }

// foreign reports whether a statement is not in English. One that does not tell is in the
// language of the conversation so far.
func (g *tongue) foreign(statement string) bool {
	if g.other < 2 {
		return false
	}
	var s tongue
	switch s.hear(statement); {
	case s.english > 0 && s.english >= s.other:
		return false
	case s.other >= 2:
		return true
	}
	return g.other > g.english
}

// demanding are words of other languages that make a statement a rule.
var demanding, demandingAnywhere = wordSet(`niemals nie immer stets muss müssen musst müsst darf dürfen darfst dürft keinesfalls unbedingt ausschließlich verboten zwingend
	nunca siempre jamás debes debe deben prohibido prohibida obligatorio
	jamais toujours dois doit doivent devez interdit interdite obligatoire
	sempre devi deve devono vietato obbligatorio nooit altijd moet moeten nimmer verboden verplicht aldrig alltid måste
	никогда всегда нельзя должен должна должны обязательно запрещено
	proibido proibida obrigatório obrigatória deverá deverão obbligatoria vietata vietati
	nigdy zawsze musi muszą musisz zabronione zabroniony obowiązkowo asla daima mutlaka kesinlikle sakın yasak zorunlu zorunda`),
	parts(`不要|不得|禁止|必须|务必|绝不|切勿|永远|始终|一律|必ず|絶対|しないで|반드시|절대|항상|her zaman|não deve|
	أبدا|أبدًا|أبداً|دائما|دائمًا|دائماً|يجب|ممنوع|لا تغي|لا تعدل|لا تعدّل|لا تحذف|لا تستخدم|لا تلمس|لا تقم|
	לעולם|תמיד|אסור|חובה|חייב|אל תשנ|אל תמחק|אל תיג|אל תוסיף|אל תשתמש|
	कभी भी|कभी मत|हमेशा|मत कर|मत बदल|मत हटा|मत छू|न बदलें|न करें|न हटाएँ|अनिवार्य|मना है|
	không bao giờ|luôn luôn|đừng|bắt buộc|nghiêm cấm|tuyệt đối không`)

func parts(s string) []string {
	list := strings.Split(s, "|")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// recounting are phrases of who tells what was, or was never: no rule.
var recounting = phrases(`ich habe | ich hab | hab ich | habe ich | ich hatte | ich war | ich bin | wir haben | wir hatten | wir waren | j'ai | je n'ai | j'avais | je suis | on a | nous avons | nunca he | he visto | nunca vi | eu nunca | eu sempre |
	non ho | ho sempre | я никогда | я всегда | nigdy nie widziałem | nigdy nie miałem | ik heb | heb ik | wij hebben | we hebben | لم أر | מעולם לא ראיתי | मैंने कभी | tôi không bao giờ | tôi luôn luôn`)

// demands reports whether a statement in another language is worded as a rule.
func demands(statement string) bool {
	low := lowered(strings.ToLower(statement))
	rule := strings.ReplaceAll(low, " immer noch ", " ")
	if !saysOf(low, germanWords, nil) {
		rule = strings.ReplaceAll(rule, " nie ", " ") // "not" in Slavic languages
	}
	return bans(statement) || orders(statement) || corrects(statement) || prohibits(statement) ||
		saysOf(rule, demanding, demandingAnywhere) && !slices.ContainsFunc(recounting, func(p string) bool { return strings.Contains(low, p) })
}

// germanWords are words that show that a statement is in German.
var germanWords = wordSet(`der die das den dem des ein eine einen einem einer und oder ist sind auf im in an am mit ohne für von vom zu zum zur bei aus nach direkt wieder bitte es ich du wir mehr etwas auch nicht`)

// deciding are words of other languages in which the agent decides something.
var deciding, decidingAnywhere = wordSet(`entschieden entscheide entscheidung statt anstatt stattdessen ursache
	decidido decidí decidimos decisión causa
	décidé décidons décision plutôt lieu
	deciso decisione invece anziché
	решил решила решено вместо причина
	besloten besluit oorzaak beslutat istället orsaken`),
	strings.Fields(`决定 改用 采用 而不是 根本原因 原因是 代わりに に決め 原因は 대신 원인은`)

// decides reports whether a statement of the agent in another language settles something.
func decides(statement string) bool {
	return saysOf(statement, deciding, decidingAnywhere)
}

// saysOf reports whether a statement has one of the words, or holds one of the parts.
func saysOf(statement string, words map[string]bool, parts []string) bool {
	for _, w := range parts {
		if strings.Contains(statement, w) {
			return true
		}
	}
	for w := range strings.FieldsFuncSeq(statement, func(c rune) bool { return !unicode.IsLetter(c) }) {
		if words[strings.ToLower(w)] {
			return true
		}
	}
	return false
}

// maxTongue is how many bytes of a text tell its language.
const maxTongue = 2000

// hear counts the words of a text.
func (g *tongue) hear(text string) {
	for w := range strings.FieldsFuncSeq(oneline.Start(text, maxTongue), func(c rune) bool { return !unicode.IsLetter(c) && c != '\'' }) {
		letters := 0 // that English does not have
		for _, c := range w {
			if c > unicode.MaxLatin1 {
				letters++
			} else if c >= 0x80 {
				letters = 1
			}
		}
		switch w = strings.ToLower(w); {
		case letters > 0:
			g.other += (letters + 1) / 2 // without spaces, a word has about two letters
		case englishWords[w]:
			g.english++
		case otherWords[w]:
			g.other++
		}
	}
}

// englishWords and otherWords are the words that tell: the ones that hardly a sentence is without.
var englishWords, otherWords = wordSet(`the it and this that you for with i'll should please have not are from can what let if when my never always must do don't only unless except`),
	wordSet(`der die das und nicht ist ein eine einen für mit auf zu den dem bitte wir ich auch noch jetzt niemals immer außer
		el la los las que por para con una del es en se lo esta este ahora pero nunca siempre
		le les des est pas une dans et pour avec vous nous sur qui ne du au aux ce cette ces jamais toujours sans
		il che di non per sono della questo nel dei gli mai sempre
		os não em um uma isso você nunca sem och att det som
		nie nigdy zawsze jest się tego jak ve bir bu için değil asla
		de het een en van voor niet op er ook maar naar bij zijn wordt worden moet moeten geen nog deze dit dat als alle met nooit altijd gebruik nein kein keine keinen sondern nee`)

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
