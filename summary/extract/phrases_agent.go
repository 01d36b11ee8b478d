package extract

var decisionTriggers = phrases(`decided | decision is | decision was | decision to | decision the | going with | go with | went with | settled on | settling on | opted | opting | chose | chosen | choosing | root cause | the cause is | the cause was | turns out |
	agreed | conclusion | key insight | the fix is | the solution is | the approach is | sticking with | stick with | switching | switched to | the plan is to | it is best to | best option |
	the right call | landed on | committing to | the problem was | the issue was | the culprit | caused by | because of this | the verdict | ruled out | standardize on | standardise on | picking | picked | final answer | resolved to | design choice`)

// choiceTriggers name what is not taken: who says so decides, also where it is announced.
var choiceTriggers = phrases(`instead of | rather than | in place of | in favor of | in favour of`)

var rationaleTriggers = []string{" because ", " since ", " so that ", " to avoid ", " in order to ", " due to "}

// intents come before a verb that decides; looking, running and fixing do not.
var intents = phrases(`i'll | i will | we'll | we will | let's | i'm going to | we're going to | i am going to | let us | we should | i shall | i would | plan to | i've`)

// intentFillers may stand between an intent and its verb.
var intentFillers = wordSet(`just now then also instead therefore`)

var decisionVerbs = wordSet(`use go choose pick keep adopt switch store put base stick replace drop avoid cap set name call split target prefer skip move host persist
		cache encode pin standardize standardise default reuse treat leave rely represent model limit route expose version select chosen chose decided opt settle settled`)

// choiceLeadIns stand before what is chosen; choosing begins a choice; statePhrases are the verbs of
// what is, was or happens.
var (
	choiceLeadIns = phrases(`so | now | then | first | next | also`)
	choosing      = openings(`instead of | rather than | in place of | let me | we need to | i need to | better to | it's better to | it's safer to`)
	choosingVerbs = wordSet(`take change update modify make create convert write build read return pass add`)
	articles      = openings(`the | a | an | this | that | it`)
	statePhrases  = phrases(`is | are | was | were | be | being | returns | raises | gives | expects | expecting | gets | has | have`)
)

// announcements begin sentences that say what is done next, not what was decided.
var announcements = openings(`let me | first | next | now | let's check | let's see | let's look | let's run | i'll check | i'll look | i'll run | i'll start | i'll read`)

// stepOpenings begin what the agent does as it says so, needs are phrases of what it says is still to be
// done.
var (
	stepOpenings = openings(`let's | let us | let me | i'll | i will | we'll`)
	needs        = phrases(`we need to | i need to | we have to | i have to | we should | i should | we must | needs to be | need to be`)
)

// nextSteps begin a lead that tells what the agent does as it says so.
var nextSteps = openings(`now | next | first | then`)

// diagnoses are words of a statement that gives the cause of a fault.
var diagnoses = phrases(`root cause | the cause is | the cause was | the problem was | the issue was | the culprit | caused by`)

// citing begins a sentence that tells what somebody else says.
var citing = openings(`the pr says | the pr description says | the issue says | the issue description says | the task says | the description says | the user says | the docs say | the documentation says | the comment says | the error says | the hint says`)

// musing words weigh what might be done.
var musing = phrases(`could | might | seems | maybe | perhaps | wonder | wondering | need to be careful | should work | is fine | let me think`)

// lookPhrases are words in which the agent only goes to look.
var lookPhrases = phrases(`let me check | let me see | let me look | let me verify | let me examine | let me go back | let me find out | let me test | let me think`)

// successes are words in which the agent says that something came out well: no decision, and
// not known to be so.
var successes = phrases(`the fix works | is correct | are correct | is working | works as expected | works correctly | working correctly`)

// doneSaid are words of a sentence that tells of what was done already.
var doneSaid = phrases(`the fix is applied | the fix is in place | the fix is now in place | the fix is done | i've reproduced | i have reproduced | i've now reproduced | i reproduced`)

