package discover

import (
	"encoding/json"
	"strconv"

	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/transcript"
)

// Charge is one request as the provider reported it and the agent wrote it down.
type Charge struct {
	// Key is the same for the same request in another file: agents copy what was
	// said when a session is continued or forked. "" if it has none.
	Key   string
	Model string
	// Tokens. Input counts those neither read from nor written to a cache.
	Input, Output, Read, Write, WriteLong int
	Cost                                  float64 // USD, 0 if the agent did not say
}

// Prompt is the size of the request's prompt in tokens.
func (c Charge) Prompt() int { return c.Input + c.Read + c.Write + c.WriteLong }

// Price returns what it costs by the list prices of its model, in USD; false if there
// are none.
func (c Charge) Price() (float64, bool) {
	m, ok := model.Lookup(c.Model)
	p := m.PriceOf(c.Prompt())
	if !ok || p.In <= 0 {
		return 0, false
	}
	or := func(price, otherwise float64) float64 {
		if price > 0 {
			return price
		}
		return otherwise
	}
	write := or(p.Write, p.In)
	usd := float64(c.Input)*p.In + float64(c.Output)*p.Out + float64(c.Read)*or(p.Read, p.In) +
		float64(c.Write)*write + float64(c.WriteLong)*or(p.WriteLong, write)
	return usd / 1e6, true
}

func (c Charge) empty() bool { return c.Prompt()+c.Output == 0 && c.Cost == 0 }

// Bill holds what requests came to.
type Bill struct {
	Requests int `json:"requests"`
	Input    int `json:"input"`
	Output   int `json:"output"`
	Read     int `json:"cache_read"`
	Write    int `json:"cache_write"`
	// Reported states what agents said it cost, Priced what the rest costs by list
	// prices, both USD. Unpriced counts requests of models without a price.
	Reported float64 `json:"reported_usd"`
	Priced   float64 `json:"priced_usd"`
	Unpriced int     `json:"unpriced,omitempty"`
	// Copied counts requests left out: they stand in another session too.
	Copied int `json:"copied,omitempty"`
	// Peak is the largest prompt in tokens.
	Peak int `json:"peak"`
}

// Add adds a session's requests but those that seen has; they are put into it.
func (b *Bill) Add(cs []Charge, seen map[string]bool) {
	for _, c := range cs {
		if c.Key != "" && seen[c.Key] {
			b.Copied++
			continue
		}
		seen[c.Key] = true
		b.Requests++
		b.Input, b.Output, b.Read, b.Write = b.Input+c.Input, b.Output+c.Output, b.Read+c.Read, b.Write+c.Write+c.WriteLong
		b.Peak = max(b.Peak, c.Prompt())
		if c.Cost > 0 {
			b.Reported += c.Cost
			continue
		}
		usd, ok := c.Price()
		if !ok {
			b.Unpriced++
		}
		b.Priced += usd
	}
}

// charges reads what an agent wrote down of each request. A record that comes
// again, grown, counts as it was last.
func charges(agent string, rs []record) []Charge {
	var cs []Charge
	at := map[string]int{}
	read := chargeReaders[agent]
	state := codexState{}
	for _, r := range rs {
		if !r.names(`"usage"`, `"tokens"`, `"cost`, "token_count", "turn_context") {
			continue
		}
		c := read(r, &state)
		if c.empty() {
			continue
		}
		if c.Key == "" {
			cs = append(cs, c)
			continue
		}
		c.Key = agent + " " + c.Key
		if i, ok := at[c.Key]; ok {
			cs[i] = c
			continue
		}
		at[c.Key] = len(cs)
		cs = append(cs, c)
	}
	return cs
}

var chargeReaders = map[string]func(record, *codexState) Charge{
	transcript.ClaudeCode: claudeCharge,
	transcript.Codex:      codexCharge,
	transcript.Pi:         piCharge,
	transcript.OpenCode:   openCodeCharge,
	transcript.GeminiCLI:  geminiCharge,
}

func claudeCharge(r record, _ *codexState) Charge {
	var l struct {
		UUID      string  `json:"uuid"`
		RequestID string  `json:"requestId"`
		CostUSD   float64 `json:"costUSD"`
		Message   struct {
			ID    string `json:"id"`
			Model string `json:"model"`
			Usage struct {
				Input    int `json:"input_tokens"`
				Output   int `json:"output_tokens"`
				Read     int `json:"cache_read_input_tokens"`
				Write    int `json:"cache_creation_input_tokens"`
				Creation struct {
					Long int `json:"ephemeral_1h_input_tokens"`
				} `json:"cache_creation"`
			} `json:"usage"`
		} `json:"message"`
	}
	_ = json.Unmarshal(r.raw, &l) // a record of another shape was no request
	u := l.Message.Usage
	long := min(u.Creation.Long, u.Write)
	c := Charge{
		Key: l.UUID, Model: l.Message.Model, Cost: l.CostUSD,
		Input: u.Input, Output: u.Output, Read: u.Read, Write: u.Write - long, WriteLong: long,
	}
	if l.Message.ID != "" {
		c.Key = l.Message.ID + " " + l.RequestID
	}
	return c
}

