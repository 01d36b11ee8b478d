package main

import (
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/policy/policyfile"
	"github.com/seed-3db51b0e/precis/summary"
	"github.com/seed-3db51b0e/precis/summary/extract"
	"github.com/seed-3db51b0e/precis/summary/llm"
)

// keyVariable holds the key of the model that writes summaries: a flag would
// show it to everyone on the machine.
const keyVariable = "PRECIS_SUMMARY_KEY"

// summaryFlags name the model that writes summaries. It is asked
// with a key of its own, never with one that a request brought.
type summaryFlags struct {
	url, model string
	native     bool
	words      policyfile.Summary // of the policy's file
}

func (w *summaryFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&w.url, "summary-url", "", "`URL` of a model that writes the summaries (…/v1/messages or …/chat/completions); its key is in "+keyVariable)
	f.StringVar(&w.model, "summary-model", "", "`name` of the model at --summary-url")
	f.BoolVar(&w.native, "summary-native", false, "have the provider at --summary-url compact on demand, with its own means (Anthropic)")
}

// summarizer makes it, and says how it ends; nil where there is none.
func (w *summaryFlags) summarizer() (summary.Summarizer, func(), error) {
	if (w.url == "") != (w.model == "") {
		return nil, nil, usage("name the model with --summary-url and --summary-model", "a model that writes summaries needs a URL and a name: one is missing")
	}
	if w.url == "" && w.native {
		return nil, nil, usage("name the model with --summary-url and --summary-model", "--summary-native needs a model that writes summaries")
	}
	if w.url == "" {
		return nil, func() {}, nil
	}
	c := llm.Config{URL: w.url, Model: w.model, APIKey: os.Getenv(keyVariable), Dialect: openai.Codec{}}
	w.words.Tell(&c)
	if strings.HasSuffix(strings.TrimRight(w.url, "/"), "/messages") {
		c.Dialect = anthropic.Codec{}
	}
	s, done, err := made(c, w.native)
	if err != nil {
		return nil, nil, usage("the URL is the endpoint in full, like https://api.anthropic.com/v1/messages", "summarize with %s: %w", w.model, err)
	}
	return s, done, nil
}

func made(c llm.Config, native bool) (summary.Summarizer, func(), error) {
	if native {
		s, err := llm.NewNative(c, extract.Summarizer{})
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	}
	s, err := llm.New(c)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}
