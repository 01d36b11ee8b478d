package extract

import (
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/tool"
)

// calls are how the calls ended that were made for the last request.
type calls struct {
	failed failed
	acts   map[string]summary.Source // tools that change something and failed last, and where
	ended  summary.Source            // the last result
	acted  summary.Source            // the last result of one that changes something and did not fail
}

// failed is the call that failed in the newest round of calls that has a result.
type failed struct {
	round int // number of the message that made the calls
	at    summary.Source
}

// newCalls starts from the last request and the outcomes of an earlier summary.
func newCalls(last *summary.Request, outcomes []summary.ToolOutcome) calls {
	c, since := calls{acts: map[string]summary.Source{}}, 0
	if last != nil {
		since = last.From.N
		if last.Status == summary.Doing {
			c.failed = failed{last.Failed.N, last.Failed}
		}
	}
	for i := range outcomes {
		if o := &outcomes[i]; o.From.N >= since {
			c.act(o.Tool, tool.Outcome(o.Outcome), o.From)
		}
	}
	return c
}

// came notes how a call ended that was made in a round of calls.
func (c *calls) came(name string, outcome tool.Outcome, round int, at summary.Source) {
	c.ended = at
	switch {
	case outcome == "":
		return
	case outcome == tool.Failure:
		c.failed = failed{round, at}
	case round > c.failed.round:
		c.failed = failed{}
	}
	c.act(name, outcome, at)
}

// act notes how a call ended, if its tool changes something.
func (c *calls) act(name string, outcome tool.Outcome, at summary.Source) {
	switch {
	case !tool.ActsByName(name):
	case outcome == tool.Failure:
		c.acts[name] = at
	default:
		delete(c.acts, name)
		c.acted = at
	}
}

// forget starts anew for another request, but for the call that failed last.
func (c *calls) forget() {
	c.ended = summary.Source{}
	clear(c.acts)
}

// lastFailed returns where a call failed that the agent's answer comes after: one of its last,
// or one that was to change something and did not since.
func (c *calls) lastFailed() summary.Source {
	last := c.failed.at
	for _, at := range c.acts {
		if at.N > last.N {
			last = at
		}
	}
	return last
}
