package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/proxy"
	"github.com/seed-3db51b0e/precis/proxy/config"
)

const wrapLong = `Wrap runs an agent behind a proxy of its own, the one of precis serve, on a free
port of this machine. It knows claude, codex, gemini and opencode; after -- it runs
any command, with ANTHROPIC_BASE_URL, OPENAI_BASE_URL and GOOGLE_GEMINI_BASE_URL
set. The proxy sends to the addresses that these variables held before. Where the
environment names another proxy, the agent reaches this one past it.

Codex is told on its command line to use an API key over HTTP; its ChatGPT login
has another address and is not supported; neither is a Google account's login of
Gemini CLI.

The agent has the terminal, and its exit code is that of wrap. The proxy's log
goes to --log, or nowhere. At the end a summary goes to standard error, with what
could not be done; that changes no exit code.`

const wrapExample = `  precis wrap claude --continue
  precis wrap --budget 64k codex
  precis wrap -- my-agent --verbose`

// wrapper is one run of the command.
type wrapper struct {
	server
	log string // --log
}

func wrapCommand(a *app) *cobra.Command {
	w := &wrapper{server: server{app: a, users: usersOne, recall: string(proxy.RecallWithPlan)}}
	cmd := &cobra.Command{
		Use: "wrap [flags] AGENT [ARG…]", Short: "run an agent behind a proxy that compacts", Long: wrapLong, Example: wrapExample,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			if err := w.configure(cmd.Flags()); err != nil {
				return err
			}
			if w.file != nil {
				w.file.Tenants = nil // the agent is one user
				if w.file.Recall != nil {
					w.recall = *w.file.Recall
				}
			}
			return w.run(cmd.Context(), args, cmd.ArgsLenAtDash() == 0)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // what follows the agent is the agent's
	f.StringVar(&w.configFile, "config", "", "`file` as of precis serve; its listen, inspect, users, drain, grace and tenants are not for this command")
	w.upstreams.flags(f, true)
	budgetVar(f, &w.budget, "maximum `tokens` of a request: 32000, 32k, 0.5m (default: by the model)")
	policyFlag(f, &w.policy)
	completePolicy(cmd)
	f.StringVar(&w.mode, "mode", string(proxy.Compact), "`what` to do: "+strings.Join(modes, ", "))
	w.limits(f)
	w.access.reading(f)
	complete(cmd, "allow-read", config.Levels)
	f.StringVar(&w.log, "log", "", "append the proxy's log to a `file`")
	return cmd
}

// agentEnded says with what code the agent ended, and what went wrong beside it.
type agentEnded struct {
	code   int
	beside error // nil for nothing
}

func (e *agentEnded) Error() string { return fmt.Sprintf("the agent ended with code %d", e.code) }

// run runs the agent. Once that has begun, the error is an agentEnded.
func (w *wrapper) run(ctx context.Context, args []string, any bool) (err error) {
	ctx = context.WithoutCancel(ctx) // Ctrl-C is the agent's to understand
	l, err := net.Listen("tcp", ownAddress+":0")
	if err != nil {
		return fail("", "listen: %w", err)
	}
	defer func() { _ = l.Close() }() // the server has closed it, unless it never began
	cmd, err := command("http://"+l.Addr().String(), args, any)
	if err != nil {
		return err
	}
	o, err := w.options()
	if err == nil {
		err = w.checkBudget(o.Budget)
	}
	if err != nil {
		return err
	}
	counts := &tally{Handler: slog.DiscardHandler, plans: map[string]int64{}}
	if w.log != "" {
		f, bad := os.OpenFile(w.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if bad != nil {
			return fail("name a file in a folder that can be written with --log", "open log: %w", bad)
		}
		defer func() { err = besideAgent(err, f.Close()) }()
		counts.Handler = slog.NewTextHandler(f, nil)
	}
	o.Log = slog.New(counts)
	err = w.overStore(ctx, o, func(p *proxy.Proxy) error { return w.behind(l, p, cmd) })
	fmt.Fprint(w.stderr, counts.summary(o.Mode))
	return err
}

// overStore makes a proxy for a function, and ends it.
func (w *wrapper) overStore(ctx context.Context, o proxy.Options, do func(*proxy.Proxy) error) (err error) {
	st, err := w.writable(ctx)
	if err != nil {
		return err
	}
	defer func() { err = besideAgent(err, st.Close()) }()
	p, done, err := w.proxy(ctx, o, st)
	if err != nil {
		return err
	}
	defer func() { err = besideAgent(err, done()) }()
	return do(p)
}

// besideAgent joins what went wrong to how the agent ended, whose code stands.
func besideAgent(err, bad error) error {
	if ended := (*agentEnded)(nil); errors.As(err, &ended) {
		ended.beside = errors.Join(ended.beside, bad)
		return err
	}
	return errors.Join(err, bad)
}

// behind runs the agent while the proxy serves.
func (w *wrapper) behind(l net.Listener, p *proxy.Proxy, cmd *exec.Cmd) error {
	h := &http.Server{Handler: p, ReadHeaderTimeout: 30 * time.Second, ErrorLog: w.faults}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	err := w.agent(cmd)
	p.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if h.Shutdown(ctx) != nil {
		_ = h.Close() // nobody waits for these answers
	}
	return besideAgent(err, ignore(<-ended, http.ErrServerClosed))
}

// command is the agent with what it has to know. any says that it is none of
// those that are known by name.
func command(url string, args []string, any bool) (*exec.Cmd, error) {
	name, rest := args[0], args[1:]
	env := append(baseURLs(url, ""), "OPENAI_API_BASE="+url+"/v1")
	switch {
	case any:
	case name == "claude":
		env = baseURLs(url, "anthropic")
	case name == "gemini":
		env = baseURLs(url, "gemini")
	case name == "codex": // it does not heed the variable, and its own provider is spoken to over a WebSocket
		env = nil
		rest = slices.Concat([]string{
			"-c", `model_provider="precis"`, "-c", `model_providers.precis.name="precis"`,
			"-c", `model_providers.precis.base_url="` + url + `/v1"`,
			"-c", `model_providers.precis.wire_api="responses"`, "-c", "model_providers.precis.requires_openai_auth=true",
		}, rest)
	case name == "opencode":
		config, err := pointed(os.Getenv("OPENCODE_CONFIG_CONTENT"), url)
		if err != nil {
			return nil, err
		}
		env = []string{"OPENCODE_CONFIG_CONTENT=" + config}
	default:
		return nil, usage("there are claude, codex, gemini, opencode; write -- before any other command", "unknown agent %q", name)
	}
	cmd := exec.Command(name, rest...)
	cmd.Env = slices.Concat(os.Environ(), env, direct())
	return cmd, nil
}

// ownAddress is where the proxy of wrap listens.
const ownAddress = "127.0.0.1"

// direct are the variables that lead an agent to ownAddress past the proxy that the
// environment names for http, if it names one. Programs read either spelling.
func direct() (env []string) {
	named := func(name string) bool { return os.Getenv(name) != "" }
	if !slices.ContainsFunc([]string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"}, named) {
		return nil
	}
	upper, lower := os.Getenv("NO_PROXY"), os.Getenv("no_proxy")
	for name, has := range map[string]string{"NO_PROXY": cmp.Or(upper, lower), "no_proxy": cmp.Or(lower, upper)} {
		value := has
		listed := strings.FieldsFunc(has, func(r rune) bool { return r == ',' || r == ' ' })
		if has != "*" && !slices.Contains(listed, ownAddress) {
			value = strings.TrimPrefix(has+","+ownAddress, ",")
		}
		if value != os.Getenv(name) {
			env = append(env, name+"="+value)
		}
	}
	slices.Sort(env)
	return env
}

// baseURLs are the variables that send the clients of a provider, or of all where name is
// "", to an address.
func baseURLs(url, name string) (env []string) {
	for _, api := range upstreamAPIs {
		if name == "" || name == api.name {
			env = append(env, api.variable+"="+url+api.version)
		}
	}
	return env
}

// pointed is a configuration of opencode with the providers' addresses in it.
func pointed(config, url string) (string, error) {
	top := map[string]any{}
	if config != "" {
		if err := json.Unmarshal([]byte(config), &top); err != nil {
			return "", usage("unset it, or mend it", "read OPENCODE_CONFIG_CONTENT: %w", err)
		}
	}
	providers := member(top, "provider")
	for name, version := range map[string]string{"anthropic": "/v1", "openai": "/v1", "google": "/v1beta"} {
		member(member(providers, name), "options")["baseURL"] = url + version
	}
	b, err := json.Marshal(top)
	return string(b), err
}

// member is the object at a key, made where there is none.
func member(at map[string]any, key string) map[string]any {
	m, ok := at[key].(map[string]any)
	if !ok {
		m = map[string]any{}
		at[key] = m
	}
	return m
}

// agent runs the agent with the streams of this program.
func (w *wrapper) agent(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.stdin, w.out.w, w.stderr
	if people, ok := w.stderr.(*colorprofile.Writer); ok {
		cmd.Stderr = people.Forward
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return fail("is it installed, and in PATH?", "start agent: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	onTerminal := terminal(cmd.Stdin) || terminal(cmd.Stdout) || terminal(cmd.Stderr)
	for {
		select {
		case s := <-signals:
			if onTerminal && (s == os.Interrupt || s == syscall.SIGQUIT) {
				continue // the terminal has told the agent itself
			}
			_ = cmd.Process.Signal(s) // it may have ended
		case err := <-done:
			return exited(err)
		}
	}
}

// exited is how an agent ended, as shells say it.
func exited(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return &agentEnded{}
	case !errors.As(err, &exit):
		return fail("", "run agent: %w", err)
	}
	if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return &agentEnded{code: 128 + int(s.Signal())}
	}
	return &agentEnded{code: exit.ExitCode()}
}
