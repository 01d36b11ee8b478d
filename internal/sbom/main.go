// Command sbom writes the software bill of materials of a Go program: the modules that the
// go command recorded in it, as CycloneDX 1.6 in JSON.
//
// Use: sbom PROGRAM VERSION DOCUMENT. Law: nothing but the program is read. Promise: the
// same program gives the same bytes.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strings"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM VERSION DOCUMENT")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

type bill struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	URL        string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

func write(program, version, document string) error {
	b, err := billOf(program, version)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(document, append(text, '\n'), 0o644)
}

// billOf reads the modules of a program; the version of its own module is given.
func billOf(program, version string) (bill, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return bill{}, err
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return bill{}, err
	}
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1}
	self := module("application", info.Main.Path, version)
	self.Name = path.Base(info.Path)
	self.Hashes = []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(content))}}
	for _, s := range info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" {
			self.Properties = append(self.Properties, property{s.Key, s.Value})
		}
	}
	b.Metadata.Component = self
	b.Components = append(b.Components, module("library", "stdlib", strings.TrimPrefix(info.GoVersion, "go")))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := module("library", m.Path, m.Version)
		if m.Sum != "" {
			c.Properties = []property{{"go.sum", m.Sum}}
		}
		b.Components = append(b.Components, c)
	}
	needs := dependency{Ref: self.Ref}
	for _, c := range b.Components {
		needs.On = append(needs.On, c.Ref)
	}
	b.Dependencies = []dependency{needs}
	return b, nil
}

// module is one with its package URL, which is its reference, too.
func module(kind, name, version string) component {
	url := "pkg:golang/" + name + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: kind, Ref: url, Name: name, Version: version, URL: url}
}
