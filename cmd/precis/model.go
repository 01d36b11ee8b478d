package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/model"
)

const (
	catalogURL  = "https://models.dev/api.json"
	modelsFile  = "models.json"
	mostCatalog = 64 << 20
)

const modelLong = `Model shows what precis knows of models: their windows, prices, cache rules, and
what they do with thinking. The program contains a table. Refresh writes another one
beside the database, which compact, count, serve and wrap then use instead; removing
that file brings the built-in one back. No other command fetches anything.`

func modelCommand(a *app) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "list the models", Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error { return modelList(a) },
	}
	show := &cobra.Command{
		Use: "show NAME", Short: "print what is known of a model, by any name clients use", Args: arguments(1, 1),
		Example:           "  precis model show claude-opus-5-5\n  precis model show 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'",
		ValidArgsFunction: offered(a.modelNames),
		RunE:              func(_ *cobra.Command, args []string) error { return modelShow(a, args[0]) },
	}
	var from string
	refresh := &cobra.Command{
		Use: "refresh", Short: "take windows and prices from models.dev", Args: arguments(0, 0),
		Example: "  precis model refresh\n  precis model refresh --from api.json --models models.json",
		RunE:    func(c *cobra.Command, _ []string) error { return modelRefresh(c.Context(), a, from) },
	}
	refresh.Flags().StringVar(&from, "from", catalogURL, "`URL or file` of a catalog in the form of models.dev's api.json")
	return group("model", "what is known of models", modelLong, list, show, refresh)
}

// modelTable finds what is known of models.
type modelTable struct {
	std    *streams
	models string // --models
}

// tablePath is where a refreshed table is.
func (m *modelTable) tablePath() (string, error) {
	if m.models != "" {
		return m.models, nil
	}
	dir, err := dataFolder()
	return filepath.Join(dir, "precis", modelsFile), err
}

// table reads what is known of models: the file that was named or refreshed, else
// nil, which is the embedded one. A file that nobody named is not in the way when
// it is broken.
func (m *modelTable) table() (*model.Table, error) {
	path, err := m.tablePath()
	if err != nil {
		return nil, nil //nolint:nilerr // without a data folder there is no such file
	}
	data, err := os.ReadFile(path)
	if err == nil {
		var t *model.Table
		if t, err = model.Parse(data); err == nil {
			return t, nil
		}
	}
	switch {
	case m.models != "":
		return nil, &failure{exitInput, fmt.Errorf("read models %s: %w", path, err), "precis model refresh --models FILE writes one"}
	case !errors.Is(err, fs.ErrNotExist):
		m.std.note("%s is not read: %v; precis model refresh writes it anew", path, err)
	}
	return nil, nil
}

// lookup finds a model.
func (m *modelTable) lookup(name string) (model.Model, bool, error) {
	t, err := m.table()
	if err != nil {
		return model.Model{}, false, err
	}
	found, ok := t.Lookup(name)
	return found, ok, nil
}

func modelList(a *app) error {
	t, err := a.table()
	if err != nil {
		return err
	}
	var all []model.Model
	show := term.Table{Right: []bool{false, true, true, true, true, true}}
	show.Add(term.Faint("model"), term.Faint("window"), term.Faint("reply"), term.Faint("in $/M"), term.Faint("out"), term.Faint("cached"))
	for _, name := range t.Names() {
		m, _ := t.Lookup(name)
		all = append(all, m)
		show.Add(name, term.Comma(m.Window), term.Comma(m.Output), price(m.Price.In), price(m.Price.Out), price(m.Price.Read))
	}
	if a.json {
		return a.object(all)
	}
	_, err = io.WriteString(a.page, a.paper.Table(&show))
	return err
}

func price(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%g", v)
}

func modelShow(a *app, name string) error {
	m, ok, err := a.lookup(name)
	if err != nil {
		return err
	}
	if a.json {
		return a.object(struct {
			model.Model
			Known bool        `json:"known"`
			Cache model.Cache `json:"cache"`
		}{m, ok, m.Cache})
	}
	fmt.Fprint(a.page, term.Strong(term.Clean(m.Name))+"\n"+a.paper.Table(factsOf(m)))
	switch {
	case !ok:
		a.note("nothing is known of this model: these are cautious numbers; a [model] table of a config file states others")
	case m.Guess:
		a.note("this model is not in the table: these are the numbers of a relative, %s", m.Like)
	}
	return nil
}

