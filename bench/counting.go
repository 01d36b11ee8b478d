package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	pkoukk "github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
	"github.com/tiktoken-go/tokenizer"

	"github.com/seed-3db51b0e/precis/token"
	"github.com/seed-3db51b0e/precis/token/bpe"
)

// chunk is the size counted at once: below the size at which we count in parts.
const chunk = 100 << 10

// used is the processor time of this process.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// speed is the best MB/s of processor time over some rounds, and the tokens of
// the text's chunks together. Cold forgets before each round what was learned
// in the one before: the collector empties pools.
func speed(text string, rounds int, cold bool, count func(string) (int, error)) (mbs float64, tokens int, err error) {
	for range rounds {
		tokens = 0
		parts := chunks(text)
		if cold {
			runtime.GC()
			runtime.GC()
		}
		at := used()
		for _, s := range parts {
			n, err := count(s)
			if err != nil {
				return 0, 0, err
			}
			tokens += n
		}
		took := used() - at
		mbs = max(mbs, float64(len(text))/1e6/max(took, time.Microsecond).Seconds())
	}
	return mbs, tokens, nil
}

// chunks cuts a text where characters end.
func chunks(text string) (out []string) {
	for len(text) > 0 {
		s := clip(text, chunk)
		out = append(out, s)
		text = text[len(s):]
	}
	return out
}

// program that counts: cold and its speed over a sample.
type peer struct {
	name  string
	count func(string) (int, error)
}

func peers() ([]peer, error) {
	library, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, fmt.Errorf("open tiktoken-go/tokenizer: %w", err)
	}
	pkoukk.SetBpeLoader(loader.NewOfflineLoader())
	port, err := pkoukk.GetEncoding(pkoukk.MODEL_O200K_BASE)
	if err != nil {
		return nil, fmt.Errorf("open pkoukk/tiktoken-go: %w", err)
	}
	return []peer{
		{"tiktoken-go/tokenizer 0.10.0", library.Count},
		{"pkoukk/tiktoken-go 0.1.8", func(s string) (int, error) { return len(port.EncodeOrdinary(s)), nil }},
	}, nil
}

// counting compares our counts' speed with that of others, kind by kind.
func counting(r *run) ([]table, error) {
	size, rounds := 1<<20, 25
	if r.short {
		size, rounds = 20<<10, 1
	}
	texts, err := samples(r.root, size)
	if err != nil {
		return nil, err
	}
	ours, err := bpe.Counter("o200k")
	if err != nil {
		return nil, err
	}
	count := func(s string) (int, error) { return ours.Count(s), nil }
	others, err := peers()
	if err != nil {
		return nil, err
	}
	reference, err := npm(r, texts)
	if err != nil {
		r.warn("no npm tiktoken: %v", err)
	}
	t := table{name: "counting", head: []string{"text", "cold", "warm"}}
	for _, p := range others {
		t.head = append(t.head, p.name)
	}
	t.head = append(t.head, "npm tiktoken 1.0.22")
	for _, s := range texts {
		cells, cold, tokens, err := countRow(s, rounds, count, others)
		if err != nil {
			return nil, err
		}
		cell := "–"
		if x, ok := reference[s.name]; ok {
			if x.Tokens != tokens {
				return nil, fmt.Errorf("count %s: %d tokens, by the reference %d", s.name, tokens, x.Tokens)
			}
			cell = against(x.MBs, cold)
		}
		t.row(append(cells, cell)...)
	}
	return []table{t}, nil
}

// countRow measures one text with our counter and the others.
func countRow(s sample, rounds int, count func(string) (int, error), others []peer) (cells []string, cold float64, tokens int, err error) {
	cold, tokens, err = speed(s.text, rounds, true, count)
	if err != nil {
		return nil, 0, 0, err
	}
	warm, _, err := speed(s.text, rounds, false, count)
	if err != nil {
		return nil, 0, 0, err
	}
	cells = []string{s.name, digits(cold), digits(warm)}
	for _, p := range others {
		theirs, n, err := speed(s.text, 1+rounds/3, false, p.count)
		if err != nil {
			return nil, 0, 0, fmt.Errorf("count with %s: %w", p.name, err)
		}
		cells = append(cells, against(theirs, cold)+differs(n-tokens))
	}
	return cells, cold, tokens, nil
}

