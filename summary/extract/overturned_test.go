package extract_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/summary"
)

// A decision does not stand that later words take back, which name the same, in the same reading or in
// one that goes on from an earlier summary. Words that carry it out, agree with it, take it back for a while
// or are about something else leave it.
//
// SPEC: B2, B18
func TestLaterWordsOverturnDecisions(t *testing.T) {
	const dates, retry, index, lock = "I decided to store the dates as ISO strings in events.json.", "The fix is to retry the upload in `send_file`.", "The root cause is the missing index on orders.customer_id.", "I'll keep the lock in Worker.run because two threads write."
	const redis, approach = "I'll use Redis for the session cache.", "The approach is to: copy a.ts to b.ts and replace the manager access step by step."
	for _, c := range []struct {
		name, decided, then string
		stands              bool
	}{
		{"goes back", dates, "assistant: Storing dates as strings in events.json doesn't sort well. Let me go back to epoch seconds.", false},
		{"was wrong", retry, "assistant: That was wrong. The retry in `send_file` hides the error, so I'm reverting it.", false},
		{"no cause", index, "assistant: It turns out the index on orders.customer_id exists.", false},
		{"not needed", lock, "assistant: Actually, the lock in Worker.run is not needed. Removing it.", false},
		{"another", "We'll go with SQLite for the queue.", "assistant: SQLite locks under load, so we switch to Postgres.", false},
		{"another approach", approach, "assistant: You're right. This piecemeal approach is a mess. Let me start fresh.", false},
		{"ruled out", redis, "user: Actually, no Redis please.", false},
		{"ruled out in other words", redis, "user: I thought about it. Don't use Redis, it costs too much.", false},
		{"ruled out in German", redis, "user: Bitte kein Redis, das ist zu teuer.", false},
		{"another change", lock, "assistant: The lock in Worker.run works fine. Let me revert the other change in store.py.", true},
		{"back to it", redis, "assistant: The table was slow. Let me go back to Redis for the session cache.", true},
		{"carried out", "We'll drop the old index on users.", "assistant: Dropping the old index on users now.", true},
		{"for a while", retry, "assistant: Let me revert the retry of the upload in `send_file` temporarily.", true},
		{"supposed", retry, "assistant: Maybe I should revert the retry of the upload in `send_file`?", true},
		{"a part of it", retry, "assistant: Reverting the wrong log line in `send_file`.", true},
		{"cause found again", index, "assistant: It turns out the missing index on orders.customer_id is in staging, too.", true},
		{"agreed to", redis, "user: Use Redis instead of SQLite for the queue, no new tables.", true},
		{"ruled out elsewhere", retry, "user: No upload of test files please.", true},
		{"asked", redis, "user: Why no Redis in the tests?", true},
		{"ruled out for the same", redis, "user: Don't use Redis for the session cache.", false},
		{"another thing of that name", redis, "user: No Redis cluster please, a single instance is enough.", true},
		{"ruled out for something else", redis, "user: Don't use Redis for anything else.", true},
		{"ruled out in a place", redis, "user: Don't use Redis in the tests.", true},
		{"what went well", redis, "user: No Redis errors so far.", true},
		{"what is so", redis, "user: There is no Redis on staging yet, install it.", true},
		{"a condition of the user's", redis, "user: If there is no Redis, fail at start.", true},
		{"too much", retry, "assistant: Actually, I think I'm overcomplicating this. Let me look at the code and make a minimal fix.", false},
		{"a better one", retry, "assistant: Actually, there's a better approach. A queue takes the files.", false},
		{"too much, said of a later thought", retry, "assistant: The upload works now.\n---\nassistant: Actually, I'm overcomplicating this.", true},
		{"too much behind a new thought", retry, "assistant: The log shows three uploads. I could mock the server, but I'm overcomplicating this test.", true},
		{"a better one, as it is", retry, "assistant: The retry is in. It is a better approach than a queue.", true},
		{"a better one is asked for", retry, "assistant: Let me check if there's a better approach.", true},
		{"a condition", retry, "assistant: If it fails I will revert the retry of the upload in `send_file`.", true},
		{"not wished", retry, "assistant: I don't want to revert the retry of the upload in `send_file`.", true},
		{"in one place only", index, "assistant: It turns out the index on orders.customer_id exists in staging, but not here.", true},
		{"conceded", "The fix is to use `queueMessage` instead of `appendMessage` when streaming.", "user: wait, this doesn't look right. why would we queue and then append?\n---\nassistant: You're absolutely right. `queueMessage` is for what asks for an answer, and `appendMessage` does when nothing is streaming.", false},
		{"conceded of what it takes", "So `agent.queueMessage()` queues messages to be injected at the next turn. The fix is simple: use `queueMessage` instead of `appendMessage` for bash executions when streaming, and save to session later.", "user: wtf, why would we queue and then append?\n---\nassistant: You're absolutely right. I overcomplicated this. `queueMessage` is for messages that should trigger an agent response. We just want to:", false},
		{"conceded of what it takes the place of", "The fix is simple: use `queueMessage` instead of `appendMessage` for bash executions when streaming, and save to session later.", "user: wtf, why would we append there at all?\n---\nassistant: You're absolutely right. `appendMessage` has no place there.", true},
		{"conceded, and taken further", "The fix is to use `queueMessage` instead of `appendMessage` when streaming.", "user: why do we append in bash.ts then?\n---\nassistant: You're right. We should use `queueMessage` in bash.ts, too.", true},
		{"conceded of something else", redis, "user: The lock is wrong.\n---\nassistant: You're right, the lock in Worker.run is taken too late.", true},
		{"right as it is", redis, "user: So Redis holds the session cache?\n---\nassistant: You're right, Redis holds the session cache.", true},
		{"conceded to nobody", retry, "assistant: You're right. The retry of the upload in `send_file` comes first.", true},
		{"thought again, and kept", redis, "assistant: On second thought, Redis for the session cache is right.", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ms := script(t, "user: Go on.\n---\nassistant: "+c.decided+"\n---\n"+c.then)
			for from, s := range map[string]*summary.Structured{"once": summarize(t, ms), "in two": summarize(t, ms, throughJSON(t, summarize(t, ms[:2])))} {
				stands := false
				for _, d := range s.Decisions {
					stands = stands || d.Text == c.decided && !d.Doubted
				}
				if stands != c.stands {
					t.Errorf("read %s, it stands: %t, %+v", from, stands, s.Decisions)
				}
			}
		})
	}
}
