package compress_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"

	"github.com/seed-3db51b0e/precis/internal/testsessions"
	"github.com/seed-3db51b0e/precis/store/internal/encoding"
)

var train = flag.String("train", "", "write a new dictionary to this file")

// TestTrain makes a dictionary out of invented sessions. One that was released
// never changes: another one is another file and another codec.
func TestTrain(t *testing.T) {
	if *train == "" {
		t.Skip("only with -train FILE")
	}
	var samples [][]byte
	for seed := range uint64(8) {
		for _, dialect := range []string{testsessions.OpenAI, testsessions.Anthropic} {
			for _, m := range testsessions.Session(100+seed, testsessions.Options{Dialect: dialect}).Messages {
				b, err := encoding.Message(m)
				noError(t, err)
				if len(b) < 3000 {
					samples = append(samples, b)
				}
			}
		}
	}
	d, err := dict.BuildZstdDict(samples, dict.Options{MaxDictSize: 8 << 10, HashBytes: 6, ZstdDictID: 1, ZstdLevel: zstd.SpeedFastest})
	noError(t, err)
	noError(t, os.WriteFile(*train, d, 0o600))
}

// SPEC: V1: what was compressed with the dictionary can be read only with the
// same bytes.
func TestDictionaryStays(t *testing.T) {
	d, err := os.ReadFile(filepath.Join("dictionary", "1"))
	noError(t, err)
	sum := sha256.Sum256(d)
	if have := hex.EncodeToString(sum[:]); have != "4254deb24ce53382e4e3b7ad69801b893ee0bb88d7b1d5931c0fb9c18f3a32f4" {
		t.Fatalf("the dictionary is another: %s", have)
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
