// Command anthropic is an agent on Anthropic's official SDK that never outgrows
// its budget: the SDK gets an http.Client whose Transport compacts what it sends.
//
// Use: go run ./examples/anthropic, in the folder conformance. With
// ANTHROPIC_API_KEY it asks the real model, without a fake one.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/seed-3db51b0e/precis"
	codec "github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/conformance/examples/fake"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/transport"
)

const model = "claude-haiku-4-5"

func main() {
	steps := flag.Int("steps", 40, "most `requests`")
	budget := flag.Int("budget", 8_000, "most `tokens` of a request")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, os.Getenv("ANTHROPIC_API_KEY"), *steps, *budget); err != nil {
		fmt.Fprintln(os.Stderr, "anthropic:", err)
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
		Engine: engine, Base: wire, Budget: budget, Codecs: map[string]transport.Codec{"/messages": codec.Codec{}},
	})}
	options := []option.RequestOption{option.WithHTTPClient(client)}
	if key == "" {
		provider := fake.Provider("anthropic", model, steps-1)
		defer provider.Close()
		options = append(options, option.WithBaseURL(provider.URL), option.WithAPIKey("none"))
	}
	defer wire.RoundTripper.(*http.Transport).CloseIdleConnections()
	return converse(ctx, out, anthropic.NewClient(options...), wire, steps)
}

// converse is an agent's loop as anyone writes it: the history only grows.
func converse(ctx context.Context, out io.Writer, client anthropic.Client, wire *fake.Scale, steps int) error {
	tool := anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{Properties: map[string]any{"page": map[string]any{"type": "integer"}}}, "read_page")
	tool.OfTool.Description = anthropic.String("Read a page of the manual.")
	p := anthropic.MessageNewParams{
		Model: model, MaxTokens: 1024, Tools: []anthropic.ToolUnionParam{tool},
		System: []anthropic.TextBlockParam{{Text: "You read manuals page by page, with the tool."}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(
			"How is valve 7 closed? Read page 1, then page 2, and so on. Say so if you find nothing."))},
	}
	for n := 1; n <= steps; n++ {
		stream := client.Messages.NewStreaming(ctx, p)
		var m anthropic.Message
		for stream.Next() {
			if err := m.Accumulate(stream.Current()); err != nil {
				return err
			}
		}
		if err := stream.Err(); err != nil {
			return err
		}
		history, err := json.Marshal(p.Messages)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%3d: %6d bytes of history, %6d sent\n", n, len(history), wire.Last)
		p.Messages = append(p.Messages, m.ToParam())
		var results []anthropic.ContentBlockParamUnion
		for _, b := range m.Content {
			switch b := b.AsAny().(type) {
			case anthropic.TextBlock:
				if m.StopReason == anthropic.StopReasonEndTurn {
					fmt.Fprintln(out, b.Text)
				}
			case anthropic.ToolUseBlock:
				var args struct{ Page int }
				if err := json.Unmarshal(b.Input, &args); err != nil {
					return fmt.Errorf("read arguments: %w", err)
				}
				results = append(results, anthropic.NewToolResultBlock(b.ID, fake.Page(args.Page), false))
			}
		}
		if results == nil {
			return nil
		}
		p.Messages = append(p.Messages, anthropic.NewUserMessage(results...))
	}
	return nil
}
