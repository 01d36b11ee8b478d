package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
)

// agent works on a task: it asks the model, runs the tools that the model
// calls, and asks again.
type agent struct {
	url     string
	request codec.Request // model, system prompt, tools, output cap
	loop    *precis.Loop
	limit   int // most rounds
	harbour *harbour
	store   store.Store // where recall finds the log
	key     store.Key
	tally   tally
	verbose bool
}

// errLimit ends a run that goes on for too long.
var errLimit = errors.New("the agent does not come to an end")

// run is the loop to copy. It works on a task until the model answers without a
// call. The history only grows; what is sent is what Précis makes of it.
func (a *agent) run(ctx context.Context, task string) (string, error) {
	history := []message.Message{message.TextOf(message.User, task)}
	for range a.limit {
		prompt, err := a.loop.PrepareStep(ctx, history)
		if err != nil {
			return "", err
		}
		reply, err := a.ask(ctx, history, prompt)
		for err == nil && reply.Stop.Truncated() {
			if history, prompt, err = a.loop.HandleTruncated(ctx, history, reply); err == nil {
				reply, err = a.ask(ctx, history, prompt)
			}
		}
		if err != nil {
			return "", err
		}
		history = append(history, reply.Messages()...)
		if reply.Stop != codec.StopCalls {
			return textOf(reply.Message), nil
		}
		history = append(history, a.results(ctx, reply.Message)...)
	}
	return "", errLimit
}

// ask sends a prompt. Where the provider finds it too long after all, it sends
// once more, what Précis then makes of the history.
func (a *agent) ask(ctx context.Context, history, prompt []message.Message) (*codec.Reply, error) {
	reply, err := a.send(ctx, prompt)
	if refused := new(codec.Failure); errors.As(err, &refused) {
		shorter, retry, failed := a.loop.HandleOverflow(ctx, history, refused.Status, refused.Error())
		if !retry {
			return nil, errors.Join(err, failed)
		}
		a.tally.retries++
		reply, err = a.send(ctx, shorter)
	}
	if err == nil {
		a.loop.Observe(reply.Usage)
	}
	return reply, err
}

// plain is the loop before Précis: the whole history goes out every time.
func (a *agent) plain(ctx context.Context, task string) (string, error) {
	history := []message.Message{message.TextOf(message.User, task)}
	for range a.limit {
		reply, err := a.send(ctx, history)
		if err != nil {
			return "", err
		}
		history = append(history, reply.Messages()...)
		if reply.Stop != codec.StopCalls {
			return textOf(reply.Message), nil
		}
		history = append(history, a.results(ctx, reply.Message)...)
	}
	return "", errLimit
}

// send posts one request. An error body is a *codec.Failure.
func (a *agent) send(ctx context.Context, prompt []message.Message) (*codec.Reply, error) {
	body, err := openai.Codec{}.Encode(&a.request, prompt)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	reply, err := openai.Codec{}.Reply(res.StatusCode, answer)
	if err == nil {
		a.tally.take(reply, a.loop.Turn())
	}
	return reply, err
}

// results holds what the calls of a reply return, and what the user said
// meanwhile.
func (a *agent) results(ctx context.Context, m message.Message) []message.Message {
	var out []message.Message
	for _, i := range m.Calls() {
		call := m.Parts[i]
		result := a.result(ctx, call.Name, call.Args)
		if a.verbose {
			fmt.Printf("%s %s\n  %s\n", call.Name, call.Args, lastLine(result))
		}
		out = append(out, message.Message{Role: message.Tool, Parts: []message.Part{
			{Kind: message.Result, CallID: call.CallID, Parts: []message.Part{{Kind: message.Text, Text: result}}},
		}})
	}
	if said, ok := a.harbour.said(); ok {
		out = append(out, message.TextOf(message.User, said))
	}
	return out
}

// result runs one tool: those of recall on the log, the others in the harbour.
func (a *agent) result(ctx context.Context, tool, args string) string {
	if looksUp(tool) {
		a.tally.recalls++
		return lookup(ctx, a.store, a.key, tool, args)
	}
	return a.harbour.do(tool, args)
}

func textOf(m message.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Body())
	}
	return b.String()
}

func lastLine(s string) string {
	s = strings.TrimSuffix(s, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}
