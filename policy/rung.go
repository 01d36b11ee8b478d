package policy

// Rung is one strategy with its numbers.
type Rung struct {
	Strategy string `json:"strategy"` // one of Strategies
	// Above is the size in tokens from which a part is taken; To is the size of what stays.
	Above int `json:"above_tokens,omitempty"`
	To    int `json:"to_tokens,omitempty"`
	// Recent lets the rung work on recent units too, not only old ones.
	Recent bool `json:"recent,omitempty"`
	// Fill makes a summary take all old units at once and all the room below Low.
	Fill bool `json:"fill,omitempty"`
	// Texts lets a preview cut what was said, not only results.
	Texts bool `json:"texts,omitempty"`
	// Keep states how many of the last messages stay where all before them is
	// summarized; KeepShare, where Keep is 0, the share of the messages.
	Keep      int     `json:"keep_messages,omitempty"`
	KeepShare float64 `json:"keep_share,omitempty"`
	// Write names the text a fold writes: "session" or "handover".
	Write string `json:"write,omitempty"`
	// Truncate stands a placeholder in where no summary can be had.
	Truncate bool `json:"truncate,omitempty"`
	// Cold runs the rung before the ladder and whatever the size, but only while
	// the provider's cache is cold: what it breaks costs nothing then.
	Cold bool `json:"cold,omitempty"`
	// KeepTurns states how many of the newest turns a cold rung does not hide,
	// KeepIntact how many of them it does not touch.
	KeepTurns  int `json:"keep_turns,omitempty"`
	KeepIntact int `json:"keep_intact_turns,omitempty"`
	// Tokens caps a summary's text, where it is not the policy's cap.
	Tokens int `json:"tokens,omitempty"`
	// TurnTokens caps the text about the head of a turn that is cut in two.
	TurnTokens int `json:"turn_tokens,omitempty"`
	// Chunk states how many messages a batch of an archive covers; First and Last
	// are how many batches are shown from either end.
	Chunk int `json:"chunk_messages,omitempty"`
	First int `json:"clip_first,omitempty"`
	Last  int `json:"clip_last,omitempty"`
}

// At scales the rung's tokens to a budget. What stays of a part is half of what it is taken from at
// the most.
func (r Rung) At(budget int) Rung {
	r.Above, r.To = AtMostTenth(r.Above, budget), min(r.To, budget/20)
	r.Tokens, r.TurnTokens = AtMostTenth(r.Tokens, budget), AtMostTenth(r.TurnTokens, budget)
	return r
}

// Strategies names the strategies a rung may run, as Rung.Strategy has them.
var Strategies = []string{"reencode", "args", "preview", "externalize", "clear", "summarize", "fold", "archive", "timeline", "hide", "drop"}
