package extract_test

import (
	"fmt"
	"strings"
)

// noise writes n steps of an agent's everyday work.
func (p *planter) noise(n int) {
	for range n {
		switch p.r.IntN(10) {
		case 0:
			p.user(p.pick("ok", "thanks!", "looks good, go on", "hm, can you check the logs again?", "why is this so slow?", "nice", "are we done with the handlers?",
				"what does that function do?", "great, continue", "I'm back from lunch"))
		case 1:
			p.says(p.chat())
		case 2, 3:
			p.call("read", map[string]string{"path": p.path()}, p.code())
		case 4:
			p.call("bash", map[string]string{"command": "cd /repo && grep -rn " + p.ident() + " src | head -20"}, p.matches())
		case 5:
			p.call("bash", map[string]string{"command": "ls -la " + p.dir()}, p.listing())
		case 6:
			p.call("bash", map[string]string{"command": "go test ./" + p.dir() + "/... 2>&1 | tail -20"}, p.log()+"ok\n")
		case 7:
			p.call("edit", map[string]string{"path": p.path(), "old_string": p.code(), "new_string": p.code()}, "Successfully replaced 1 occurrence.")
		case 8:
			p.call("bash", map[string]string{"command": "tail -50 /var/log/app.log"}, p.log())
		case 9:
			p.call("bash", map[string]string{"command": "git add -A && git commit -m 'wip " + p.ident() + "'"}, fmt.Sprintf("[main %07x] wip\n 2 files changed", p.r.IntN(1<<28)))
		}
	}
}

func (p *planter) chat() string {
	if p.r.IntN(4) == 0 {
		return p.pick("The loop in "+p.path()+" looks at "+p.ident()+" first.", fmt.Sprintf("Line %d of %s calls %s.", 10+p.r.IntN(900), p.path(), p.ident()),
			"So "+p.ident()+" is only read in "+p.path()+".", fmt.Sprintf("All %d tests pass.", 12+p.r.IntN(300)))
	}
	return p.pick("Let me look at the next file.", "Now let me check how this is called.", "I see the problem in the loop; let me read on.", "Good, that works as expected.",
		"I'll run the tests to see where we are.", "Next, the configuration loader.", "This function parses the header and returns early.",
		"Hmm, the output is longer than I thought. Let me narrow it down.", "That file holds the old implementation, which is not used any more as far as I can see.", "")
}

var stems = strings.Fields("user order item cart token cache event batch index query route store frame chunk graph shard node parse merge split load")

func (p *planter) ident() string {
	return p.pick(stems...) + "_" + p.pick(stems...) + "_" + p.pick("handler", "config", "count", "state", "total")
}

func (p *planter) dir() string  { return p.pick("src", "pkg", "lib") + "/" + p.pick(stems...) }
func (p *planter) path() string { return p.dir() + "/" + p.pick(stems...) + ".go" }

func (p *planter) code() string {
	var b strings.Builder
	for range 8 + p.r.IntN(25) {
		fmt.Fprintf(&b, "\t%s := %s(%s, %d) // TODO: must be checked, never null\n", p.ident(), p.ident(), p.ident(), p.r.IntN(100000))
	}
	return b.String()
}

func (p *planter) matches() string {
	var b strings.Builder
	for range 5 + p.r.IntN(15) {
		fmt.Fprintf(&b, "%s:%d:\tif %s > %d {\n", p.path(), p.r.IntN(2000), p.ident(), p.r.IntN(5000))
	}
	return b.String()
}

func (p *planter) listing() string {
	var b strings.Builder
	for range 5 + p.r.IntN(30) {
		fmt.Fprintf(&b, "-rw-r--r-- 1 dev dev %7d Mar %2d 10:%02d %s.go\n", p.r.IntN(1000000), 1+p.r.IntN(28), p.r.IntN(60), p.ident())
	}
	return b.String()
}

func (p *planter) log() string {
	var b strings.Builder
	for range 5 + p.r.IntN(30) {
		fmt.Fprintf(&b, "2026-03-%02dT10:%02d:%02dZ INFO %s port=%d region=%s took %dms id=%08x\n", 1+p.r.IntN(28), p.r.IntN(60), p.r.IntN(60), p.ident(),
			20000+p.r.IntN(40000), p.pick("eu-west-1", "us-north-2"), p.r.IntN(9000), p.r.Uint32())
	}
	return b.String()
}
