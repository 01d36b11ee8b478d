//go:build ignore

// Generate writes the vocabularies as merges: o200k.merges and cl100k.merges.
// It takes the ranks from the codecs of github.com/tiktoken-go/tokenizer (MIT),
// which hold OpenAI's published files; the tests compare the result with the
// hash that OpenAI publishes for each.
//
//	go run generate.go
package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"os"

	"github.com/tiktoken-go/tokenizer"
)

func main() {
	for name, encoding := range map[string]tokenizer.Encoding{
		"o200k": tokenizer.O200kBase, "cl100k": tokenizer.Cl100kBase,
	} {
		data, err := merges(encoding)
		if err != nil {
			log.Fatalf("generate %s: %v", name, err)
		}
		if err := os.WriteFile(name+".merges", data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// merges writes each token in the order of its id: 0 and the byte for a single
// byte, else the two tokens that byte-pair encoding makes it of, the left one
// plus 1, as uvarints.
func merges(encoding tokenizer.Encoding) ([]byte, error) {
	codec, err := tokenizer.Get(encoding)
	if err != nil {
		return nil, err
	}
	ids := map[string]int{}
	var out []byte
	for id := 0; ; id++ {
		token, err := codec.Decode([]uint{uint(id)})
		if err != nil {
			fmt.Println(encoding, id, "tokens")
			return out, nil
		}
		ids[token] = id
		if len(token) == 1 {
			out = append(out, 0, token[0])
			continue
		}
		left, right, err := split(token, ids)
		if err != nil {
			return nil, err
		}
		out = binary.AppendUvarint(out, uint64(left)+1)
		out = binary.AppendUvarint(out, uint64(right))
	}
}

// split merges the bytes of a token with the tokens before it, which must end
// in two.
func split(token string, ids map[string]int) (left, right int, err error) {
	parts := make([]string, len(token))
	for i := range len(token) {
		parts[i] = token[i : i+1]
	}
	whole := ids[token]
	for {
		best, at := whole, -1
		for i := range len(parts) - 1 {
			if id, ok := ids[parts[i]+parts[i+1]]; ok && id < best {
				best, at = id, i
			}
		}
		if at < 0 {
			break
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
	if len(parts) != 2 {
		return 0, 0, fmt.Errorf("token %d %q has no pair of its own: %q", whole, token, parts)
	}
	return ids[parts[0]], ids[parts[1]], nil
}