// waiting begins a sentence that takes nothing back, though it begins as one that doubts; so does agreeing
// where the sentence ends with "as well" or "too"; adding stands in such a sentence.
var (
	waiting  = openings(`wait for | wait until | wait till | wait to | wait a moment for | wait a minute for | wait a second for | wait a bit for`)
	agreeing = openings(`actually`)
	adding   = phrases(`i should also | we should also | i also need | we also need | i'll also | there is also | there's also | i need to also | we need to also`)
)

// doubting begins a sentence that takes back what was thought before it.
var doubting = openings(`actually | wait | hmm | no wait | but wait | but actually | on second thought | what if | but what if | that doesn't | that won't | that wouldn't | that might |
	but that doesn't | but that won't | but that wouldn't | but that would | but that might | but that could | but that breaks | but that is not | but that isn't | but this doesn't | but this won't | but this wouldn't |
	but this would | but this might | but this could | but this breaks | but this is not | but this isn't | however that doesn't | however this doesn't | however that would | however this would`)

// regrets are words of a sentence that says what is wrong with what was done.
var regrets = []string{"n't ", " not work", " not right", " not correct", " wrong", " break", " broke", " fail", " mess", " still ", " duplicate", " unnecessary", " complicat"}

// undoing are words of a sentence that says that what was done is to be undone, or fails.
var undoing = []string{" revert", " undo", " restor", " start over", " doesn't work", " didn't work", " not work", " broke", " breaks", " complicated"}

// defending are words of a sentence that finds nothing wrong with what was done, though it has words of
// regrets: what it breaks not, what was broken before it, what is to be, or would be.
var defending = []string{"n't break", " not break", " already broken", " original code ", " will fail ", " fix should"}

// pointingBack begins a sentence about something that the sentence before it, or an output, names.
var pointingBack = openings(`that | that's | those | it should | they should`)

// insights begin a sentence that says only that the agent sees something.
var insights = openings(`i think i understand | i understand | i see | i think i see | i found | i think i found`)

// pointing begins a sentence that tells nothing without the one before it.
var pointing = openings(`that's | that is | that was | it's | it is | it was | which`)

// unfinished begins a sentence that goes on with a thought, or corrects itself in the next.
var unfinished = openings(`so | but | if | and | or | then | actually | wait | hmm | maybe | perhaps | good | great | perfect | excellent | yes | no | ok | since | because | also | this | these | they | however | looking at | let's | rename | pros | cons |
	that's because | that matches | it works | it seems | in that case | in this case | given these | option | options | i think option | your | i can | please | you can | we could | divide`)

// workOpenings begins what the agent is to do, or did: never a finding.
var workOpenings = openings(`we should | we'd | we've | we need | we could | i need | i think | there should | option | ready | on branch | looking | checking | trying | running`)

// ownWorkOpenings begins what the agent tells of its own work, done or to do: no finding.
var ownWorkOpenings = openings(`we | we've | we'd | we're | our | my | i | i'd | i've | i'm | ready | on branch | done | all tests | all done | removed | added | fixed | created | updated | saved | down from | up from |
	the next | the remaining | the refactor | the plan | the biggest | that | that's | it | it's | there should | both of | only differences`)

// lookUpVerbs are verbs with which agents tell each other what to look up: an order, done some
// day or never.
var lookUpVerbs = wordSet(`execute locate download verify ensure gather identify carefully use click scroll visit navigate collect confirm extract access retrieve obtain`)

// proposals are words in which a sentence says what ought to be rather than what is.
var proposals = phrases(`should | would | could | might | may | we need to | i need to | must be | has to be | have to be | let's | cleanest | simplest | safest | best | seems | looks like | i think | probably | perhaps | maybe`)

var openTriggers = phrases(`todo | still need | still needs | still have to | still has to | left to do | follow-up | follow up | will need to | fixme | outstanding | still missing |
	still failing | still open | postponed | deferred | to be done | yet to`)

var planTriggers = phrases(`plan | todo | todos | roadmap | work packages`)

// supposing begins what is left to do only where something else is done.
var supposing = openings(`if | so if | but if | and if | then if | even if | unless | in case | assuming | suppose`)

// askingBack are phrases with which the agent waits for the user.
var askingBack = []string{
	"please confirm", "please provide", "please specify", "please choose", "please share", "please reply", "please select", "please tell me", "let me know which", "let me know whether", "reply yes", "reply with",
	"bitte bestätige", "bitte geben sie", "bitte gib", "bitte wähle", "por favor confirm", "por favor indi", "请确认", "请提供", "请选择", "请回复",
}

