package codectest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/gemini"
	"github.com/seed-3db51b0e/precis/codec/openai"
	"github.com/seed-3db51b0e/precis/codec/responses"
	"github.com/seed-3db51b0e/precis/wirecheck"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var codecs = []codec.Incremental{anthropic.Codec{}, openai.Codec{}, responses.Codec{}, gemini.Codec{}}

// Each file holds a request in one dialect and what it becomes in the others.
// The bytes are what Encode writes, indented (go test -update rewrites them).
//
// SPEC: V3, V5
func TestConvert(t *testing.T) {
	files, err := filepath.Glob("testdata/convert/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { convert(t, file) })
	}
}

func convert(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(ar.Files) == 0 {
		t.Fatal("no input")
	}
	in := ar.Files[0]
	req, err := named(t, in.Name).Decode(compact(t, in.Data))
	if err != nil {
		t.Fatal(err)
	}
	got := []txtar.File{in}
	for _, c := range codecs {
		if c.Name() == in.Name {
			continue
		}
		out, err := c.Encode(req, req.Messages)
		if err != nil {
			t.Fatalf("%s: %v", c.Name(), err)
		}
		for _, f := range wirecheck.Check(c.Name(), out, wirecheck.Options{}) {
			t.Errorf("%s: %s", c.Name(), f)
		}
		got = append(got, txtar.File{Name: c.Name(), Data: indent(t, out)})
	}
	want := txtar.Format(ar)
	ar.Files = got
	if have := txtar.Format(ar); *update {
		if err := os.WriteFile(file, have, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(have, want) {
		t.Errorf("got\n%s", have)
	}
}

func named(t *testing.T, name string) codec.Codec {
	t.Helper()
	for _, c := range codecs {
		if c.Name() == name {
			return c
		}
	}
	t.Fatalf("no codec %q", name)
	return nil
}

func compact(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func indent(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", " "); err != nil {
		t.Fatal(err)
	}
	return []byte(strings.TrimSpace(out.String()) + "\n")
}
