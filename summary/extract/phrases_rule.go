package extract

import "strings"

// bindingTriggers make a statement a constraint even where it is worded as a wish.
var bindingTriggers = phrases(`must | mustn't | never | always | don't | do not | make sure | ensure | under no circumstances | forbidden | not allowed |
	no longer | from now on | at most | at least | no more than | no fewer than | not more than | no less than | forbids | off limits | off-limits | avoid |
	strictly | mandatory | hands off | prohibited | banned | read-only | whatever you do | no exceptions | non-negotiable | hard stop | shouldn't | should not |
	nothing but | refrain | going forward | by monday | by tuesday | by wednesday | by thursday | by friday | by saturday | by sunday | by tomorrow | by tonight |
	stay under | stay below | stay within | ask me first | ask me before | ask before | check with me | stop and ask | unless i say | unless i tell | unless i ask | unless i approve |
	unless i confirm | unless i agree | until i say | until i tell | without my approval | without my permission | without my consent | without my ok | without my okay |
	nobody but me | no one but me`)

// weakTriggers bind only where the statement names something particular: else they are
// as common in a request that is done once.
var weakTriggers = append(phrases(`cannot | can't | only | required | requirement | requirements | without | maximum | minimum | budget | deadline | limit | limits | untouched | alone | exactly |
	exceed | exceeds | ban | cap | capped | freeze | frozen | not to | needs to | has to | have to | need to | by the end | due | cutoff | insist | insists | no matter | unless | keep in mind | rule`), permitting...)

// permitting are phrases with which the user allows something, and says what is left as it is.
var permitting = phrases(`you may | you are allowed to | you're allowed to | stay as they are | stays as it is | stay as is`)

var preferenceTriggers = phrases(`prefer | prefers | preference | i like | i'd rather | i would rather | ideally | i love | i hate | i dislike |
	would be nice | favor | favour | favourite | favorite | please use | i wish | rather than | happy with | i lean | my choice | i'm fine with | policy | stick to | needn't | no need | fine to | ok to | okay to`)

// wishTriggers are preferences where the statement names something particular.
var wishTriggers = phrases(`i'd like | i would like | i want | we want | i'm hoping | i am hoping | i'd love | should | important | remember | within | up to | instead | critical | allowed |
	expected to | supposed to | agreed | guarantee | keep | is fixed | are fixed | before you | as of | anymore | any more | requires | require`)

var changeTriggers = phrases(`actually | change | changed | changing | switch | switched | correction | scratch that | on second thought | bump | raise | lower | increase |
	decrease | reduce | move to | moved | is now | are now | now be | should now | use now | revert | make that | make it | rename | renamed | update | replace | replaced | forget |
	ignore what i | drop | extend | extended | back to | turns out | supersedes | overrides | stop | obsolete | outdated`)

// settings are imperatives that set something rather than ask for work.
var settings = openings(`use | set | keep | limit | cap | name | call | store | put | place | target | pin | treat | assume | leave | stay | stick | default | base | host | deploy | point | send | mark | tag`)

// dependent begins a sentence that says nothing without the one before it.
var dependent = openings(`but | except | unless | otherwise | however | you may | you can | only one | only the | only those | it | they | them | these | those | the existing | the others | the rest | the latter |
	the former | if not | if that can't | if that cannot | if that isn't | if that is not | if that's not | if that doesn't | if that does not | if that won't | if that fails | if that's the case |
	if this can't | if this cannot | if this isn't | if this is not | if this doesn't | if this fails | if it can't | if it cannot | if it isn't | if it is not | if it's not | if it doesn't | if it fails | if they can't | if they cannot | if they aren't |
	if neither | if none | or else | failing that | in that case | if so | exceptions | exception | same for | this applies | this also | that applies | that also | including | not even | even if | even then`)

// fragments demand nothing without the sentence before them.
var fragments = openings(`no exceptions`)

// thanks begin a sentence that demands nothing.
var thanks = openings(`thanks | thank you`)

// opinions begin what a user supposes.
var opinions = openings(`iiuc | i think | i thought | i assume | i would assume | i guess | maybe | perhaps | afaik | it seems`)

// triedOpenings begin what a user tells of what was done, resultWords what came of it; orderWords show
// that something is to be done, too.
var (
	triedOpenings = openings(`i've turned | i've checked | i've tried | i've run | i ran | i checked | i tried | i turned | i accidentally | i just ran | i just checked | i just tried`)
	resultWords   = phrases(`still | says | shows | said | showed`)
	orderWords    = phrases(`so | please | prefer | only | use | must | never | always`)
)

