package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// packages are what the clients are installed from, by folder. Versions are pinned: a run
// is about the versions that its table names.
var packages = map[string][]string{
	"node22":   {"node@22"},
	"claude":   {"@anthropic-ai/claude-code@2.1.332"},
	"codex":    {"@openai/codex@0.171.0"},
	"opencode": {"opencode-ai@1.18.33"},
	"pi":       {"@earendil-works/pi-coding-agent@1.6.0"},
	"qwen":     {"@qwen-code/qwen-code@0.24.4"},
	"sdks": {
		"openai@7.59.0", "@anthropic-ai/sdk@1.14.0", "ai@7.0.173", "@ai-sdk/anthropic@4.0.105", "langchain@1.5.14", "@langchain/core@1.4.0",
		"@langchain/openai@1.5.8", "@langchain/anthropic@1.5.11", "@openai/agents@0.20.0", "zod",
	},
}

// after are the scripts that packages want to run when they are installed, which npm
// leaves to its user.
var after = map[string][2]string{
	"node22":   {"node_modules/node", "installArchSpecificPackage.js"},
	"claude":   {"node_modules/@anthropic-ai/claude-code", "install.cjs"},
	"opencode": {"node_modules/opencode-ai", "postinstall.mjs"},
}

// The agents are programs of the lab's own, over SDKs; drive are programs that have a
// client do what its command line does not offer.
//
//go:embed agents/*.mjs
var agents embed.FS

//go:embed drive/*.mjs
var drive embed.FS

// install makes sure that a client is there; the error says why it is not.
func install(ctx context.Context, o options, c client) error {
	for _, folder := range []string{"node22", c.folder} {
		if err := installed(ctx, o, folder); err != nil {
			return fmt.Errorf("%s is not installed: %w", c.pack, err)
		}
	}
	if err := overwrite(o.cache, "drive", drive); err != nil || c.folder != "sdks" {
		return err
	}
	return overwrite(filepath.Join(o.cache, "sdks"), "agents", agents)
}

// overwrite copies a folder of programs, of which no older copies are left.
func overwrite(to, folder string, programs embed.FS) error {
	if err := os.RemoveAll(filepath.Join(to, folder)); err != nil {
		return err
	}
	return os.CopyFS(to, programs)
}

// installed installs the packages of a folder, unless they are there.
func installed(ctx context.Context, o options, folder string) error {
	dir := filepath.Join(o.cache, folder)
	mark := filepath.Join(dir, "installed.json")
	want, err := json.Marshal(packages[folder])
	if err != nil {
		return err
	}
	if have, err := os.ReadFile(mark); err == nil && string(have) == string(want) {
		return nil
	}
	if o.offline {
		return errors.New("-offline installs nothing")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("there is no npm")
	}
	if err := put(filepath.Join(dir, "package.json"), `{"private":true}`); err != nil {
		return err
	}
	if err := runIn(ctx, dir, "npm", append([]string{"install", "--no-audit", "--no-fund"}, packages[folder]...)...); err != nil {
		return err
	}
	if script, ok := after[folder]; ok {
		if err := runIn(ctx, filepath.Join(dir, script[0]), "node", script[1]); err != nil {
			return err
		}
	}
	return os.WriteFile(mark, want, 0o644)
}

func runIn(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, tail(string(out)))
	}
	return nil
}
