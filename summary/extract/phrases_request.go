package extract

var requestTriggers = phrases(`can you | could you | would you | please | i want | i'd like | i would like | i need | we need | let's | lets | help me | go ahead and | start | implement | fix | add | build | create |
	write | make | find | investigate | look into | refactor | update | remove | explain | tell me | show me | give me | how do | how can | what is | what are | why | where | which | book | cancel | change | refund |
	return | exchange | check | test | run | read | review | move | rename | delete | set up | continue | propose | suggest | revert | tackle | do it | use | migrate | deploy | debug | design | plan | document | improve | optimize`)

// requestStarts begin a request for work: what it names is no fact.
var requestStarts = openings(`please check | please look | please read | please run | please fix | check | look | read | run | fix | open | show | see | try | implement | add | write | create | build |
	investigate | explain | find | go | start | continue | move | remove | split | delete | refactor | propose | ok read | alright let's | let's | can you | could you | would you | help | tell | give | review`)

// leadIns stand before what a user asks for.
var leadIns = phrases(`ok | okay | alright | so | now | also | then | and | but | btw | well | please | yes | yeah | sure | great | just | actually | can you | could you | would you | will you | i want you to | i'd like you to |
	i would like you to | i need you to | i want to | i'd like to | i would like to | i need to | we need to | i actually want you to | i'm looking to | i am looking to | let's | lets | go ahead and | oh | i see | in that case | i'd also like to | hi | hello | hey | there | first`)

// oneTimeVerbs are the verbs of work that is done once.
var oneTimeVerbs = wordSet(`create write implement add remove delete copy fix refactor split read reread look check show tell give book cancel return exchange refund proceed go commit push run rerun test
	investigate continue start propose suggest revert undo kill deploy build explain find search summarize review tackle debug try help open compare rewrite translate draft send`)

// changeVerbs are verbs of work done once that may give a value to something.
var changeVerbs = wordSet(`change switch move upgrade downgrade rename`)

// departing words stand behind a "leave" of who goes, or puts something down.
var departing = openings(`a | an | on | from | for | at | after | before | by | around | early | late | today | tonight | tomorrow`)

// makeVerbs are verbs that ask for something to be made; polite words ask for anything, softening ones
// may stand before what the work shall not hold.
var (
	makeVerbs = wordSet(`create write implement add make generate build draft list give summarize summarise translate rewrite refactor rename book order design`)
	polite    = phrases(`please | pls | plz | bitte | por favor | s'il te plaît | s'il vous plaît | stp | svp | per favore | alsjeblieft | alstublieft | graag | пожалуйста | proszę | lütfen`)
	softening = wordSet(`please pls and but just bitte und aber por favor pero y mais et ma e mas maar en но и`)
)

// labels are words of which the label of one of several things to do has one.
var labels = wordSet(`item ticket next task one bug issue`)

// tellVerbs are verbs of who is to tell something.
var tellVerbs = wordSet(`send tell show give list report summarize summarise provide confirm explain share answer describe`)

// asking begins a question, with its mark or without.
var asking = openings(`why | what | what's | how | who | whose | when | where | which | did | does | do | are you | have you | isn't | aren't | don't | wtf`)

// followUps begin what a user asks for beside, or in place of, what was asked before.
var followUps = openings(`now | also | and now | then | next | instead`)

var laterTriggers = phrases(`todo | don't forget | remind me | when you're done | once done`)

var ackWords = wordSet(`yes yep yeah yup ok okay k sure thanks thank you great good nice perfect cool awesome wow amazing right correct exactly fine no nope
		excellent fantastic brilliant wonderful lovely beautiful superb sweet neat awesome nicely ty thx thanx cheers understood noted appreciated it now worked really everything
		ja verstanden danke dank dir ihnen dankeschön vielen gut sehr passt perfekt super prima klasse toll genau klar alles wunderbar ausgezeichnet einverstanden das funktioniert läuft jetzt bitte
		sí si vale entendido gracias muchas bien muy listo perfecto genial estupendo excelente acuerdo funciona ahora todo claro
		oui compris merci beaucoup parfait très bien génial nickel d'accord ça marche c'est bon maintenant
		好的 好 谢谢 是的 可以 好的谢谢 谢谢你 多谢 非常感谢 太好了 太棒了 很好 不错 完美 没问题 可以了 收到 明白 明白了 辛苦了 知道了
		got it looks lgtm on sounds works done alright please proceed go ahead continue yo jesus haha lol that's that is very much so so, hi hello hey agreed confirmed confirm sorry hmm well all and the a`)

