package extract

import "strings"

// demanding are words of other languages that make a statement a rule.
var demanding, demandingAnywhere = wordSet(`niemals nie immer stets muss müssen musst müsst darf dürfen darfst dürft keinesfalls unbedingt ausschließlich verboten zwingend
	nunca siempre jamás debes debe deben prohibido prohibida obligatorio
	jamais toujours dois doit doivent devez interdit interdite obligatoire
	sempre devi deve devono vietato obbligatorio nooit altijd moet moeten nimmer verboden verplicht aldrig alltid måste
	никогда всегда нельзя должен должна должны обязательно запрещено
	proibido proibida obrigatório obrigatória deverá deverão obbligatoria vietata vietati
	nigdy zawsze musi muszą musisz zabronione zabroniony obowiązkowo asla daima mutlaka kesinlikle sakın yasak zorunlu zorunda`),
	parts(`除非我|先问我|经我同意|别动|别改|别删|别碰|但别|但是别|也别|请别|先别|千万别|保持原样|保持不变|只改|只动|只修改|从现在起|以后都|不要|不得|禁止|必须|务必|绝不|切勿|永远|始终|一律|必ず|絶対|しないで|반드시|절대|항상|her zaman|não deve|
	أبدا|أبدًا|أبداً|دائما|دائمًا|دائماً|يجب|ممنوع|لا تغي|لا تعدل|لا تعدّل|لا تحذف|لا تستخدم|لا تلمس|لا تقم|
	לעולם|תמיד|אסור|חובה|חייב|אל תשנ|אל תמחק|אל תיג|אל תוסיף|אל תשתמש|
	कभी भी|कभी मत|हमेशा|मत कर|मत बदल|मत हटा|मत छू|न बदलें|न करें|न हटाएँ|अनिवार्य|मना है|
	không bao giờ|luôn luôn|đừng|bắt buộc|nghiêm cấm|tuyệt đối không`)

// reserving are phrases of other languages for what is done only with the user's word, or in no case.
var reserving = phrases(`es sei denn | außer ich | ausser ich | ohne meine zustimmung | ohne meine freigabe | ohne mein ok | frag mich vorher | frag mich zuerst | frag mich erst | frag mich bevor | fragt mich vorher | fragen sie mich vorher | tabu |
	a menos que | salvo que yo | sin mi permiso | sin mi aprobación | pregúntame antes | pregúntame primero | consúltame antes | sauf si je | à moins que je | sans mon accord | demande-moi avant | demandez-moi avant | demande-moi d'abord |
	a meno che io | senza il mio consenso | chiedimi prima | a não ser que eu | sem a minha aprovação | pergunte-me antes | tenzij ik | zonder mijn toestemming | vraag het mij eerst | vraag het me eerst | chyba że | bez mojej zgody |
	если я не | без моего согласия | спроси меня`)

// recounting are phrases of who tells what was, or was never: no rule.
var recounting = phrases(`ich habe | ich hab | hab ich | habe ich | ich hatte | ich war | ich bin | wir haben | wir hatten | wir waren | j'ai | je n'ai | j'avais | je suis | on a | nous avons | nunca he | he visto | nunca vi | eu nunca | eu sempre |
	non ho | ho sempre | я никогда | я всегда | nigdy nie widziałem | nigdy nie miałem | ik heb | heb ik | wij hebben | we hebben | لم أر | מעולם לא ראיתי | मैंने कभी | tôi không bao giờ | tôi luôn luôn`)

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

// englishWords and otherWords are the words that tell a language: the ones that hardly a sentence is without.
var englishWords, otherWords = wordSet(`the it and this that you for with i'll should please have not are from can what let if when my never always must do don't only unless except`),
	wordSet(`der die das und nicht ist ein eine einen für mit auf zu den dem bitte wir ich auch noch jetzt niemals immer außer
		el la los las que por para con una del es en se lo esta este ahora pero nunca siempre
		le les des est pas une dans et pour avec vous nous sur qui ne du au aux ce cette ces jamais toujours sans
		il che di non per sono della questo nel dei gli mai sempre
		os não em um uma isso você nunca sem och att det som
		nie nigdy zawsze jest się tego jak ve bir bu için değil asla
		de het een en van voor niet op er ook maar naar bij zijn wordt worden moet moeten geen nog deze dit dat als alle met nooit altijd gebruik nein kein keine keinen sondern nee`)

// usersWork are phrases in other languages with which the user takes something on.
var usersWork = phrases(`mache ich selbst | mach ich selbst | mache ich selber | mach ich selber | das mache ich | das mach ich | das übernehme ich | schreibe ich selbst | schreib ich selbst | schreibe ich selber | pushe ich selbst | push ich selbst | merge ich selbst | erledige ich selbst | übernehme ich selbst |
	ich kümmere mich selbst | ich mache das selbst | ich schreibe das selbst | ich übernehme das |
	lo hago yo | los hago yo | la hago yo | las hago yo | lo haré yo | yo lo hago | yo lo haré | yo mismo lo hago | yo mismo lo haré | yo misma lo hago | lo escribo yo | me encargo yo | yo me encargo | de eso me encargo |
	je m'en occupe | je m'en occuperai | je m'en charge | je le fais moi-même | je le ferai moi-même | je l'écris moi-même | je l'écrirai moi-même | je les fais moi-même |
	lo faccio io | la faccio io | li faccio io | lo farò io | lo scrivo io | ci penso io | me ne occupo io | eu mesmo faço | eu mesma faço | eu faço isso | deixa comigo | deixe comigo | eu mesmo escrevo |
	doe ik zelf | doe ik wel zelf | schrijf ik zelf | ik doe het zelf | dat regel ik zelf | сделаю сам | сделаю сама | я сам сделаю | я сама сделаю | напишу сам | zrobię sam | zrobię sama | sam to zrobię | sama to zrobię | napiszę sam`)

