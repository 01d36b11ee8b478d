// Command openai is an agent on OpenAI's official SDK that never outgrows its
// budget: the SDK gets an http.Client whose Transport compacts what it sends.
//
// Use: go run ./examples/openai, in the folder conformance. With OPENAI_API_KEY it
// asks the real model, without a fake one.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/seed-3db51b0e/precis"
	codec "github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/conformance/examples/fake"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/transport"
)

const model = "gpt-4.1"

func main() {
	steps := flag.Int("steps", 40, "most `requests`")
	budget := flag.Int("budget", 8_000, "most `tokens` of a request")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, os.Getenv("OPENAI_API_KEY"), *steps, *budget); err != nil {
		fmt.Fprintln(os.Stderr, "openai:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, key string, steps, budget int) error {
	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		return err
	}
	defer engine.Close()
	wire := &fake.Scale{RoundTripper: &http.Transport{}}
	client := &http.Client{Transport: transport.New(transport.Options{ // the one line
		Engine: engine, Base: wire, Budget: budget, Codecs: map[string]transport.Codec{"/chat/completions": codec.Codec{}},
	})}
	options := []option.RequestOption{option.WithHTTPClient(client)}
	if key == "" {
		provider := fake.Provider("openai", model, steps-1)
		defer provider.Close()
		options = append(options, option.WithBaseURL(provider.URL+"/v1"), option.WithAPIKey("none"))
	}
	defer wire.RoundTripper.(*http.Transport).CloseIdleConnections()
	return converse(ctx, out, openai.NewClient(options...), wire, steps)
}

// converse is an agent's loop as anyone writes it: the history only grows.
func converse(ctx context.Context, out io.Writer, client openai.Client, wire *fake.Scale, steps int) error {
	p := openai.ChatCompletionNewParams{
		Model: model,
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("You read manuals page by page, with the tool."),
			openai.UserMessage("How is valve 7 closed? Read page 1, then page 2, and so on. Say so if you find nothing."),
		},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "read_page", Description: openai.String("Read a page of the manual."),
			Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{"page": map[string]any{"type": "integer"}}},
		})},
	}
	for n := 1; n <= steps; n++ {
		stream := client.Chat.Completions.NewStreaming(ctx, p)
		var acc openai.ChatCompletionAccumulator
		for stream.Next() {
			acc.AddChunk(stream.Current())
		}
		if err := stream.Err(); err != nil {
			return err
		}
		history, err := json.Marshal(p.Messages)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%3d: %6d bytes of history, %6d sent\n", n, len(history), wire.Last)
		m := acc.Choices[0].Message
		p.Messages = append(p.Messages, m.ToParam())
		if len(m.ToolCalls) == 0 {
			fmt.Fprintln(out, m.Content)
			return nil
		}
		for _, c := range m.ToolCalls {
			var args struct{ Page int }
			if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil {
				return fmt.Errorf("read arguments: %w", err)
			}
			p.Messages = append(p.Messages, openai.ToolMessage(fake.Page(args.Page), c.ID))
		}
	}
	return nil
}
