package convert

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/internal/jsonedit"
)

// Decode reads a request's body, and notes where its members are. member must read
// the value of each. Without messages the body is malformed where they are required.
func Decode(req *codec.Request, required bool, member func(r *jsonedit.Reader, name []byte) error) error {
	r := jsonedit.NewReader(req.Body)
	_, err := r.Object(func(name []byte) error {
		key := string(name)
		r.Kind() // skips to the value
		from := r.Offset()
		err := member(r, name)
		req.Index(key, from, r.Offset())
		return err
	})
	if err == nil {
		err = r.End()
	}
	if err == nil && required && req.Messages == nil {
		err = errors.New("no messages")
	}
	if err != nil {
		return fmt.Errorf("decode %s request: %w: %w", req.Dialect, codec.ErrMalformed, err)
	}
	return nil
}

// Limit reads a cap in tokens: 0 for what is no whole number above it. A client may write
// the number with a fraction of zero or an exponent, and -1 for no cap.
func Limit(raw []byte) int {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || f > math.MaxInt32 || f != math.Trunc(f) {
		return 0
	}
	return int(f)
}

// Life reads how long a cache is asked to live, such as "1h"; 0 for what is no such text.
func Life(raw []byte) time.Duration {
	life, err := time.ParseDuration(jsonedit.TextOf(raw))
	if err != nil {
		return 0 // the provider says what it makes of it
	}
	return max(life, 0)
}

// inMemory is how long OpenAI keeps a prompt at least where it is kept in memory only.
const inMemory = 5 * time.Minute

// Retention reads OpenAI's prompt_cache_retention: in_memory, or how long. Many of its models keep
// a prompt for a day unless they are told otherwise.
func Retention(raw []byte) time.Duration {
	if s := jsonedit.TextOf(raw); s == "in_memory" || s == "in-memory" { // some SDKs write it so
		return inMemory
	}
	return Life(raw)
}

// Splice is Request.Splice with the tools that are declared besides, in the form
// that write gives them.
func Splice(req *codec.Request, write func(codec.Tool) []byte, edits ...codec.Edit) []byte {
	if len(req.More) > 0 {
		edits = append(edits, codec.Edit{Name: "tools", With: func(old []byte) [][]byte {
			all := jsonedit.Elements(old)
			for _, t := range req.More {
				all = append(all, write(t))
			}
			return jsonedit.Pieces(old, all)
		}})
	}
	if len(edits) == 0 {
		return req.Body
	}
	return req.Splice(edits...)
}

// Declare is the request with more tools.
func Declare(req *codec.Request, tools []codec.Tool) *codec.Request {
	more := *req
	more.More = append(req.More[:len(req.More):len(req.More)], tools...)
	return &more
}

// Tools writes the tools of a request as a new array, nil if there are none: those
// of its own dialect as they came, others with write. A tool that runs at another
// provider cannot be carried.
func Tools(req *codec.Request, dialect string, write func(codec.Tool) []byte) []byte {
	var out [][]byte
	for _, t := range slices.Concat(req.Tools, req.More) {
		switch {
		case t.Raw != nil && req.Dialect == dialect:
			out = append(out, t.Raw)
		case t.Raw == nil || t.Schema != nil:
			out = append(out, write(t))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return jsonedit.Join(nil, out)
}

// Usage reads the counts of an answer, whose members are named after its input and
// its output: prompt_tokens, prompt_tokens_details. The input includes what a
// cache had or got.
func Usage(raw []byte, input, output string) codec.Usage {
	var u codec.Usage
	for _, m := range jsonedit.Members(raw) {
		switch m.Name {
		case input + "_tokens":
			u.Input = jsonedit.Int(m.Value)
		case output + "_tokens":
			u.Output = jsonedit.Int(m.Value)
		case input + "_tokens_details":
			u.CacheRead = jsonedit.Int(jsonedit.Get(m.Value, "cached_tokens"))
			u.CacheWrite = jsonedit.Int(jsonedit.Get(m.Value, "cache_write_tokens"))
		case output + "_tokens_details":
			u.Reasoning = jsonedit.Int(jsonedit.Get(m.Value, "reasoning_tokens"))
		}
	}
	u.Context = u.Input
	return u
}