// awaiting are phrases of who goes on when the user has answered, askingFor those of a question for what
// only the user can say.
var (
	awaiting = phrases(`once you confirm | once you've confirmed | once you have confirmed | once you provide | once you share | once you reply | once you approve | once i have your | as soon as you confirm | after you confirm | when you confirm | if you confirm |
		sobald sie bestätigen | sobald du bestätigst | una vez que confirme | una vez que confirmes | en cuanto confirme`)
	askingFor = phrases(`could you confirm | can you confirm | would you confirm | could you provide | can you provide | could you share | can you share | could you specify | can you specify | could you tell me | can you tell me | could you clarify | can you clarify |
		do you confirm | can i have your | may i have your`)
)

// rethinking are phrases of who takes back what was decided, undoingActs of who undoes it or puts something
// else in its place, undoingVerbs of a decision to do so. denyingNeed are phrases that take back what was
// decided in a sentence that begins as one that doubts. correcting are phrases of who takes a cause back,
// and contrary words of what shows that it is none.
var (
	rethinking  = phrases(`on second thought | on second thoughts | scratch that | that was wrong | i was wrong | that was a mistake | was the wrong | is the wrong | wrong approach | changed my mind`)
	undoingActs = phrases(`revert | reverting | i'll undo | let me undo | undoing | roll back | rolling back | go back to | going back to | abandon | abandoning | dropping | i'll drop | let's drop | start over | starting over | start fresh | starting fresh |
		no longer use | no longer need | we switch to | i'll switch to | let's switch to | let me switch to | switch back | switching back | switching to`)
	undoingVerbs = phrases(`drop | dropping | revert | reverting | undo | undoing | abandon | abandoning | roll back | rolling back | go back | going back | switch | switching | start over | start fresh | no longer`)
	denyingNeed  = phrases(`not needed | isn't needed | aren't needed | not necessary | isn't necessary | unnecessary | don't need | doesn't need | no need for`)
	correcting   = phrases(`turns out | isn't the cause | is not the cause | wasn't the cause | is not the problem | isn't the problem | is not the issue | isn't the issue | not the culprit`)
	contrary     = []string{" not ", "n't ", " exists ", " exist ", " already ", " is fine ", " are fine ", " is correct ", " are correct "}
)

// outgrowing are phrases of who says at the head of a message that what came before it is too much, bettering
// those of who says in a sentence that doubts that something else is better.
var (
	outgrowing = phrases(`overcomplicating | over-complicating | overcomplicated | overthinking`)
	bettering  = phrases(`a better approach | the better approach`)
)

// takingUp are phrases before what takes the place of what was decided, clauseEnds phrases behind it.
var (
	takingUp   = phrases(`back to | revert to | reverting to | switch to | switching to | i'll use | let's use | let me use | we use | we'll use | go with | going with | i'll keep | keep | use`)
	clauseEnds = phrases(`instead of | rather than | because | since | as it | but | so | and then | for`)
)

// pronouns are words of a sentence that speaks of what the sentence before it names.
var pronouns = phrases(`it | that | this | them`)

// tentative are words of a sentence that takes something back for a while, on a condition, or not at all.
var tentative = phrases(`temporarily | for now | for a moment | to verify | to check | to confirm | to see | to test | debug | don't revert | not revert | without reverting | no need to revert | instead of reverting | rather than reverting | before reverting |
	whether | if | unless | could | might | maybe | perhaps | would | should i | should we | don't want to | is right | was right | makes sense`)

// deciders are words of a decision that say nothing of what it is about.
var deciders = wordSet(`fix solution root cause caus problem issue issu approach plan real actual better best simpl simple let need update updat`)

// approving begins what the agent says where all is well, if it claims so.
var approving = openings(`good | great | perfect | excellent | wonderful`)