// urgingEnds is how a text goes on, or begins, that only urges on, or has what was tried done again.
var urgingEnds = phrases(`keep going | carry on | go for it | weiter | mach weiter | sigue | continúa | continuez | 继续 |
	again | try again | try it again | try that again | try once more | once more | one more time | retry | retry it | retry that | do it again | do that again |
	nochmal | noch mal | noch einmal | versuch es nochmal | versuche es noch einmal | versuch es noch einmal | versuchs nochmal | probier es nochmal |
	otra vez | de nuevo | inténtalo de nuevo | inténtalo otra vez | réessaie | réessaye | réessayez | encore | encore une fois | 重试 | 再试一次 | 再试试 | 再来一次 | 请重试 | 请再试一次`)

// agreementEnds is how a text goes on that agrees or thanks.
var agreementEnds = phrases(`do that | do it | do this | do so | for me | fine | would be great | for your help | for the help | for that | to me | what i wanted | what i needed | what i was looking for | work | job | lot | much | much for your help | bunch | with that | with it | with this | with all | with both |
	with the cancellation | with the change | with the changes | with the booking | with the exchange | with the return | with the refund | with the order | with the update | with the upgrade | with the purchase | with the payment`)

// ruling are phrases with which a user rules out what stands behind them, taking those with which the agent
// takes it. objectEnds end it, of those the limiting ones where it is so for something alone; a word of
// stating before it says that it is so, and rules out nothing.
var (
	ruling     = phrases(`no | don't use | do not use | not use | drop the | get rid of | forget about | kein | keine | keinen | sin | nada de`)
	taking     = phrases(`use | go with | going with | choose | pick | adopt | switch to | take`)
	stating    = wordSet(`is are was were there has have had if when where why see find found`)
	limiting   = wordSet(`for in on at with to of as`)
	objectEnds = wordSet(`for in on at with and to as of because since so instead rather but please bitte`)
)

// succeeding are phrases of who says that all works, butFails words that hold something against it. byHand are
// phrases of a step that somebody does by hand, severalOf words of one that is several things to try.
var (
	succeeding = phrases(`works now | it works | everything works | all works | that works | works fine | works great | works perfectly | works for me | works on my machine | tests pass | tested it and it works | tried it and it works |
		funktioniert jetzt | läuft jetzt | klappt jetzt | alles funktioniert | alles läuft | ya funciona | todo funciona | funciona bien | ça marche | tout marche | funziona | 可以了`)
	butFails  = phrases(`but | except | still | not | only | if | when | once | until | how | why | make sure | doesn't | don't | isn't | aber | nicht | nur | wenn | pero | no | si | mais | pas`)
	byHand    = phrases(`manual test | manual tests | manual testing | manually test | test manually | test by hand | smoke test | manual check | check manually | verify manually | manually verify | manual verification | try it by hand | manuell testen | von hand testen | probar a mano | prueba manual`)
	severalOf = phrases(`all | each | every | both | two | three | four | alle | beide | todos | ambos`)
)

