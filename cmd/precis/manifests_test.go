package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What the manifests of examples/nodes start is what the program takes.
//
// SPEC: B14
func TestManifests(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	found := map[string]int{}
	for _, name := range []string{"compose.yaml", "kubernetes.yaml"} {
		data, err := os.ReadFile(filepath.Join("../../examples/nodes", name))
		if err != nil {
			t.Fatal(err)
		}
		for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
			var doc map[string]any
			if err := d.Decode(&doc); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, args := range commandLines(doc) {
				found[args[0]]++
				end := "--check"
				if args[0] != "serve" {
					end = "--help"
				}
				var stderr bytes.Buffer
				if code := run(t.Context(), append(args, end), bytes.NewReader(nil), io.Discard, &stderr); code != 0 {
					t.Errorf("%s: precis %v: exit code %d: %s", name, args, code, &stderr)
				}
			}
		}
	}
	if found["serve"] < 4 || found["db"] < 3 {
		t.Errorf("command lines found: %v", found)
	}
}

// commandLines are those of the program in a document: what stands under command or args
// and begins with a command of ours.
func commandLines(at any) (all [][]string) {
	switch x := at.(type) {
	case []any:
		for _, v := range x {
			all = append(all, commandLines(v)...)
		}
	case map[string]any:
		for k, v := range x {
			list, _ := v.([]any)
			if k != "command" && k != "args" || len(list) == 0 || list[0] != "serve" && list[0] != "db" {
				all = append(all, commandLines(v)...)
				continue
			}
			var args []string
			for _, s := range list {
				args = append(args, s.(string))
			}
			all = append(all, args)
		}
	}
	return all
}