// expecting are phrases of a sentence that says of an error that it had to come, where it begins with one of
// ofErrors or has one of errorWords, and none of notExpecting.
var (
	expecting    = phrases(`is expected | are expected | this was expected | that was expected | it was expected | error was expected | failure was expected | exception was expected | as expected | is to be expected | was to be expected | is intended | is intentional | on purpose`)
	notExpecting = phrases(`not | never | but | however | should | only | unless | is expected to | are expected to | was expected to | instead of | says | said | comes from | came from | is back | real | bug |
		so i | so we | have to | to fix | to mend | fix it | fix this | i'll fix | i fix | i mend`)
	ofErrors   = openings(`this is | that is | that's | this was | it is | it's`)
	errorWords = []string{"error ", "errors ", " fails ", " failed ", " failure ", "exception ", " raises ", " raised ", " traceback ", "error` ", "exception` "}
)

// denying begins a sentence that says that what was to change something did not. In another such sentence,
// one of the changers stands before one of notDonePhrases, and one of the effects behind it.
var (
	denying = openings(`still not | still wrong | still broken | still the old | it's still not | it is still not | it's still the old | that didn't work | that did not work |
		this didn't work | this did not work | it didn't work | it did not work | nothing changed | nothing was changed`)
	notDonePhrases = phrases(`didn't | did not | wasn't | was not | weren't | were not | hasn't been | has not been`)
	changers       = wordSet(`script regex regexp pattern patch fix replacement change changes edit edits sed awk substitution update modification insertion command`)
	effects        = phrases(`work | match | apply | applied | replace | replaced | added | inserted | written | properly | correctly | take effect`)
)

// disputing are phrases before the verb of what is not so, affirming those before the verb of what is so.
var (
	disputing = phrases(`doesn't | does not | didn't | did not | don't | do not`)
	affirming = phrases(`does | did | do`)
)

// accounting are words of a sentence that says why something went wrong, or that it had to.
var accounting = []string{" because ", " due to ", " error", " fail", " expected ", " issue ", " problem ", " missing "}

// skipped begins a step that says itself that nothing is to be done.
var skipped = openings(`skipped | skip for now | n/a | not needed | not applicable | won't do | cancelled | canceled`)

// making begins a step by which a file or a folder is made.
var making = openings(`create | copy`)

// turning begins a sentence that holds against the one before it, backward one that speaks of what the
// one before it names, leaving one that goes on to something else; nextLooks are words of what the agent
// does next.
var (
	turning   = openings(`however | but | still | though | although | except | yet | only | unfortunately`)
	backward  = openings(`it | it's | they | they're`)
	leaving   = openings(`let me | let's | let us | i'll | i will`)
	nextLooks = phrases(`let me | let's | i'll | i need to | we need to check`)
)

// seeing begins a sentence that goes on from what was just seen; finding are words of what it finds there.
var (
	seeing  = openings(`hmm | oh | so`)
	finding = phrases(`still | we get | now | because`)
)

// failing are words of a sentence that says that something fails, is missing or is not as wanted,
// failingStill of one that says that it does so still, praising of one that says that all is well.
var (
	failing      = []string{" fails ", " failing ", " failed ", " failure ", " missing ", " bug ", " wrong ", " broken ", " not ", "n't "}
	failingStill = phrases(`still fails | still failing | still fail | still doesn't | still missing | still broken`)
	praising     = phrases(`pass now | passes now | now pass | now passes | now accurate | now correct | is fixed | now works`)
)

// joiningNumbers may stand between the numbers of steps, beforeDone between those and a word of doneWords; untilThen
// words behind that say when a step will be done.
var (
	untilThen      = wordSet(`when once if only as until unless`)
	joiningNumbers = wordSet(`and & both`)
	beforeDone     = wordSet(`is are was were has have been now both all already also`)
	doneWords      = wordSet(`done complete completed finished implemented`)
)

// conceding begins what the agent says to a user who objects, which objecting says.
var (
	conceding = openings(`you're right | you're absolutely right | you are right | you are absolutely right | you're correct | good catch | good point | my mistake | my bad | du hast recht | tienes razón | tu as raison`)
	objecting = phrases(`doesn't look right | does not look right | isn't right | is not right | wrong | why would we | why do we | why would you | why do you | shouldn't | should not | makes no sense | doesn't make sense | horrible | that's not what | falsch | warum sollten wir | incorrecto | faux`)
)