// forbiddenLast are verbs that end a clause in German of what is not to be done, tellingLast words of one
// that tells of somebody.
var (
	forbiddenLast = wordSet(`anfassen antasten anrühren ändern verändern abändern anpassen bearbeiten löschen entfernen überschreiben umbenennen verschieben umstellen ersetzen hinzufügen einbauen verwenden benutzen nutzen einchecken committen pushen mergen rebasen deployen ausrollen
	veröffentlichen installieren aktualisieren ausführen starten neustarten beheben reparieren umbauen refaktorieren formatieren senden schicken versenden abschicken bestellen buchen stornieren raten erfinden mocken`)
	tellingLast = wordSet(`ich du er sie es wir ihr man kann kannst können könnt konnte konnten könnte könnten will willst wollen wollte wollten würde würden werde wird werden sich lässt ließ weil wenn dass ob warum wieso`)
)

// prohibitions are how languages word what is not to be done: two of German, then Dutch, French, Spanish,
// Portuguese, Italian, Polish and Russian.
var prohibitions = []prohibition{
	{first: wordSet(`ändere ändert lösche löscht verwende benutze nutze fasse füge nimm schreibe schreib pushe committe merge starte mache mach entferne installiere überschreibe fass rühre rühr`), not: wordSet(`nicht nichts kein keine keinen keinerlei`)},
	{first: wordSet(`nie`), ends: []string{"en"}},
	{first: wordSet(`wijzig verander verwijder gebruik raak maak schrijf voeg push commit start installeer`), not: wordSet(`niet niets geen`)},
	{first: wordSet(`ne`), not: wordSet(`pas jamais plus rien aucun aucune`)},
	{first: wordSet(`no nunca jamás`), next: wordSet(`toques toque toquen cambies cambie modifiques modifique modifiquen borres borre elimines elimine uses utilices utilice agregues añadas añada hagas haga subas suba ejecutes ejecute escribas escriba instales instale edites edite renombres muevas mueva quites pongas ponga tocar cambiar modificar borrar eliminar usar`)},
	{first: wordSet(`não nunca jamais`), next: wordSet(`altere alterem altera mude muda modifique modifica apague apaga use usa remova exclua mexa mexe adicione adiciona faça toque toca edite edita instale execute renomeie mova escreva envie commite alterar mudar modificar apagar usar mexer`)},
	{first: wordSet(`non mai`), ends: []string{"are", "ere", "ire", "arlo", "arla", "arli", "arle", "erlo", "irlo", "ate", "ete"}},
	{first: wordSet(`nie nigdy`), next: wordSet(`wolno rób róbcie pisz rusz`), ends: []string{"aj", "uj", "ajcie", "ujcie"}},
	{first: wordSet(`не никогда`), ends: []string{"ай", "яй", "уй", "айте", "яйте", "уйте"}},
}

// leaveVerbs begin a clause of what is left, leaveAnywhere do so behind its name, and asItIs ends it, behind a verb of leaveSo
// "so", too; oneself is who is left, not what.
var (
	leaveVerbs    = wordSet(`leave keep let lass lasst belass belasse deja dejad deje dejen laisse laissez garde gardez lascia lasciate deixa deixe laat zostaw оставь оставьте`)
	leaveAnywhere = wordSet(`lass lasst déjalo déjala déjalos déjalas déjelo déjela`)
	leaveSo       = wordSet(`lass lasst belass belasse`)
	asItIs        = phrases(`alone | as is | as it is | as they are | the way it is | the way they are | untouched | unchanged | in ruhe | unverändert | unangetastet | wie er ist | wie sie ist | wie es ist | wie sie sind |
	como está | como están | en paz | tal cual | intacto | intacta | sin cambios | tel quel | telle quelle | tels quels | telles quelles | comme il est | comme elle est | com'è | come è | come sono | em paz |
	zoals het is | zoals hij is | zoals ze zijn | met rust | ongemoeid | bez zmian | как есть`)
	oneself = wordSet(`me us it mich mir uns moi nous mí nos mi ci mij ons`)
)

// allBut name all things but some, mayAlter allows to change them; alterOrders are verbs that order it, and onlyWords stand
// before the one thing that may be.
var (
	allBut      = phrases(`everything but | everything except | anything but | anything except | all but | all except | alles außer | alles ausser | alles bis auf | todo menos | todo excepto | tout sauf | tutto tranne | tudo menos | tudo exceto | alles behalve`)
	mayAlter    = phrases(`you can | you may | feel free to | du kannst | du darfst | puedes | tu peux | vous pouvez | puoi | você pode | je kunt | je mag`)
	alterOrders = wordSet(`change edit modify touch refactor delete remove rename update replace reformat rewrite ändere ändert bearbeite lösche entferne cambia modifica edita toca borra elimina modifie supprime muda mude altere wijzig verander`)
	onlyWords   = wordSet(`nur solo sólo solamente uniquement seulement soltanto somente apenas alleen`)
)

// fromNowOn begins what is to be so from then on.
var fromNowOn = openings(`ab jetzt | ab sofort | von nun an | a partir de ahora | de ahora en adelante | desde ahora | désormais | dorénavant | à partir de maintenant | d'ora in poi | a partir de agora | de agora em diante |
	vanaf nu | od teraz | впредь | bundan sonra`)
