package policy

// presets are the default, which is ours, and one for each of five published
// designs with its numbers.
var presets = map[string]Policy{
	"balanced": {
		Name: "balanced", About: "the default: everything old becomes one message of state and of the lines likeliest to be needed again",
		Style: "balanced", Window: 128_000, Soft: .96, Low: .55, LowAgain: .8, Economy: true, ColdSoft: .7, RecentShare: .08, RecentTurns: 1, PinFirst: true,
		SummaryShare: .3, VerbatimShare: .92, Detail: .11, Recall: "precis_read",
		Rungs: []Rung{
			{Strategy: "reencode", Recent: true},
			{Strategy: "summarize", Fill: true},
			{Strategy: "args", Above: 400, To: 160, Recent: true},
			{Strategy: "preview", Above: 500, To: 200, Recent: true},
			{Strategy: "summarize", Recent: true},
		},
	},
	"ladder": {
		Name: "ladder", About: "externalize, summarize, clear, drop, in that order",
		Style: "ladder", Window: 100_000, Soft: .85, Low: .6, Safety: 500, Rehydration: 2000, RecentTurns: 3, PinFirst: true,
		SummaryShare: .5, SummaryRatio: .25, VerbatimShare: .6, Recall: "read_artifact",
		Rungs: []Rung{
			{Strategy: "externalize", Above: 1000, To: 100},
			{Strategy: "summarize"},
			{Strategy: "clear", Above: 100},
			{Strategy: "drop"},
		},
	},
	"session": {
		Name: "session", About: "a session summary in fixed sections for all but the last ten messages, written anew each round",
		Style: "session", Window: 128_000, UseFullWindow: true, Reserves: Reserves{System: 2000, Output: 4000, Safety: 5000},
		Soft: .8, Low: .8, Inclusive: true, SummaryShare: .1, SummaryTokens: 800, Recall: "precis_read",
		Rungs: []Rung{{Strategy: "fold", Keep: 10, Write: "session"}},
	},
	"clip": {
		Name: "clip", About: "batches of twenty messages, summarized one by one; the first and last of them are shown, the rest can be searched",
		Style: "clip", Window: 128_000, Soft: .8, Low: .8, SummaryShare: .1, SummaryTokens: 1024, Recall: "precis_read",
		Rungs: []Rung{{Strategy: "archive", Keep: 5, Chunk: 20, First: 2, Last: 2}},
	},
	"timeline": {
		Name: "timeline", About: "blocks and cut points; a turn may be split; old blocks are hidden once the cache is cold",
		Style: "timeline", Window: 80_000, Soft: .9, Low: .6, RecentShare: .4, SummaryShare: .1, SummaryTokens: 800, Recall: "precis_read",
		Rungs: []Rung{
			{Strategy: "hide", Cold: true, To: 240, KeepTurns: 6, KeepIntact: 1},
			{Strategy: "timeline", Tokens: 800, TurnTokens: 400},
		},
	},
	"truncate": {
		Name: "truncate", About: "a summary and its acknowledgement for the older 60 % of the messages; a placeholder where no summary can be had",
		Style: "truncate", Window: 200_000, UseFullWindow: true, ExcludeOverhead: true, Reserves: Reserves{Output: 16_384},
		Soft: .8, Low: .8, SummaryShare: .2, Recall: "precis_read",
		Rungs: []Rung{{Strategy: "fold", KeepShare: .4, Write: "handover", Truncate: true}},
	},
}
