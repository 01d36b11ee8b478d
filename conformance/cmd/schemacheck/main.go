// Command schemacheck judges request bodies by the providers' published
// schemas. It reads one body a line on standard input,
//
//	{"provider": "anthropic", "body": {…}}
//
// with provider anthropic, anthropic-beta, openai, responses or gemini, and writes
// a line for each that is refused. It ends with 1 if any was, with 2 if it could
// not read or found nothing to judge. Run it inside its module: it reads the
// schemas from the SDKs that go.mod requires.
package main

import (
	"fmt"
	"os"

	"github.com/seed-3db51b0e/precis/conformance/schema"
)

func main() {
	read, refused, err := schema.Lines(os.Stdin, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "schemacheck:", err)
		os.Exit(2)
	case read == 0:
		fmt.Fprintln(os.Stderr, "schemacheck: nothing to judge")
		os.Exit(2)
	}
	fmt.Fprintf(os.Stderr, "schemacheck: %d bodies, %d refused\n", read, refused)
	if refused > 0 {
		os.Exit(1)
	}
}
