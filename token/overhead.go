package token

import "github.com/seed-3db51b0e/precis/model"

// openAI is the framing of the OpenAI cookbook for gpt-3.5-turbo and later: 3
// tokens a message and the role's own, 1 for a name, 3 for the reply. The
// message has one more, because the first model of the series used 4. Calls,
// results and tools have no published number: the ids, which models may not
// read, and the JSON of the schema, which they read in a shorter form, are
// counted whole, and the framing is a delimiter each.
var openAI = Overhead{Request: 3, Message: 5, Name: 1, Call: 4, Result: 4, Tool: 8, Tools: 16, Media: 1_600}

// anthropic is our own measure on the safe side: Anthropic publishes only the
// price of declaring tools (346 tokens of instructions) and of an image (pixels
// / 750, 1,600 at the old limit of size, about 4,800 at the newer one).
var anthropic = Overhead{Request: 8, Message: 6, Name: 1, Call: 16, Result: 12, Tool: 24, Tools: 346, Media: 4_800}

// other is the framing of providers that publish none.
var other = Overhead{Request: 8, Message: 6, Name: 1, Call: 8, Result: 8, Tool: 12, Tools: 32, Media: 1_600}

// OverheadOf is the framing of a provider's requests, by the name package
// model gives the provider.
func OverheadOf(provider string) Overhead {
	switch provider {
	case "openai":
		return openAI
	case "anthropic":
		return anthropic
	}
	return other
}

// Margins of inexact meters, as shares.
const (
	// borrowedMargin covers o200k scaled to a model whose encoding is not
	// public: the published factor is an average over text, code is denser.
	borrowedMargin = 0.15
	// unknownMargin covers o200k in place of an encoding nothing is known of.
	unknownMargin = 0.25
	// heuristicMargin covers the heuristic's error on single texts.
	heuristicMargin = 0.20
	// defaultScale is the factor for a model that states none.
	defaultScale = 1.2
)

// For is the meter of a model. encoding gives the exact counter of a public
// encoding by its name ("o200k", "cl100k"); with nil, the heuristic counts.
//
// A public encoding is counted exactly and has no margin. For any other model
// o200k is scaled by the model's published ratio, with a margin of 15 %, or 25 %
// where nothing is published; the heuristic adds its own 20 %.
func For(m model.Model, encoding func(name string) (Counter, error)) (Meter, error) {
	meter := Meter{Overhead: OverheadOf(m.Provider)}
	if m.Encoding != "" && encoding != nil {
		c, err := encoding(m.Encoding)
		meter.Counter = c
		return meter, err
	}
	if m.Encoding == "" {
		meter.Factor, meter.Margin = m.Scale, borrowedMargin
		if m.Scale == 0 {
			meter.Factor, meter.Margin = defaultScale, unknownMargin
		}
	}
	if encoding == nil {
		meter.Counter = Heuristic
		meter.Margin += heuristicMargin
		return meter, nil
	}
	c, err := encoding("o200k")
	meter.Counter = Borrowed(c)
	return meter, err
}

// borrowed is an exact counter of another model's encoding.
type borrowed struct{ Counter }

// Borrowed is c standing in for an encoding that is not public: the same
// counts, not exact any more. Its name is c's with a "~".
func Borrowed(c Counter) Counter { return borrowed{c} }

func (b borrowed) Name() string { return b.Counter.Name() + "~" }
func (b borrowed) Exact() bool  { return false }
