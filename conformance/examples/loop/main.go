// Command loop is an agent on OpenAI's official SDK whose prompts a precis.Loop
// prepares: the history is the program's own, and the SDK sends what the loop makes of
// it.
//
// Use: go run ./examples/loop, in the folder conformance. With OPENAI_API_KEY it asks
// the real model, without a fake one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	wire "github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/conformance/examples/fake"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
	"github.com/seed-3db51b0e/precis/report"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

func main() {
	steps := flag.Int("steps", 40, "most `requests`")
	budget := flag.Int("budget", 8_000, "most `tokens` of a request")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, os.Getenv("OPENAI_API_KEY"), *steps, *budget); err != nil {
		fmt.Fprintln(os.Stderr, "loop:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, key string, steps, budget int) error {
	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		return err
	}
	defer engine.Close()
	m, _ := model.Lookup("gpt-4.1")
	meter, err := bpe.Meter(m) // exact counts
	if err != nil {
		return err
	}
	connections := &http.Transport{}
	defer connections.CloseIdleConnections()
	options := []option.RequestOption{option.WithHTTPClient(&http.Client{Transport: connections})}
	if key == "" {
		provider := fake.Provider("openai", m.Name, steps-1)
		defer provider.Close()
		options = append(options, option.WithBaseURL(provider.URL+"/v1"), option.WithAPIKey("none"))
	}
	a := agent{client: openai.NewClient(options...), request: codec.Request{Model: m.Name, Tools: []codec.Tool{{
		Name: "read_page", Description: "Read a page of the manual.",
		Schema: json.RawMessage(`{"type":"object","properties":{"page":{"type":"integer"}}}`),
	}}}}
	a.loop = engine.Loop(precis.Input{Thread: "manuals", Model: m, Meter: meter, Budget: budget, Tools: a.request.Tools})
	return a.work(ctx, out, steps)
}

// agent is a client of the SDK and the loop that prepares its prompts.
type agent struct {
	client  openai.Client
	request codec.Request // what every request has beside its messages
	loop    *precis.Loop
}

// work is the agent's loop: the history only grows.
func (a agent) work(ctx context.Context, out io.Writer, steps int) error {
	history := []message.Message{
		message.TextOf(message.System, "You read manuals page by page, with the tool."),
		message.TextOf(message.User, "How is valve 7 closed? Read page 1, then page 2, and so on. Say so if you find nothing."),
	}
	for n := 1; n <= steps; n++ {
		prompt, err := a.loop.PrepareStep(ctx, history)
		if err != nil {
			return err
		}
		reply, err := a.ask(ctx, prompt)
		var refused *openai.Error
		if errors.As(err, &refused) { // "too long" is answered once, with a shorter prompt
			shorter, retry, failed := a.loop.HandleOverflow(ctx, history, refused.StatusCode, refused.RawJSON())
			if failed != nil || !retry {
				return errors.Join(err, failed)
			}
			reply, err = a.ask(ctx, shorter)
		}
		if err != nil {
			return err
		}
		a.loop.Observe(reply.Usage)
		fmt.Fprintf(out, "%3d: %3d messages of history, %6d tokens sent\n", n, len(history), a.loop.Turn().Compacted)
		history = append(history, reply.Messages()...)
		if reply.Stop != codec.StopCalls {
			fmt.Fprintln(out, reply.Message.Parts[0].Text)
			fmt.Fprint(out, report.Of(a.loop.Turn()))
			return nil
		}
		if history, err = results(history, reply.Message); err != nil {
			return err
		}
	}
	return nil
}

// ask sends a prompt with the SDK: the codec writes the request, and reads the answer
// that the SDK received.
func (a agent) ask(ctx context.Context, prompt []message.Message) (*codec.Reply, error) {
	body, err := wire.Codec{}.Encode(&a.request, prompt)
	if err != nil {
		return nil, err
	}
	answer, err := a.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{}, option.WithRequestBody("application/json", body))
	if err != nil {
		return nil, err
	}
	return wire.Codec{}.Reply(http.StatusOK, []byte(answer.RawJSON()))
}

// results runs the calls of a message, and adds what came of them.
func results(history []message.Message, m message.Message) ([]message.Message, error) {
	for _, n := range m.Calls() {
		call := m.Parts[n]
		var args struct{ Page int }
		if err := json.Unmarshal([]byte(call.Args), &args); err != nil {
			return nil, fmt.Errorf("read arguments: %w", err)
		}
		history = append(history, message.Message{Role: message.Tool, Parts: []message.Part{
			{Kind: message.Result, CallID: call.CallID, Parts: []message.Part{{Kind: message.Text, Text: fake.Page(args.Page)}}},
		}})
	}
	return history, nil
}
