package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// client is a real program that speaks to a provider.
type client struct {
	name   string // as the table shows it, and -only takes it
	folder string // that its packages are installed in
	pack   string // the package whose version is shown
	api    string // that it speaks here
	budget string // tokens of a request
	// setup writes its configuration into a home of its own and returns its environment.
	setup func(l *lab) ([]string, error)
	// ask is the command that gives it a prompt, in a new conversation or the last one.
	ask func(l *lab, prompt string, again bool) []string
	// compact is the command that makes it compact its conversation itself, nil where
	// there is none.
	compact func(l *lab) []string
}

func put(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func quoted(v any) string {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		panic(err)
	}
	return string(b)
}

type object = map[string]any

// claudeModel and gptModel are whom the clients ask for.
const (
	claudeModel = "claude-sonnet-4-5"
	gptModel    = "gpt-5.1"
)

func all() []client {
	agent := func(name, pack, api string) client {
		return client{
			name: name, folder: "sdks", pack: pack, api: api, budget: "20k",
			setup: func(l *lab) ([]string, error) {
				return []string{"LAB_URL=" + l.base, "LAB_STATE=" + filepath.Join(l.dir, "state.json")}, nil
			},
			ask: func(l *lab, prompt string, again bool) []string {
				return []string{l.node(), filepath.Join(l.packages, "sdks", "agents", name+".mjs"), prompt}
			},
		}
	}
	return []client{
		claudeCode(), codex(), openCode("opencode", "anthropic"), openCode("opencode-openai", "openai"),
		pi("pi", "anthropic", "anthropic-messages", claudeModel), pi("pi-openai", "openai", "openai-completions", gptModel), pi("pi-responses", "responses", "openai-responses", gptModel),
		qwenCode("qwen-code", "openai", gptModel), qwenCode("qwen-code-anthropic", "anthropic", claudeModel),
		agent("anthropic-sdk", "@anthropic-ai/sdk", "anthropic"), agent("openai-sdk-chat", "openai", "openai"), agent("openai-sdk-responses", "openai", "responses"),
		agent("ai-sdk", "ai", "anthropic"), agent("langchain", "langchain", "openai"), agent("langchain-anthropic", "langchain", "anthropic"),
		agent("openai-agents", "@openai/agents", "responses"),
	}
}

