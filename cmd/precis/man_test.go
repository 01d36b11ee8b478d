package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// Every command that help lists has a manual page with its text and flags, which groff
// reads without a warning.
func TestManPages(t *testing.T) {
	std := newStreams(&bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{})
	root := commands(&app{threads: &threads{database: &database{streams: std}}, modelTable: &modelTable{std: std}})
	pages := map[string]string{}
	manual(root, pages)
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "completion" {
			continue
		}
		page := pages["precis-"+c.Name()+".1"]
		for _, want := range []string{".SH NAME", roff(c.Short), roff(c.Long), roff(c.Example)} {
			if !strings.Contains(page, want) {
				t.Errorf("the page of %s does not say %.80q", c.Name(), want)
			}
		}
	}
	if page := pages["precis-compact.1"]; !strings.Contains(page, `\-b, \-\-budget tokens`) || !strings.Contains(page, "SEE ALSO\n.nf\nprecis(1)") {
		t.Errorf("the page of compact:\n%s", page)
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("no groff to read the pages with")
	}
	for name, page := range pages {
		c := exec.Command("groff", "-k", "-man", "-Tutf8", "-ww", "-z")
		c.Stdin = strings.NewReader(page)
		if out, err := c.CombinedOutput(); err != nil || strings.Contains(string(out), "warning") && !strings.Contains(string(out), "break") {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}

// No page has an address from the environment of the machine it was made on.
func TestManPagesTellNoAddress(t *testing.T) {
	for _, api := range upstreamAPIs {
		t.Setenv(api.variable, "https://internal.example/"+api.name)
	}
	std := newStreams(&bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{})
	pages := map[string]string{}
	manual(commands(&app{threads: &threads{database: &database{streams: std}}, modelTable: &modelTable{std: std}}), pages)
	for name, page := range pages {
		if strings.Contains(page, "internal.example") {
			t.Errorf("%s names an address of this machine", name)
		}
	}
}