func against(theirs, cold float64) string {
	return fmt.Sprintf("%s (%.0f×)", digits(theirs), cold/theirs)
}

// differs describes by how much a peer is wrong.
func differs(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", counts %+d", n)
}

//go:embed npm.cjs
var script []byte

type result struct {
	Tokens int
	MBs    float64
}

// npm measures npm's tiktoken, installed into a folder of this run, on chunks of
// the same texts.
func npm(r *run, texts []sample) (map[string]result, error) {
	if r.short {
		return nil, fmt.Errorf("left out in short mode")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return nil, fmt.Errorf("find npm: %w", err)
	}
	dir := filepath.Join(r.tmp, "npm")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	if _, err := output(dir, "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", ".", "tiktoken@1.0.22"); err != nil {
		return nil, err
	}
	in := map[string][]string{}
	for _, s := range texts {
		in[s.name] = chunks(s.text)
	}
	data, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("write texts: %w", err)
	}
	for name, content := range map[string][]byte{"texts.json": data, "npm.cjs": script} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return nil, fmt.Errorf("write texts: %w", err)
		}
	}
	out, err := output(dir, "node", "npm.cjs")
	if err != nil {
		return nil, err
	}
	var results map[string]result
	if err := json.Unmarshal(out, &results); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	return results, nil
}

// hostile counts text made to be slow, per byte against ordinary text.
func hostile(r *run) ([]table, error) {
	size, rounds := 1<<20, 25
	if r.short {
		size, rounds = 20<<10, 1
	}
	texts, err := samples(r.root, size)
	if err != nil {
		return nil, err
	}
	mixed := texts[len(texts)-1].text
	t := table{name: "hostile", head: []string{"1 MB of", "o200k", "slower than mixed text", "cl100k", "slower than mixed text"}}
	cells := map[string][]string{}
	for _, name := range []string{"o200k", "cl100k"} {
		c, err := bpe.Counter(name)
		if err != nil {
			return nil, err
		}
		ordinary := best(c, mixed, rounds)
		for _, s := range nasty(size) {
			v := best(c, s.text, rounds)
			cells[s.name] = append(cells[s.name], digits(v), fmt.Sprintf("%.1f×", ordinary/v))
		}
	}
	for _, s := range nasty(size) {
		t.row(append([]string{s.name}, cells[s.name]...)...)
	}
	return []table{t}, nil
}

// best is the MB/s of processor time for a text counted whole.
func best(c token.Counter, text string, rounds int) (mbs float64) {
	for range rounds {
		at := used()
		c.Count(text)
		mbs = max(mbs, float64(len(text))/1e6/max(used()-at, time.Microsecond).Seconds())
	}
	return mbs
}

func nasty(n int) []sample {
	r := rand.New(rand.NewPCG(5, 6))
	of := func(alphabet string) string {
		var b strings.Builder
		letters := []rune(alphabet)
		for b.Len() < n {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	rules := fill(n, func(int) string { return strings.Repeat(string("-=*#_~"[r.IntN(6)]), 1+r.IntN(300)) })
	han := make([]rune, 0x5000)
	for i := range han {
		han[i] = 0x4E00 + rune(i)
	}
	return []sample{
		{"one letter", strings.Repeat("a", n)},
		{"blanks", strings.Repeat(" ", n)},
		{"one Chinese character", strings.Repeat("中", n/3)},
		{"random letters", of("abcdefghijklmnopqrstuvwxyz")},
		{"dashes", strings.Repeat("-", n)},
		{"rules of random lengths", rules},
		{"`ab`", strings.Repeat("ab", n/2)},
		{"blank and line break", strings.Repeat(" \n", n/2)},
		{"random Chinese characters", of(string(han))},
		{"base64", of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")},
		{"combining marks", strings.Repeat("\u0301", n/2)},
		{"bytes that are not UTF-8", strings.Repeat("\xff", n)},
	}
}
