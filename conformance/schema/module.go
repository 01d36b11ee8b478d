package schema

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	anthropicModule = "github.com/anthropics/anthropic-sdk-go"
	openAIModule    = "github.com/openai/openai-go/v3"
)

// moduleDir finds a required module in the module cache. It asks the go
// command, which knows replacements, vendoring of the cache and its place, and
// forbids it the network.
func moduleDir(module string) (string, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = errors.New(strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("find module %s: %w", module, err)
	}
	dir := strings.TrimSpace(string(out))
	if dir == "" {
		return "", fmt.Errorf("find module %s: not in the module cache; run go mod download in conformance", module)
	}
	return dir, nil
}

// readAnthropic reads the OpenAPI document.
func readAnthropic() (map[string]any, error) {
	dir, err := moduleDir(anthropicModule)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, "scripts", "mock-spec.json.gz"))
	if err != nil {
		return nil, fmt.Errorf("open specification: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read specification: %w", err)
	}
	var doc map[string]any
	d := json.NewDecoder(z)
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("read specification: %w", err)
	}
	return doc, nil
}
