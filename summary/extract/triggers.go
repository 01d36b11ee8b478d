package extract

import "strings"

// The phrases are matched in lowered text, so each begins and ends at a word.

// triggers is a set of the kinds of phrases that stand in a sentence.
type triggers uint16

const (
	binding triggers = 1 << iota
	preference
	change
	request
	decision
	intent
	rationale
	unsettled
	later
	planned
	weakly // binds where it names something particular
	wished // is a preference where it does
	choice // takes one thing in place of another
)

// trigger is a phrase and its kinds.
type trigger struct {
	phrase string
	kinds  triggers
}

// byStart holds the phrases by how their first word starts.
var byStart = func() (t [1 << 10][]trigger) {
	for kind, list := range map[triggers][]string{
		binding: bindingTriggers, preference: preferenceTriggers, change: changeTriggers, request: requestTriggers, decision: decisionTriggers,
		intent: intents, rationale: rationaleTriggers, unsettled: openTriggers, later: laterTriggers, planned: planTriggers,
		weakly: weakTriggers, wished: wishTriggers, choice: choiceTriggers,
	} {
		for _, p := range list {
			t[startOf(p)] = append(t[startOf(p)], trigger{p, kind})
		}
	}
	return t
}()

// startOf returns a number for the two bytes after the first.
func startOf(s string) int { return int(s[1]&31)<<5 | int(s[2]&31) }

// triggersIn finds the triggers of a lowered sentence in one pass over its words.
func triggersIn(low string) (found triggers) {
	for i := 0; i+2 < len(low); {
		for _, c := range byStart[startOf(low[i:])] {
			if strings.HasPrefix(low[i:], c.phrase) {
				found |= c.kinds
			}
		}
		n := strings.IndexByte(low[i+1:], ' ')
		if n < 0 {
			return found
		}
		i += 1 + n
	}
	return found
}

func phrases(s string) []string {
	var out []string
	for p := range strings.SplitSeq(s, "|") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, " "+p+" ")
		}
	}
	return out
}

// starts are phrases that a text may start with, by their first word.
type starts map[string][]string

func openings(s string) starts {
	by := starts{}
	for _, p := range phrases(s) {
		first, _, _ := strings.Cut(p[1:], " ")
		by[first] = append(by[first], p)
	}
	return by
}

// bindingTriggers make a statement a constraint even where it is worded as a wish.
var bindingTriggers = phrases(`must | must not | mustn't | never | always | don't ever | don't | do not | make sure | ensure | under no circumstances | forbidden | not allowed |
	no longer | from now on | at most | at least | no more than | no fewer than | not more than | no less than | forbids | off limits | off-limits | avoid |
	strictly | mandatory | hands off | prohibited | banned | read-only | whatever you do | no exceptions | non-negotiable | hard stop | shouldn't | should not |
	nothing but | refrain | going forward | by monday | by tuesday | by wednesday | by thursday | by friday | by saturday | by sunday | by tomorrow | by tonight |
	stay under | stay below | stay within`)

// weakTriggers bind only where the statement names something particular: else they are
// as common in a request that is done once.
var weakTriggers = append(phrases(`cannot | can't | only | required | requirement | requirements | without | maximum | minimum | budget | deadline | limit | limits | untouched | alone | exactly |
	exceed | exceeds | ban | cap | capped | freeze | frozen | not to | needs to | has to | have to | need to | by the end | due | cutoff | insist | insists | no matter | unless | keep in mind | rule`), permitting...)

var preferenceTriggers = phrases(`prefer | prefers | preference | i like | i'd rather | i would rather | ideally | i love | i hate | i dislike |
	would be nice | favor | favour | favourite | favorite | please use | i wish | rather than | happy with | i lean | my choice | i'm fine with | policy | stick to | needn't | no need | fine to | ok to | okay to`)

// wishTriggers are preferences where the statement names something particular.
var wishTriggers = phrases(`i'd like | i would like | i want | we want | i'm hoping | i am hoping | i'd love | should | important | remember | within | up to | instead | critical | allowed |
	expected to | supposed to | agreed | guarantee | keep | is fixed | are fixed | before you | as of | anymore | any more | requires | require`)

var changeTriggers = phrases(`actually | change | changed | changing | switch | switched | correction | scratch that | on second thought | changed my mind | bump | raise | lower | increase |
	decrease | reduce | move to | moved to | moved | is now | are now | now be | should now | use now | revert | make that | make it | rename | renamed | update | replace | replaced | forget |
	ignore what i | drop | extend | extended | back to | turns out | supersedes | overrides | stop | obsolete | outdated`)

