package replay

// Price is what input costs, relative to an uncached token at 1.
type Price struct {
	Name   string
	Cached float64 // reading a token from the cache
	Fresh  float64 // reading and, where that costs more, writing the rest
}

// Prices are the models every cost is given under.
var Prices = [3]Price{
	{"A", 0.1, 1.25},  // Anthropic
	{"O.1", 0.1, 1.0}, // OpenAI, newer models
	{"O.5", 0.5, 1.0}, // OpenAI, older models
}

// cacheMin is the smallest prefix that is cached, in tokens.
const cacheMin = 1024

// bill is the price of a request of which the first shared tokens are those of
// the request before.
func (p Price) bill(tokens, shared int) float64 {
	if shared < cacheMin {
		shared = 0
	}
	return float64(shared)*p.Cached + float64(tokens-shared)*p.Fresh
}