// falseDemands are phrases in which what else demands or prefers something does not: the user
// tells of what is not known or possible, of a mistake, or of what the reader may prefer.
var falseDemands = phrases(`i don't have | i do not have | i don't remember | i do not remember | i don't recall | i don't know | i do not know | i don't see | i don't think | i don't understand | i can't find | i can't remember | i cannot find |
	i want to make sure i do it | i need to make sure i do it | i want to make sure i have the | i need to make sure i have the | make sure i do it | make sure i'm doing | make sure i get it right | make sure i have the right | make sure i have the correct | make sure i understand | i must have mixed | i must have misread | i must have forgotten | i must have been | keep an eye |
	i want to make sure nothing slips through | make sure nothing slips through | i want to make sure we don't miss anything | i want to make sure i don't miss anything | make sure we don't miss anything | i know this must be | i've always lived | i've always been | don't hesitate | do not hesitate | never mind |
	plans have changed | plans changed | let me know if you'd prefer | let me know if you prefer | let me know if you'd like | understand the policy | understand your policy | understand the standard policy | your policy | cabin policy |
	you may have | you may want | you may need | you may see | you may notice | you may find | you may remember | you may recall | you may know`)

// fillers stand inside falseDemands.
var fillers = strings.Fields(`actually really just currently honestly unfortunately still also`)

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

// denials begin a correction in another language, negations stand before what is taken back and contrasts
// before what stands.
var (
	denials   = wordSet(`nein no non nee não нет nie nej`)
	negations = wordSet(`nicht no pas non não niet не nie inte`)
	contrasts = wordSet(`sondern sino mais ma bensì mas maar а но tylko lecz utan`)
)

// correctingHead words, as denials, begin a correction of a value, correctingHeads one in a language without blanks;
// correctingWords may stand before the value.
var (
	correctingHead  = wordSet(`no nope sorry actually wait oops ach pardon perdón desculpa perdona scusa doch`)
	correctingHeads = []string{"不，", "不对，", "不是，", "不，应该是", "いや、", "いえ、", "아니, ", "아니요, "}
	correctingWords = wordSet(`use port make take nimm den die das der el la los las le les il lo o a de het usa usar usen utilise prends usi gebruik i`)
)

// orderLeadIns are words before what is to be left as it is, leaveOpenings begin it.
var (
	orderLeadIns  = wordSet(`no nope ok okay yes please pls and but just so also then now for well btw`)
	leaveOpenings = openings(`leave the | leave this | leave that | leave those | leave these | leave my | leave our | leave all | leave everything | leave out | finger weg von | hände weg von | leave it as | leave it alone | leave it for | hold off on | hold off with | let's hold off on | leave them as | leave them alone |
	skip the | skip this | skip that | skip those | skip these | skip it | skip them | skip all | skip any`)
)

// politeOrders begin an order that is worded as a question, makingSo may stand behind them, and keepOpenings
// begin what is then to stay, as leaveOpenings do.
var (
	politeOrders = phrases(`can we | could we | can you | could you | would you | will you`)
	makingSo     = phrases(`make it so we | make it so that we | make it so you | make it so that you | make sure we | make sure that we`)
	keepOpenings = openings(`keep the old code | keep the old files | keep the old file | keep the old version | keep the old versions | keep the old one | keep the old ones | keep the old tests | keep the existing | keep the current | keep the original`)
)

// undertaking stands before what the user does, myselfMeans right before a "myself" that means nobody who
// does it.
var (
	undertaking = phrases(`i'll | i will | ill | i'm going to | i am going to | i'd rather`)
	myselfMeans = []string{" for", " to", " of", " as", " and", " with", " between", " about"}
)

// clauseMarks part what is asked for from what the user takes on.
var clauseMarks = []string{", ", "; ", ": ", " – ", " — ", " and "}

// reasonLabels are words of the label of a reason, needlessWords those of who only says that something is
// not needed.
var (
	reasonLabels  = wordSet(`reason reasons why grund gründe motivo motivos razón raison motif`)
	needlessWords = wordSet(`it it's its is they they're are i no longer need needed want wanted require required anymore any more don't do not this that them the order item trip because please`)
)

// conditions begin a case in which something would be done, conditionEnds part it from what; conditionOrders
// are verbs of orders beside those of work, and conditionVerbs stand before a verb of the condition itself.
var (
	conditions      = openings(`if | and if | but if | in case | falls | wenn`)
	conditionEnds   = []string{" then ", " please ", " dann ", " bitte ", " must ", " never ", " always ", " don't ", " do not ", " should ", " nicht ", " nie "}
	conditionOrders = wordSet(`stop ask use keep leave let skip set call put ignore wait take pick choose prefer stay fall raise return update sag frag nimm lass`)
	conditionVerbs  = wordSet(`can can't cannot could couldn't to not you i we they you'll i'll we'll will would won't wouldn't did didn't does doesn't must may might`)
)

// orderNouns are what customers order, orderVerbs what may be done to it beside work that is done once.
var (
	orderNouns = wordSet(`order orders reservation reservations booking bookings bestellung buchung pedido reserva commande réservation`)
	orderVerbs = wordSet(`update modify edit replace`)
)

// dayWords tell on which day somebody leaves, leftAsIs that something is left as it is instead.
var (
	dayWords = wordSet(`january february march april may june july august september october november december jan feb mar apr jun jul aug sept oct nov dec
		monday tuesday wednesday thursday friday saturday sunday today tonight tomorrow`)
	leftAsIs = wordSet(`the it this that those these my our all as alone untouched until out unchanged everything`)
)
