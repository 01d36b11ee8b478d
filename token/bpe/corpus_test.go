package bpe

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus is text of one kind for measuring, made here or read from this
// repository.
type corpus struct{ name, text string }

const corpusSize = 256 << 10

func corpora(t testing.TB) []corpus {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	return []corpus{
		{"go", source(t)},
		{"json", grow(rnd, jsonLine)},
		{"logs", grow(rnd, logLine)},
		{"diff", grow(rnd, diffLine)},
		{"english", grow(rnd, sentences(english))},
		{"german", grow(rnd, sentences(german))},
		{"russian", grow(rnd, sentences(russian))},
		{"chinese", grow(rnd, sentences(chinese))},
		{"japanese", grow(rnd, sentences(japanese))},
		{"hex", grow(rnd, hexLine)},
		{"base64", grow(rnd, base64Line)},
	}
}

// hostile is text made to be slow.
func hostile() []corpus {
	rnd := rand.New(rand.NewPCG(3, 4))
	letters := make([]byte, corpusSize)
	for i := range letters {
		letters[i] = 'a' + byte(rnd.IntN(26))
	}
	han := make([]rune, corpusSize/3)
	for i := range han {
		han[i] = 0x4E00 + rune(rnd.IntN(0x5000))
	}
	return []corpus{
		{"letter", strings.Repeat("a", corpusSize)},
		{"spaces", strings.Repeat(" ", corpusSize)},
		{"space-newline", strings.Repeat(" \n", corpusSize/2)},
		{"han", strings.Repeat("中", corpusSize/3)},
		{"random-han", string(han)},
		{"random-letters", string(letters)},
		{"dashes", strings.Repeat("-", corpusSize)}, // a token for almost every length
		{"ab", strings.Repeat("ab", corpusSize/2)},
		{"marks", strings.Repeat("\u0301", corpusSize/2)},
		{"invalid", strings.Repeat("\xff", corpusSize)},
	}
}

// source is the Go source of this repository.
func source(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || b.Len() > corpusSize {
			return err
		}
		data, err := os.ReadFile(path)
		b.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func grow(rnd *rand.Rand, line func(*rand.Rand) string) string {
	var b strings.Builder
	for b.Len() < corpusSize {
		b.WriteString(line(rnd))
	}
	return b.String()
}

func pick(rnd *rand.Rand, from []string) string { return from[rnd.IntN(len(from))] }

func logLine(rnd *rand.Rand) string {
	return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02d.%03dZ %s [worker-%d] request_id=%08x status=%d bytes=%d path=/api/v1/%s/%d\n",
		rnd.IntN(12)+1, rnd.IntN(28)+1, rnd.IntN(24), rnd.IntN(60), rnd.IntN(60), rnd.IntN(1000),
		pick(rnd, []string{"INFO", "WARN", "ERROR"}), rnd.IntN(16), rnd.Uint32(),
		200+100*rnd.IntN(4), rnd.IntN(100_000), pick(rnd, nouns), rnd.IntN(10_000))
}

func jsonLine(rnd *rand.Rand) string {
	return fmt.Sprintf("{\"id\": \"call_%x\", \"type\": \"function\", \"function\": {\"name\": \"%s_%s\", \"arguments\": \"{\\\"path\\\": \\\"/srv/%s/%s.go\\\", \\\"line\\\": %d}\"}, \"ok\": %t, \"score\": %.4f},\n",
		rnd.Uint64(), pick(rnd, verbs), pick(rnd, nouns), pick(rnd, nouns), pick(rnd, verbs),
		rnd.IntN(2000), rnd.IntN(2) == 0, rnd.Float64())
}

func diffLine(rnd *rand.Rand) string {
	return fmt.Sprintf("%s\t%s := %s%s(ctx, %s[%d])%s\n", pick(rnd, []string{"+", "-", " "}), pick(rnd, nouns),
		pick(rnd, verbs), pick(rnd, []string{"User", "Order", "Session", "Config"}), pick(rnd, nouns), rnd.IntN(64),
		pick(rnd, []string{"", " // todo", "\n \n", "\n+\tif err != nil {\n+\t\treturn err\n+\t}"}))
}

func hexLine(rnd *rand.Rand) string { return fmt.Sprintf("%016x%016x\n", rnd.Uint64(), rnd.Uint64()) }

func base64Line(rnd *rand.Rand) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	b := make([]byte, 76)
	for i := range b {
		b[i] = digits[rnd.IntN(64)]
	}
	return string(b) + "\n"
}

// sentences makes lines of a language's phrases in random order.
func sentences(phrases []string) func(*rand.Rand) string {
	return func(rnd *rand.Rand) string {
		if rnd.IntN(6) == 0 {
			return pick(rnd, phrases) + "\n\n"
		}
		return pick(rnd, phrases) + " "
	}
}

var (
	nouns = []string{"users", "orders", "sessions", "config", "result", "buffer", "message", "window", "entry"}
	verbs = []string{"read", "load", "update", "find", "merge", "parse", "write", "check"}

	english = []string{
		"The service keeps every message, but the prompt shows only what still matters.",
		"When the window fills up, older results are replaced by short pointers.",
		"I've checked the tests again: two of them fail because the clock isn't injected.",
		"Please don't change the public interface; callers outside this repository depend on it.",
		"After lunch we walked along the river and talked about the plan for the summer.",
		"Nobody could explain why the measured latency doubled between Tuesday and Thursday.",
		"Configuration is read once at start-up, validated, and never touched afterwards.",
	}
	german = []string{
		"Der Dienst behält jede Nachricht, doch die Anfrage zeigt nur, was noch zählt.",
		"Größere Änderungen müssen zunächst geprüft und anschließend bestätigt werden.",
		"Niemand konnte erklären, weshalb sich die Antwortzeit über Nacht verdoppelt hatte.",
		"Nach dem Mittagessen gingen wir am Fluss spazieren und sprachen über den Sommer.",
	}
	russian = []string{
		"Служба хранит каждое сообщение, но в запросе остаётся только нужное.",
		"Когда окно заполняется, старые результаты заменяются короткими ссылками.",
		"Никто не смог объяснить, почему время ответа за ночь удвоилось.",
		"После обеда мы гуляли вдоль реки и говорили о планах на лето.",
	}
	chinese = []string{
		"服务保留每一条消息，但请求中只显示仍然重要的内容。",
		"窗口快满的时候，较早的结果会被简短的指针代替。",
		"没有人能解释为什么响应时间在一夜之间增加了一倍。",
		"午饭后我们沿着河边散步，谈论夏天的计划。",
		"请不要修改公开的接口，外部的调用者依赖它。",
	}
	japanese = []string{
		"サービスはすべてのメッセージを保存しますが、要求には必要なものだけが残ります。",
		"ウィンドウがいっぱいになると、古い結果は短い参照に置き換えられます。",
		"なぜ応答時間が一晩で二倍になったのか、誰も説明できませんでした。",
		"昼食のあと、川沿いを歩きながら夏の計画について話しました。",
	}
)
