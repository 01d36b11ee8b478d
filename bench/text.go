package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-3db51b0e/precis/internal/testsessions"
)

// sample is text of one kind.
type sample struct{ name, text string }

// samples are texts of n bytes each: the standard library's source and its
// comments, this project's documents, sessions and logs that are generated.
func samples(root string, n int) ([]sample, error) {
	goroot, err := goRoot()
	if err != nil {
		return nil, err
	}
	code, prose, err := source(filepath.Join(goroot, "src"), n)
	if err != nil {
		return nil, err
	}
	documents, err := markdown(n, filepath.Join(root, "docs"), goroot)
	if err != nil {
		return nil, err
	}
	out := []sample{
		{"code", code},
		{"JSON", fill(n, func(i int) string {
			return string(testsessions.ClaudeCode(testsessions.Session(uint64(i), testsessions.Options{}).Messages))
		})},
		{"logs", fill(n, logLine(rand.New(rand.NewPCG(1, 2))))},
		{"Markdown", documents},
		{"prose", prose},
		{"CJK", fill(n, phrase(rand.New(rand.NewPCG(3, 4))))},
	}
	mixed := sample{name: "mixed"}
	for _, s := range out {
		mixed.text += clip(s.text, n/len(out))
	}
	return append(out, mixed), nil
}

// goRoot asks the go command: a program that was built with -trimpath does not know it.
func goRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find Go's source: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// clip is the first n bytes of a text, to the end of a character.
func clip(s string, n int) string { return strings.ToValidUTF8(s[:min(n, len(s))], "") }

func fill(n int, part func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(part(i))
	}
	return clip(b.String(), n)
}

// source is Go code, and of other files what their comments say.
func source(dir string, n int) (code, prose string, err error) {
	var both [2]strings.Builder
	i := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "vendor"):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || d.IsDir():
			return nil
		case both[0].Len() > n && both[1].Len() > n:
			return fs.SkipAll
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if i++; i%2 == 0 {
			both[0].Write(data)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, c := range file.Comments[min(1, len(file.Comments)):] { // not the copyright
			both[1].WriteString(strings.ReplaceAll(c.Text(), "\n", " ") + "\n")
		}
		return nil
	})
	if err != nil {
		return "", "", fmt.Errorf("read source: %w", err)
	}
	return clip(both[0].String(), n), clip(both[1].String(), n), nil
}

// markdown is the documents in some folders.
func markdown(n int, dirs ...string) (string, error) {
	var b strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
				return err
			}
			data, err := os.ReadFile(path)
			b.Write(data)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("read documents: %w", err)
		}
	}
	return clip(b.String(), n), nil
}

func logLine(r *rand.Rand) func(int) string {
	words := strings.Fields("users orders sessions config result buffer message window entry cache queue worker tenant invoice ledger")
	levels := strings.Fields("INFO INFO INFO WARN ERROR DEBUG")
	said := []string{
		"request finished", "cache miss, reading from the store", "retrying after a timeout", "connection reset by peer",
		"accepted a new client", "slow query", "flushed to disk", "lost the lease, stepping down",
	}
	return func(int) string {
		return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02d.%03dZ %s [worker-%d] %s: %s request_id=%08x status=%d bytes=%d took=%.2fms path=/api/v1/%s/%d\n",
			r.IntN(12)+1, r.IntN(28)+1, r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), levels[r.IntN(len(levels))], r.IntN(16),
			words[r.IntN(len(words))], said[r.IntN(len(said))], r.Uint32(), 200+100*r.IntN(4), r.IntN(100_000), 90*r.Float64(), words[r.IntN(len(words))], r.IntN(10_000))
	}
}

// phrase makes sentences of common Chinese and Japanese words.
func phrase(r *rand.Rand) func(int) string {
	chinese := strings.Fields("我们 你们 他们 今天 明天 昨天 时间 问题 工作 系统 数据 服务 消息 请求 响应 错误 测试 文件 用户 程序 代码 结果 配置 内存 网络 数据库 接口 " +
		"可以 需要 已经 没有 应该 必须 如果 因为 所以 但是 然后 开始 结束 检查 修改 增加 删除 保存 读取 等待 完成 失败 成功 解释 讨论 计划 时候 地方 方法 部分 " +
		"的 了 在 是 和 有 不 很 也 都 就 要 会 能 把 被 从 到 对 给 上 下 里 这个 那个 一个 每次 所有 其他 重要 简单 复杂 较早 缓慢 安全")
	japanese := strings.Fields("これは それは 私たちは 時間 問題 仕事 システム データ サービス メッセージ 要求 応答 エラー テスト ファイル 利用者 結果 設定 " +
		"を が に で と は も から まで より について ため こと もの とき 保存 確認 変更 追加 削除 開始 終了 します しました できる できない なければ ならない 古い 新しい 重要な")
	return func(i int) string {
		words, stop, end := chinese, "，", "。"
		if i%2 == 1 {
			words, stop = japanese, "、"
		}
		var b strings.Builder
		for k := range 8 + r.IntN(16) {
			b.WriteString(words[r.IntN(len(words))])
			if k%6 == 5 {
				b.WriteString(stop)
			}
		}
		b.WriteString(end)
		if i%4 > 1 {
			b.WriteByte('\n')
		}
		return b.String()
	}
}
