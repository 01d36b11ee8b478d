package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/proxy"
)

const tenantLong = `Tenant prints the name that stands for a credential in a config file, and in the
log's database: a shortened hash, which does not reveal the credential. Standard
input is the header that the client sends, as it sends it; nothing is kept. A key
that Gemini's clients send in the address (?key=) is that of X-Goog-Api-Key.`

const tenantExample = `  echo "Authorization: Bearer $OPENAI_API_KEY" | precis tenant
  echo "X-Api-Key: $ANTHROPIC_API_KEY" | precis tenant
  echo "X-Our-Key: $OUR_KEY" | precis tenant --credential-header X-Our-Key`

func tenantCommand(std *streams) *cobra.Command {
	var more []string
	c := &cobra.Command{
		Use: "tenant", Short: "print the name that stands for a credential", Long: tenantLong, Example: tenantExample, Args: arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := (proxy.Tenancy{Headers: more}).Validate(); err != nil {
				return usage(headerHint, "read --credential-header: %w", err)
			}
			return tenant(c.Context(), std, more)
		},
	}
	c.Flags().StringSliceVar(&more, "credential-header", nil, "one more `header` that says who calls, as of precis serve")
	return c
}

// keyed are the headers that hold more than the name of a scheme: a variable that is not set
// leaves no more.
func keyed(h textproto.MIMEHeader) http.Header {
	out := http.Header{}
	for name, values := range h {
		for _, v := range values {
			if v != "" && !strings.EqualFold(v, "Bearer") && !strings.EqualFold(v, "Basic") {
				out.Add(name, v)
			}
		}
	}
	return out
}

func tenant(ctx context.Context, std *streams, more []string) error {
	const most = 64 << 10
	text, err := inTime(ctx, func(context.Context) ([]byte, error) { return io.ReadAll(io.LimitReader(std.stdin, most)) })
	if err != nil {
		return fail("", "read header: %w", err)
	}
	r := textproto.NewReader(bufio.NewReader(strings.NewReader(strings.TrimSpace(string(text)) + "\r\n\r\n")))
	h, err := r.ReadMIMEHeader()
	who := proxy.Credential(http.Header(h), more...)
	if err != nil || who == proxy.Credential(nil) || who != proxy.Credential(keyed(h), more...) {
		return usage("write it to standard input as Authorization: Bearer KEY, or X-Api-Key: KEY; --credential-header names a header of your own", "read header: it holds no credential, or one without a key") // what was given stays unsaid
	}
	if std.json {
		return std.object(map[string]string{"credential": who})
	}
	_, err = fmt.Fprintln(std.out, who)
	return err
}