// orderHandling are phrases of what is done to an order, by kind; wantedOnce are wishes for one of them.
// inPlace are phrases of who wants one thing in the place of another, alsoSaid of who wants both.
var (
	orderHandling = [][]string{
		phrases(`exchange | swap | umtauschen | cambiar | échanger`),
		phrases(`refund | refunded | return | money back | zurückgeben | erstatten | geld zurück | devolver | reembolso | rembourser`),
		phrases(`cancel | stornieren | cancelar | annuler`),
		phrases(`modify | update | upgrade | downgrade | ändern`),
		phrases(`book | reorder | rebook | buchen | reservar`),
	}
	inPlace    = phrases(`instead | then please | then i want | then i'd like | in that case | rather | changed my mind | on second thought | stattdessen | doch lieber | dann lieber | en su lugar | mejor | plutôt`)
	alsoSaid   = phrases(`also | too | as well | and then | both | instead of | rather than | auch | también | aussi`)
	wantedOnce = phrases(`want a refund | want a full refund | like a refund | like a full refund | want my money back | like my money back | want an exchange | like an exchange | want a replacement | like a replacement`)
)

// takingBack begins a statement that takes back the one before it, takingBackApart one in which a comma
// follows. droppingAll ends a clause of one that names nothing of it; adverbs may stand before the verb of one.
var (
	takingBack      = openings(`no wait | wait no | scratch that | on second thought | no scratch that | actually no forget | no forget that | ach nein | nein warte | oder doch lieber | doch lieber | no espera | espera no | mejor no | non attends`)
	takingBackApart = openings(`actually no | no actually | hmm no`)
	droppingAll     = phrases(`scratch that | forget that | forget it | forget this | forget both | forget all`)
	adverbs         = wordSet(`please always never only immer bitte siempre`)
)

// withdrawals begin a message that takes back what was asked, but for one that goes on with
// an object or a condition; retractions do where nothing follows in their clause but backRefs.
// Politeness may stand before both.
var (
	withdrawals = phrases(`never mind | nevermind | forget it | scratch that | ignore my last | forget that and | cancel that and | ignore that and | undo that and | revert that and`)
	objects     = wordSet(`the if when whether unless those these my your a an`)
	retractions = phrases(`stop | forget that | cancel that | ignore that | no don't | no do not | undo that | revert that`)
	politeness  = wordSet(`actually please can could you ok okay well`)
	backRefs    = wordSet(`it this that now please for again immediately working on do doing change changes request message edit`)
)

// denyingAnswers are phrases of who does not have or know something, denyingParts those of languages that
// part no words or join them; denyingWords are words of such phrases.
var (
	denyingAnswers = phrases(`i don't have | i dont have | i do not have | i don't know | i dont know | i do not know | i don't remember | i do not remember | i don't recall | i can't remember | i can't recall | i can't find | i cannot find | i have no | i forgot |
	ich habe keine | ich hab keine | ich habe die | habe ich nicht | hab ich nicht | weiß ich nicht | ich weiß es nicht | ich weiß nicht | ich erinnere mich nicht |
	no tengo | no lo sé | no la sé | no sé | no recuerdo | no me acuerdo | je n'ai pas | je ne l'ai pas | je ne sais pas | je ne connais pas | je ne me souviens pas | je ne me rappelle pas |
	non ho | non ce l'ho | non lo so | non so | non ricordo | não tenho | não sei | não me lembro | não lembro | ik heb geen | heb ik niet | weet ik niet | ik weet het niet | ik weet niet |
	nie mam | nie wiem | nie pamiętam | у меня нет | я не знаю | не знаю | не помню | bilmiyorum | hatırlamıyorum`)
	denyingParts = parts(`我没有|不知道|不记得|わかりません|覚えていません|持っていません|모르겠|없어요|없습니다|기억나지|não sei de cor|yanımda yok|tôi không có|tôi không biết|tôi không nhớ|لا أعرف|ليس لدي|لا أتذكر|אין לי|לא יודע|לא זוכר|मेरे पास नहीं|पता नहीं|याद नहीं`)
	denyingWords = wordSet(`don't dont have know remember recall can't cannot find forgot with right here handy offhand sorry unfortunately habe weiß nicht keine erinnere mich leider tengo recuerdo conmigo n'ai sais connais souviens rappelle ricordo tenho lembro comigo heb geen niet weet helaas pamiętam przykro`)
)
