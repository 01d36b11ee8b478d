package sdk_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"google.golang.org/genai"
)

// contents uses Google's SDK. It keeps an answer as one content, as its chat does with
// one that is not streamed.
type contents struct {
	sdk  *genai.Client
	list []*genai.Content
	last []call
}

func newContents(url string, h *http.Client, retries int) *contents {
	attempts, delay := int32(retries)+1, 0.001
	sdk, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey: key, Backend: genai.BackendGeminiAPI, HTTPClient: h,
		HTTPOptions: genai.HTTPOptions{BaseURL: url, RetryOptions: &genai.HTTPRetryOptions{Attempts: &attempts, InitialDelay: &delay, Jitter: &delay}},
	})
	if err != nil {
		panic(err) // the configuration is ours
	}
	return &contents{sdk: sdk}
}

func (c *contents) user(text string) {
	c.list = append(c.list, genai.NewContentFromText(text, genai.RoleUser))
}

func (c *contents) ask(ctx context.Context, stream bool) (said, error) {
	config := &genai.GenerateContentConfig{
		SystemInstruction: &genai.Content{Parts: []*genai.Part{{Text: system}}},
		Tools:             []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "read_file", ParametersJsonSchema: parameters}}}},
		ThinkingConfig:    &genai.ThinkingConfig{IncludeThoughts: true},
	}
	var out said
	answer := &genai.Content{Role: genai.RoleModel}
	take := func(r *genai.GenerateContentResponse) {
		if r.UsageMetadata != nil {
			out.input = int64(r.UsageMetadata.PromptTokenCount)
		}
		for _, part := range r.Candidates[0].Content.Parts {
			joined(answer, part)
		}
	}
	if stream {
		for r, err := range c.sdk.Models.GenerateContentStream(ctx, "gemini-3-flash-preview", c.list, config) {
			if err != nil {
				return said{}, err
			}
			take(r)
		}
	} else {
		r, err := c.sdk.Models.GenerateContent(ctx, "gemini-3-flash-preview", c.list, config)
		if err != nil {
			return said{}, err
		}
		take(r)
	}
	signature := ""
	for _, p := range answer.Parts {
		signature += base64.StdEncoding.EncodeToString(p.ThoughtSignature)
		switch {
		case p.Thought:
			out.thinking += p.Text
		case p.FunctionCall != nil:
			out.calls = append(out.calls, call{p.FunctionCall.ID, p.FunctionCall.Name, written(p.FunctionCall.Args)})
		default:
			out.text += p.Text
		}
	}
	out.thinking += "|" + signature
	c.list, c.last = append(c.list, answer), out.calls
	return out, nil
}

// joined adds a part to a content: text to text of its kind.
func joined(to *genai.Content, p *genai.Part) {
	isText := func(p *genai.Part) bool { return p.FunctionCall == nil && p.ThoughtSignature == nil }
	if n := len(to.Parts); n > 0 && isText(p) && isText(to.Parts[n-1]) && (p.Text == "" || p.Thought == to.Parts[n-1].Thought) {
		to.Parts[n-1].Text += p.Text
		return
	}
	if p.Text != "" || !isText(p) {
		copied := *p
		to.Parts = append(to.Parts, &copied)
	}
}

// written is a call's arguments as the model wrote them.
func written(args map[string]any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(args) // it was read from JSON
	return string(bytes.TrimSpace(b.Bytes()))
}

func (c *contents) results(texts []string) {
	answer := &genai.Content{Role: genai.RoleUser}
	for i, text := range texts {
		part := genai.NewPartFromFunctionResponse(c.last[i].name, map[string]any{"output": text})
		part.FunctionResponse.ID = c.last[i].id
		answer.Parts = append(answer.Parts, part)
	}
	c.list = append(c.list, answer)
}