// codexState holds what lines of a rollout before say of later ones.
type codexState struct {
	model string
	total int
}

func codexCharge(r record, s *codexState) Charge {
	var l struct {
		Timestamp string `json:"timestamp"`
		Type      string `json:"type"`
		Payload   struct {
			Type  string `json:"type"`
			Model string `json:"model"`
			Info  struct {
				Total struct {
					Tokens int `json:"total_tokens"`
				} `json:"total_token_usage"`
				Last struct {
					Input  int `json:"input_tokens"`
					Cached int `json:"cached_input_tokens"`
					Output int `json:"output_tokens"`
				} `json:"last_token_usage"`
			} `json:"info"`
		} `json:"payload"`
	}
	if r.why == "" {
		return Charge{} // an item has neither
	}
	_ = json.Unmarshal(r.raw, &l) // a record of another shape was no request
	if l.Type == "turn_context" && l.Payload.Model != "" {
		s.model = l.Payload.Model
	}
	u := l.Payload.Info
	if l.Payload.Type != "token_count" || u.Total.Tokens == s.total {
		return Charge{} // the screen is told again of the same request
	}
	s.total = u.Total.Tokens
	cached := min(u.Last.Cached, u.Last.Input)
	return Charge{
		Key: l.Timestamp + " " + strconv.Itoa(u.Total.Tokens), Model: s.model,
		Input: u.Last.Input - cached, Read: cached, Output: u.Last.Output,
	}
}

func piCharge(r record, _ *codexState) Charge {
	var l struct {
		ID        string `json:"id"`
		Timestamp string `json:"timestamp"`
		Message   struct {
			Model string `json:"model"`
			Usage struct {
				Input  int `json:"input"`
				Output int `json:"output"`
				Read   int `json:"cacheRead"`
				Write  int `json:"cacheWrite"`
				Cost   struct {
					Total float64 `json:"total"`
				} `json:"cost"`
			} `json:"usage"`
		} `json:"message"`
	}
	_ = json.Unmarshal(r.raw, &l) // a record of another shape was no request
	u := l.Message.Usage
	c := Charge{Model: l.Message.Model, Input: u.Input, Output: u.Output, Read: u.Read, Write: u.Write, Cost: u.Cost.Total}
	if l.ID != "" {
		c.Key = l.ID + " " + l.Timestamp
	}
	return c
}

// openCodeTokens counts the tokens of a request, or of a step of one.
type openCodeTokens struct {
	Input     int `json:"input"`
	Output    int `json:"output"`
	Reasoning int `json:"reasoning"`
	Cache     struct {
		Read  int `json:"read"`
		Write int `json:"write"`
	} `json:"cache"`
}

func (t openCodeTokens) add(c *Charge) {
	c.Input, c.Output = c.Input+t.Input, c.Output+t.Output+t.Reasoning
	c.Read, c.Write = c.Read+t.Cache.Read, c.Write+t.Cache.Write
}

func openCodeCharge(r record, _ *codexState) Charge {
	type info struct {
		ID      string         `json:"id"`
		ModelID string         `json:"modelID"`
		Cost    float64        `json:"cost"`
		Tokens  openCodeTokens `json:"tokens"`
		Model   struct {
			ID string `json:"id"`
		} `json:"model"`
	}
	var l struct {
		info
		Info  info `json:"info"`
		Parts []struct {
			Type   string         `json:"type"`
			Tokens openCodeTokens `json:"tokens"`
		} `json:"parts"`
	}
	_ = json.Unmarshal(r.raw, &l) // a record of another shape was no request
	from := l.Info
	if from.ID == "" {
		from = l.info
	}
	c := Charge{Key: from.ID, Model: from.ModelID, Cost: from.Cost}
	if c.Model == "" {
		c.Model = from.Model.ID
	}
	steps := 0
	for _, p := range l.Parts {
		if p.Type == "step-finish" {
			p.Tokens.add(&c)
			steps++
		}
	}
	if steps == 0 || c.Prompt()+c.Output == 0 {
		from.Tokens.add(&c)
	}
	return c
}

func geminiCharge(r record, _ *codexState) Charge {
	var l struct {
		ID     string `json:"id"`
		Model  string `json:"model"`
		Tokens struct {
			Input    int `json:"input"`
			Output   int `json:"output"`
			Cached   int `json:"cached"`
			Thoughts int `json:"thoughts"`
			Tool     int `json:"tool"`
		} `json:"tokens"`
	}
	_ = json.Unmarshal(r.raw, &l) // a record of another shape was no request
	u := l.Tokens
	cached := min(u.Cached, u.Input)
	return Charge{Key: l.ID, Model: l.Model, Input: u.Input - cached + u.Tool, Read: cached, Output: u.Output + u.Thoughts}
}