func claudeCode() client {
	ask := func(l *lab, prompt string, again bool) []string {
		args := []string{l.bin("claude", "node_modules/@anthropic-ai/claude-code/bin/claude.exe"), "-p", prompt, "--dangerously-skip-permissions", "--model", claudeModel}
		if again {
			args = append(args, "--continue")
		}
		return args
	}
	return client{
		name: "claude-code", folder: "claude", pack: "@anthropic-ai/claude-code", api: "anthropic", budget: "48k",
		setup: func(l *lab) ([]string, error) {
			return []string{
				"CLAUDE_CONFIG_DIR=" + filepath.Join(l.dir, "claude"), "IS_SANDBOX=1", "ANTHROPIC_API_KEY=dummy", "ANTHROPIC_BASE_URL=" + l.base,
				"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			}, nil
		},
		ask:     ask,
		compact: func(l *lab) []string { return ask(l, "/compact", true) },
	}
}

func codex() client {
	ask := func(l *lab, prompt string, again bool, set ...string) []string {
		args := append([]string{l.bin("codex", "node_modules/.bin/codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"}, set...)
		if again {
			args = append(args, "resume", "--last")
		}
		return append(args, prompt)
	}
	return client{
		name: "codex", folder: "codex", pack: "@openai/codex", api: "responses", budget: "28k",
		setup: func(l *lab) ([]string, error) {
			home := filepath.Join(l.dir, "codex")
			return []string{"CODEX_HOME=" + home, "LAB_KEY=dummy"}, put(filepath.Join(home, "config.toml"), `model = "`+gptModel+`"
model_provider = "lab"
[model_providers.lab]
name = "lab"
base_url = "`+l.base+`/v1"
wire_api = "responses"
env_key = "LAB_KEY"
[analytics]
enabled = false
`)
		},
		ask: func(l *lab, prompt string, again bool) []string { return ask(l, prompt, again) },
		// exec has no command for it: it compacts when the context is over a limit.
		compact: func(l *lab) []string { return ask(l, "Wait.", true, "-c", "model_auto_compact_token_limit=5000") },
	}
}

func openCode(name, api string) client {
	of, model := "lab", "m"
	if api == "anthropic" {
		of, model = "anthropic", claudeModel
	}
	program := func(l *lab) string { return l.bin("opencode", "node_modules/.bin/opencode") }
	return client{
		name: name, folder: "opencode", pack: "opencode-ai", api: api, budget: "32k",
		setup: func(l *lab) ([]string, error) {
			provider := object{
				"npm": "@ai-sdk/openai-compatible", "name": "lab", "options": object{"baseURL": l.base + "/v1", "apiKey": "dummy"},
				"models": object{"m": object{"name": "m", "limit": object{"context": 400000, "output": 16000}}},
			}
			file := object{
				"$schema": "https://opencode.ai/config.json", "autoupdate": false, "share": "disabled",
				"permission": object{"edit": "allow", "bash": "allow", "webfetch": "allow"},
				"provider":   object{"lab": provider, "anthropic": object{"options": object{"baseURL": l.base + "/v1", "apiKey": "dummy"}}},
			}
			home := filepath.Join(l.dir, "opencode")
			return []string{
				"OPENCODE_CONFIG=" + filepath.Join(home, "opencode.json"), "XDG_DATA_HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home,
				"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "ANTHROPIC_API_KEY=dummy",
			}, put(filepath.Join(home, "opencode.json"), quoted(file))
		},
		compact: func(l *lab) []string {
			return []string{l.node(), l.bin("drive", "opencode-compact.mjs"), program(l), of, model}
		},
		ask: func(l *lab, prompt string, again bool) []string {
			args := []string{program(l), "run", "--model", of + "/" + model}
			if again {
				args = append(args, "--continue")
			}
			return append(args, prompt)
		},
	}
}

func pi(name, api, spoken, model string) client {
	cli := func(l *lab) string {
		return l.bin("pi", "node_modules/@earendil-works/pi-coding-agent/dist/cli.js")
	}
	return client{
		name: name, folder: "pi", pack: "@earendil-works/pi-coding-agent", api: api, budget: "20k",
		setup: func(l *lab) ([]string, error) {
			home, base := filepath.Join(l.dir, "pi"), l.base+"/v1"
			if api == "anthropic" {
				base = l.base
			}
			file := object{"providers": object{"lab": object{
				"baseUrl": base, "api": spoken, "apiKey": "dummy",
				"models": []object{{"id": model, "contextWindow": 400000, "maxTokens": 16000, "reasoning": false}},
			}}}
			return []string{"PI_CODING_AGENT_DIR=" + home, "PI_OFFLINE=1", "PI_TELEMETRY=0"}, put(filepath.Join(home, "models.json"), quoted(file))
		},
		ask: func(l *lab, prompt string, again bool) []string {
			args := []string{l.node(), cli(l), "-p", "--model", "lab/" + model}
			if again {
				args = append(args, "--continue")
			}
			return append(args, prompt)
		},
		compact: func(l *lab) []string {
			return []string{l.node(), l.bin("drive", "pi-compact.mjs"), cli(l), "lab/" + model}
		},
	}
}

func qwenCode(name, api, model string) client {
	ask := func(l *lab, prompt string, again bool) []string {
		args := []string{l.node(), l.bin("qwen", "node_modules/@qwen-code/qwen-code/cli.js"), "--yolo", "--auth-type", api, "--model", model}
		if again {
			args = append(args, "--continue")
		}
		return append(args, "-p", prompt)
	}
	return client{
		name: name, folder: "qwen", pack: "@qwen-code/qwen-code", api: api, budget: "36k",
		setup: func(l *lab) ([]string, error) {
			env := []string{"OPENAI_API_KEY=dummy", "OPENAI_BASE_URL=" + l.base + "/v1", "OPENAI_MODEL=" + model}
			if api == "anthropic" {
				env = []string{"ANTHROPIC_API_KEY=dummy", "ANTHROPIC_BASE_URL=" + l.base, "ANTHROPIC_MODEL=" + model}
			}
			return env,
				put(filepath.Join(l.dir, ".qwen", "settings.json"), `{"telemetry":{"enabled":false},"general":{"disableAutoUpdate":true},"privacy":{"usageStatisticsEnabled":false}}`)
		},
		ask:     ask,
		compact: func(l *lab) []string { return ask(l, "/compress", true) },
	}
}
