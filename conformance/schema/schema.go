// Package schema judges request bodies by what the providers publish: the
// second judge beside package wirecheck.
//
// Use: Check, or the function of one dialect. Law: what a provider's format is
// is not written by hand, but for a few members listed in gotypes.go; it is read
// from the module of the provider's Go SDK, whose version go.mod pins. Promise: no
// network; run it inside this module after "go mod download".
//
// Anthropic's SDK ships the OpenAPI document, so its schema is the provider's
// own. OpenAI's ships none: its schema is derived from the declarations of the
// SDK's parameter types, which are generated from the document. It knows
// members, types, constants and enumerations, but no lengths and patterns. Google's ships
// none either: a body is read into the SDK's own types.
package schema

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ErrInvalid is wrapped by the error about a body that its schema refuses.
var ErrInvalid = errors.New("body against its schema")

// Anthropic judges a body of POST /v1/messages.
func Anthropic(body []byte) error { return validate(anthropic, body) }

// AnthropicBeta judges a body of POST /v1/messages?beta=true.
func AnthropicBeta(body []byte) error { return validate(anthropicBeta, body) }

// OpenAI judges a body of POST /v1/chat/completions.
func OpenAI(body []byte) error { return validate(openAI, body) }

// Responses judges a body of POST /v1/responses.
func Responses(body []byte) error { return validate(responses, body) }

// Check judges a body by the name of its dialect: "anthropic",
// "anthropic-beta", "openai" (Chat Completions), "responses" or "gemini".
func Check(provider string, body []byte) error {
	switch provider {
	case "anthropic":
		return Anthropic(body)
	case "anthropic-beta":
		return AnthropicBeta(body)
	case "openai":
		return OpenAI(body)
	case "responses":
		return Responses(body)
	case "gemini":
		return Gemini(body)
	}
	return fmt.Errorf("check body: no schema of provider %q", provider)
}

type loader func() (*jsonschema.Schema, error)

var (
	anthropicSpec = sync.OnceValues(readAnthropic)
	anthropic     = once(func() (*jsonschema.Schema, error) { return compile(anthropicSpec, "CreateMessageParams") })
	anthropicBeta = once(func() (*jsonschema.Schema, error) { return compile(anthropicSpec, "BetaCreateMessageParams") })
	openAISpec    = sync.OnceValues(readOpenAI)
	openAI        = once(func() (*jsonschema.Schema, error) { return compile(openAISpec, chatParams) })
	responses     = once(func() (*jsonschema.Schema, error) { return compile(openAISpec, responseParams) })
)

func once(f loader) loader { return sync.OnceValues(f) }

// compile compiles one of a document's components/schemas.
func compile(read func() (map[string]any, error), name string) (*jsonschema.Schema, error) {
	doc, err := read()
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseRegexpEngine(pattern)
	if err := c.AddResource("spec.json", doc); err != nil {
		return nil, fmt.Errorf("add schema: %w", err)
	}
	s, err := c.Compile("spec.json#/components/schemas/" + name)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return s, nil
}

func validate(load loader, body []byte) error {
	s, err := load()
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	var bad *jsonschema.ValidationError
	if err := s.Validate(v); errors.As(err, &bad) {
		return fmt.Errorf("%w: %s", ErrInvalid, explain(bad))
	} else if err != nil {
		return err
	}
	return nil
}

var codeUnit = regexp.MustCompile(`\\u([0-9a-fA-F]{4})`)

// pattern compiles an ECMA-262 pattern, which writes a code unit as \u2028.
func pattern(s string) (jsonschema.Regexp, error) {
	return regexp.Compile(codeUnit.ReplaceAllString(s, `\x{$1}`))
}
