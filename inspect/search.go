package inspect

import (
	"errors"
	"net/http"

	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
)

// Hit is a message that a search found.
type Hit struct {
	Ref     string   `json:"ref"`
	Number  int      `json:"number"`
	Turn    int      `json:"turn"`
	Role    string   `json:"role"`
	Tool    string   `json:"tool,omitempty"`
	Score   float64  `json:"score"`
	Line    int      `json:"line"`
	Text    string   `json:"text"`
	State   string   `json:"state"` // a State, or that it was said in an earlier conversation
	Records []string `json:"records,omitempty"`
}

// Hits are the results of a search, best first.
type Hits struct {
	Page
	Query string `json:"query"`
	Hits  []Hit  `json:"hits"`
}

// searchIn ranks as the recall tools do.
func searchIn(v *view, r *http.Request) (any, error) {
	q := r.URL.Query().Get("q")
	out := Hits{Query: q, Hits: []Hit{}}
	if q == "" {
		return out, nil
	}
	const most = 100
	from, err := number(r.URL.Query(), "from", 0, 0, 1<<30)
	if err != nil {
		return nil, err
	}
	limit, err := number(r.URL.Query(), "limit", 20, 1, most)
	if err != nil {
		return nil, err
	}
	found, err := v.reader.Search(r.Context(), recall.Topic{Text: q, Limit: limit, Skip: from, Neighbours: -1, Width: 300, Covered: r.URL.Query().Has("covered")})
	if errors.Is(err, recall.ErrMiss) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.Page = Page{from, found.Total}
	for _, h := range found.Hits {
		out.Hits = append(out.Hits, Hit{h.Ref, h.Number, h.Turn, string(h.Role), h.Tool, h.Score, h.Line, h.Text, stateCalled(h.State, h.Records), h.Records})
	}
	return out, nil
}

// stateCalled is what the page calls a state that recall names by what a record does.
func stateCalled(act string, records []string) string {
	if len(records) == 0 || act == string(Whole) {
		return act
	}
	switch a := plan.Action(act); a {
	case plan.Summarize, plan.Externalize, plan.Clear, plan.Drop:
		return string(stateOf(&plan.Record{Action: a}))
	}
	return string(stateOf(&plan.Record{Action: plan.Replace, Kind: plan.ReplaceKind(act)}))
}
