package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"os"
	"path/filepath"

	"github.com/seed-3db51b0e/precis/replay"
)

//go:embed prompt.html
var promptText string

var promptTemplate = template.Must(template.New("prompt").Parse(promptText))

// promptFolder holds the prompts that a page leads to.
const promptFolder = "prompts"

// Prompts writes prompts that lack something as pages into a folder beside page.html,
// and returns their addresses as page.html writes them.
func Prompts(folder string) func(replay.Kept) (string, error) {
	return func(k replay.Kept) (string, error) {
		h := fnv.New32a()
		_, _ = fmt.Fprintf(h, "%s %s", k.Policy, k.Run) // a hash takes everything
		run := slug(k.Run)
		name := fmt.Sprintf("%s-%d-%s-%d-%08x.html", slug(k.Policy), k.Budget, run[:min(len(run), 40)], k.Step, h.Sum32())
		var b bytes.Buffer
		if err := promptTemplate.Execute(&b, k); err != nil {
			return "", fmt.Errorf("write prompt: %w", err)
		}
		if err := os.MkdirAll(filepath.Join(folder, promptFolder), 0o755); err != nil {
			return "", fmt.Errorf("write prompt: %w", err)
		}
		if err := writeWhole(filepath.Join(folder, promptFolder, name), b.Bytes()); err != nil {
			return "", fmt.Errorf("write prompt: %w", err)
		}
		return promptFolder + "/" + name, nil
	}
}
