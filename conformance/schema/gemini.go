package schema

import (
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/genai"
)

// generateContent is a request of the Gemini API, of the types of Google's SDK. The SDK
// publishes no schema: what its types do not know is refused.
type generateContent struct {
	Model             string                  `json:"model"`
	Contents          []*genai.Content        `json:"contents"`
	SystemInstruction *genai.Content          `json:"systemInstruction"`
	Tools             []*genai.Tool           `json:"tools"`
	ToolConfig        *genai.ToolConfig       `json:"toolConfig"`
	GenerationConfig  *genai.GenerationConfig `json:"generationConfig"`
	SafetySettings    []*genai.SafetySetting  `json:"safetySettings"`
	CachedContent     string                  `json:"cachedContent"`
	Labels            map[string]string       `json:"labels"`
}

// Gemini judges a body of POST /v1beta/models/MODEL:generateContent.
func Gemini(body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	var r generateContent
	if err := d.Decode(&r); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if len(r.Contents) == 0 {
		return fmt.Errorf("%w: missing property 'contents'", ErrInvalid)
	}
	return nil
}
