package plan

// Economy records what planning estimated about the price of a compaction, and its
// verdict. Sizes are tokens of a whole request, costs are in tokens of uncached
// input. Render does not read it.
type Economy struct {
	// Verdict: forced (the budget), free (the cache was cold), pays, or why not:
	// too_little, too_late, too_soon.
	Verdict string `json:"verdict"`
	// Read and Write are the prices of a token read from and written to the
	// provider's cache, relative to one of uncached input; USD is what a million
	// of those cost, 0 where nobody says.
	Read  float64 `json:"read"`
	Write float64 `json:"write"`
	USD   float64 `json:"usd_per_million,omitempty"`
	// Before and After are the prompt as it was and as planned. Cached of Before
	// was in the cache, Kept of After still is.
	Before int  `json:"before_tokens"`
	After  int  `json:"after_tokens"`
	Cached int  `json:"cached_tokens"`
	Kept   int  `json:"kept_tokens"`
	Cold   bool `json:"cold,omitempty"` // the cache had expired: nothing was lost in it
	// Turns the conversation has had, Growth what each adds, Remaining how many
	// more are expected.
	Turns     int     `json:"turns"`
	Growth    float64 `json:"growth_tokens"`
	Remaining float64 `json:"remaining_turns"`
	// Rewrite is the extra cost of the next request, Saved what each later one costs
	// less. BreakEven counts the turns until that is paid back, -1 for never. Waited
	// is the extra cost of the larger prompt so far.
	Rewrite   float64 `json:"rewrite_cost"`
	Saved     float64 `json:"saved_per_turn"`
	BreakEven float64 `json:"break_even_turns"`
	Waited    float64 `json:"waited_cost"`
	// Least is the value of a token below which a line of the log was not carried
	// along, in ten-thousandths of an expected use.
	Least float64 `json:"least_worth,omitempty"`
}