// factsOf lists what is known of a model, a line each.
func factsOf(m model.Model) *term.Table {
	var t term.Table
	add := func(name, value string) { t.Add(term.Faint(name), value) }
	number := func(name string, n int, unit string) {
		if n > 0 {
			add(name, term.Comma(n)+" "+unit)
		}
	}
	add("provider", cmp.Or(m.Provider, "not known"))
	number("window", m.Window, "tokens")
	number("input", m.Input, "tokens at most")
	number("reply", m.Output, "tokens at most")
	number("compacts above", m.SoftThreshold(), "tokens, by default")
	number("images", m.Images, "at most")
	number("body", m.Bytes, "bytes at most")
	add("counted", counting(m))
	add("prices", prices(m.Price))
	if m.Above > 0 {
		add("above "+term.Comma(m.Above), prices(m.PriceAbove))
	}
	if c := m.Cache; c.Explicit {
		add("cache", fmt.Sprintf("on demand, %s, for %v", term.Count(c.Breakpoints, "breakpoint"), c.TTL))
	} else if c.Minimum > 0 {
		add("cache", fmt.Sprintf("by itself, from %s tokens, for %v", term.Comma(c.Minimum), c.TTL))
	}
	if m.Thinking != "" {
		add("thinking", string(m.Thinking))
	}
	return &t
}

func counting(m model.Model) string {
	switch {
	case m.Encoding != "":
		return "exactly, as " + m.Encoding
	case m.Scale > 0:
		return fmt.Sprintf("as %g × o200k, and a margin", m.Scale)
	}
	return "as o200k, and a wide margin"
}

func prices(p model.Price) string {
	parts := []string{price(p.In) + " in", price(p.Out) + " out"}
	if p.Read > 0 {
		parts = append(parts, price(p.Read)+" cached")
	}
	if p.Write > 0 {
		parts = append(parts, price(p.Write)+" to cache")
	}
	return strings.Join(parts, ", ") + " (USD a million tokens)"
}

// modelRefresh writes a table made of a catalog and the embedded table.
func modelRefresh(ctx context.Context, a *app, from string) error {
	path, err := a.tablePath()
	if err != nil {
		return fail("name a file with --models FILE", "find data folder: %w", err)
	}
	api, err := fetched(ctx, from)
	if err != nil {
		return fail("--from takes a file, too", "read catalog %s: %w", redacted(from), err)
	}
	out, err := model.Refresh(api)
	if err != nil {
		return &failure{exitInput, err, "the form is that of " + catalogURL}
	}
	next, err := model.Parse(out)
	if err != nil {
		return err
	}
	if err := replaceFile(path, out); err != nil {
		return fail("name another file with --models FILE", "write models: %w", err)
	}
	known, fresh, changed := differs(next)
	if a.json {
		return a.object(map[string]any{"path": path, "models": known, "new": fresh, "changed": changed})
	}
	_, err = fmt.Fprintf(a.page, "%s: %s, %s new, %s changed\n", term.Clean(path), term.Count(known, "model"), term.Comma(fresh), term.Comma(changed))
	return err
}

// redacted is a file, or a URL without its password.
func redacted(from string) string {
	if u, err := url.Parse(from); err == nil && u.User != nil {
		return u.Redacted()
	}
	return from
}

// differs compares a table with the embedded one.
func differs(next *model.Table) (known, fresh, changed int) {
	for _, name := range next.Names() {
		known++
		m, _ := next.Lookup(name)
		switch was, ok := model.Lookup(name); {
		case !ok || was.Guess:
			fresh++
		case was != m:
			changed++
		}
	}
	return known, fresh, changed
}

// fetched reads a URL or a file.
func fetched(ctx context.Context, from string) ([]byte, error) {
	if !strings.Contains(from, "://") {
		return os.ReadFile(from)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it has been read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, mostCatalog+1))
	if err == nil && len(b) > mostCatalog {
		err = errors.New("it is too large")
	}
	return b, err
}

// replaceFile writes a file and makes its folder.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return writeBeside(path, data, 0o600)
}

// modelNames are the models that are known.
func (m *modelTable) modelNames(context.Context) ([]cobra.Completion, error) {
	t, err := m.table()
	if err != nil {
		return nil, err
	}
	return t.Names(), nil
}

// completeModel offers models for --model.
func (m *modelTable) completeModel(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("model", flagOf(m.modelNames)) // declared before
}
