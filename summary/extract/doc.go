// Package extract writes summaries without a model.
//
// Use: Summarizer{} wherever a summary.Summarizer is asked for. Law: content is data:
// constraints come from what users wrote and from nothing else, and no text acts as a
// header, marker or instruction. Promise: linear in the span, the same summary for the
// same span on any machine, and nothing in it that the span does not hold.
//
// Where each statement of the state is made: a reader (reader.go) goes over the messages once; extract.go
// joins what it found to the earlier summaries. A talk of several agents is told by agents.go, another
// language than English by tongue.go, and text in JSON by prose.go. What a user writes is told from what
// is pasted or quoted (own.go, pasted.go), parted into sentences (sentence.go, corrections.go) and read for rules,
// preferences and facts (user.go, facts.go, with bans.go, prohibits.go, orders.go, leaving.go and forms.go), for the
// request (requests.go, with calls.go, withdrawals.go, answers.go and agreement.go), and for success
// (success.go). What the agent writes (spoken.go) is read for decisions, findings, steps and open items
// (assistant.go, decisions.go, findings.go, leads.go, plan.go, plan_said.go), for what takes decisions back or follows
// from them (overturned.go, conceded.go, steps.go), and for what it makes of what it saw (reactions.go, quotes.go,
// belied.go, expected.go, corrected.go). A call and its result (work.go) tell of files (file_call.go and
// files.go, with names.go, stands.go, touched.go, stash.go, tracked.go, untracked.go and scripts.go), of runs
// (commands.go, run.go, runs.go, effects.go), of errors, what was tried and what resolved them
// (failures.go, failed_tests.go, echoed.go, conflicts.go, programs.go), of what other tools returned
// (outcomes.go, amounts.go, with lookups.go and record.go) and of task lists in files (checklists.go,
// checklist.go). Values that may be needed again are ranked by identifiers.go. The words by which texts
// are read are lists in phrases_*.go; triggers.go and phrases.go find them.
package extract