// settings are imperatives that set something rather than ask for work.
var settings = openings(`use | set | keep | limit | cap | name | call | store | put | place | target | pin | treat | assume | leave | stay | stick | default | base | host | deploy | point | send | mark | tag`)

// requestStarts begin a request for work: what it names is no fact.
var requestStarts = openings(`please check | please look | please read | please run | please fix | check | look | read | run | fix | open | show | see | try | implement | add | write | create | build |
	investigate | explain | find | go | start | continue | move | remove | split | delete | refactor | propose | ok read | alright let's | let's | can you | could you | would you | help | tell | give | review`)

var requestTriggers = phrases(`can you | could you | would you | please | i want | i'd like | i would like | i need | we need | let's | lets | help me | go ahead and | start | implement | fix | add | build | create |
	write | make | find | investigate | look into | refactor | update | remove | explain | tell me | show me | give me | how do | how can | what is | what are | why | where | which | book | cancel | change | refund |
	return | exchange | check | test | run | read | review | move | rename | delete | set up | continue | propose | suggest | revert | tackle | do it | use | migrate | deploy | debug | design | plan | document | improve | optimize`)

var ackWords = wordSet(`yes yep yeah yup ok okay k sure thanks thank you great good nice perfect cool awesome wow amazing right correct exactly fine no nope
		excellent fantastic brilliant wonderful lovely beautiful superb sweet neat awesome nicely ty thx thanx cheers understood noted appreciated it now worked really everything
		ja verstanden danke dank dir ihnen dankeschön vielen gut sehr passt perfekt super prima klasse toll genau klar alles wunderbar ausgezeichnet einverstanden das funktioniert läuft jetzt bitte
		sí si vale entendido gracias muchas bien muy listo perfecto genial estupendo excelente acuerdo funciona ahora todo claro
		oui compris merci beaucoup parfait très bien génial nickel d'accord ça marche c'est bon maintenant
		好的 好 谢谢 是的 可以 好的谢谢 谢谢你 多谢 非常感谢 太好了 太棒了 很好 不错 完美 没问题 可以了 收到 明白 明白了 辛苦了 知道了
		got it looks lgtm on sounds works done alright please proceed go ahead continue yo jesus haha lol that's that is very much so so, hi hello hey agreed confirmed confirm sorry hmm well all and the a`)

var decisionTriggers = phrases(`decided | decision is | decision was | decision to | decision the | going with | go with | went with | settled on | settling on | opted | opting | chose | chosen | choosing | root cause | the cause is | the cause was | turns out |
	we agreed | agreed | conclusion | key insight | the fix is | the solution is | the approach is | sticking with | stick with | switching | switching to | switched to | the plan is to | it is best to | best option |
	the right call | landed on | committing to | the problem was | the issue was | the culprit | caused by | because of this | the verdict | ruled out | standardize on | standardise on | picking | picked | final answer | resolved to | design choice`)

// choiceTriggers name what is not taken: who says so decides, also where it is announced.
var choiceTriggers = phrases(`instead of | rather than | in place of | in favor of | in favour of`)

// intents come before a verb that decides; looking, running and fixing do not.
var intents = phrases(`i'll | i will | we'll | we will | let's | i'm going to | we're going to | i am going to | let us | we should | i shall | i would | plan to | i've`)

var decisionVerbs = wordSet(`use go choose pick keep adopt switch store put base stick replace drop avoid cap set name call split target prefer skip move host persist
		cache encode pin standardize standardise default reuse treat leave rely represent model limit route expose version select chosen chose decided opt settle settled`)

var rationaleTriggers = []string{" because ", " since ", " so that ", " to avoid ", " in order to ", " due to "}

var openTriggers = phrases(`todo | still need | still needs | still have to | still has to | left to do | follow-up | follow up | will need to | fixme | outstanding | still missing |
	still failing | still open | postponed | deferred | to be done | yet to`)

var laterTriggers = phrases(`todo | don't forget | remind me | when you're done | once done`)

// announcements begin sentences that say what is done next, not what was decided.
var announcements = openings(`now let me | let me | now i'll | now let's | first | next | now i | now | let's check | let's see | let's look | let's run | i'll check | i'll look | i'll run | i'll start | i'll read`)

var planTriggers = phrases(`plan | todo | todos | roadmap | work packages`)
