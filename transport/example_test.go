package transport_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/transport"
)

// One line makes any client's prompts fit. SDKs take such a client, too:
// option.WithHTTPClient(client) of the official ones.
func Example() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Println("the provider is sent less than a quarter:", n < 60_000)
	}))
	defer provider.Close()
	engine, err := precis.New(precis.Options{Store: memory.New()})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	client := &http.Client{}
	defer client.CloseIdleConnections()

	client.Transport = transport.New(transport.Options{
		Engine: engine, Budget: 8_000, Codecs: map[string]transport.Codec{"/chat/completions": openai.Codec{}},
	})

	history := `{"role":"user","content":"Which pages fail?"}`
	for i := range 60 {
		history += fmt.Sprintf(`,{"role":"assistant","tool_calls":[{"id":"call_%[1]d","type":"function","function":{"name":"fetch","arguments":"{\"page\":%[1]d}"}}]}`+
			`,{"role":"tool","tool_call_id":"call_%[1]d","content":"%s"}`, i, strings.Repeat(fmt.Sprintf("page %d answers with status 200; ", i), 120))
	}
	resp, err := client.Post(provider.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"gpt-4.1","messages":[`+history+`]}`))
	if err != nil {
		panic(err)
	}
	_ = resp.Body.Close()
	// Output: the provider is sent less than a quarter: true
}
