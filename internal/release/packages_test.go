//go:build unix

package release_test

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// inPackages is what stands in packages of Linux, beside the completions of zsh, whose
// folder is another in each family.
var inPackages = []string{
	"/usr/bin/precis", "/usr/share/man/man1/precis.1.gz", "/usr/share/man/man1/precis-compact.1.gz",
	"/usr/share/bash-completion/completions/precis", "/usr/share/fish/vendor_completions.d/precis.fish",
	"/usr/share/doc/precis/NOTICES.txt",
}

// needs skips a test where a program is missing.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("NOT TESTED: there is no %s here", program)
	}
}

// A Debian package has all its files, and its program runs.
func TestDeb(t *testing.T) {
	needs(t, "dpkg-deb")
	for _, a := range packages(t, "deb") {
		list := output(t, "dpkg-deb", "-c", a.Path)
		for _, name := range append(inPackages, "/usr/share/zsh/vendor-completions/_precis", "/usr/share/doc/precis/copyright") {
			if !strings.Contains(list, " ."+name+"\n") {
				t.Errorf("%s has no %s:\n%s", a.Name, name, list)
			}
		}
		if got := strings.TrimSpace(output(t, "dpkg-deb", "-f", a.Path, "Architecture")); got != a.Arch {
			t.Errorf("%s is for %s", a.Name, got)
		}
		if a.OS == runtime.GOOS && a.Arch == runtime.GOARCH {
			dir := t.TempDir()
			output(t, "dpkg-deb", "-x", a.Path, dir)
			saysWhatItIs(t, filepath.Join(dir, "usr/bin/precis"))
		}
	}
}

// An RPM package has all its files.
func TestRPM(t *testing.T) {
	needs(t, "rpm")
	for _, a := range packages(t, "rpm") {
		list := output(t, "rpm", "-qlp", a.Path)
		for _, name := range append(inPackages, "/usr/share/zsh/site-functions/_precis", "/usr/share/licenses/precis/LICENSE") {
			if !strings.Contains("\n"+list, "\n"+name+"\n") {
				t.Errorf("%s has no %s:\n%s", a.Name, name, list)
			}
		}
		want := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[a.Arch]
		if got := output(t, "rpm", "-qp", "--qf", "%{ARCH} %{LICENSE}", a.Path); got != want+" Apache-2.0" {
			t.Errorf("%s is %s", a.Name, got)
		}
	}
}

// packages are those of a format, one for each program for Linux.
func packages(t *testing.T, format string) (all []artifact) {
	t.Helper()
	want := 0
	for _, p := range programs(t) {
		if p.OS == "linux" {
			want++
		}
	}
	for _, a := range built(t, "Linux Package") {
		if a.Extra.Format == format {
			all = append(all, a)
		}
	}
	if len(all) != want {
		t.Fatalf("%d packages as %s, want %d", len(all), format, want)
	}
	return all
}

// The cask names the archives of macOS and Linux with their checksums, and what it installs
// beside the program is in them.
func TestCask(t *testing.T) {
	casks := built(t, "Homebrew Cask")
	if len(casks) != 1 {
		t.Fatalf("%d casks in dist", len(casks))
	}
	cask := string(read(t, casks[0].Path))
	of, files := checksums(t), map[string][]byte{}
	for _, a := range forEach(t, "Archive") {
		if a.OS == "windows" {
			continue
		}
		files = filesOf(t, a.Path)
		if !strings.Contains(cask, of[a.Name]) {
			t.Errorf("the cask has no checksum of %s", a.Name)
		}
	}
	installed := regexp.MustCompile(`(?m)^ +(?:binary|manpage|\w+_completion) "([^"]+)"`).FindAllStringSubmatch(cask, -1)
	for _, m := range installed {
		if len(files[m[1]]) == 0 {
			t.Errorf("the cask installs %s, which is not in the archives", m[1])
		}
	}
	if len(installed) < 30 { // a manual page for each command
		t.Errorf("the cask installs %d files:\n%s", len(installed), cask)
	}
	if _, err := exec.LookPath("ruby"); err == nil {
		c := exec.CommandContext(t.Context(), "ruby", "-c")
		c.Stdin = strings.NewReader(cask)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("the cask is not Ruby: %s", out)
		}
	}
}

// The programs that the image is made of need nothing beside them: no loader and no library.
// As root, one runs where there is nothing else.
func TestImage(t *testing.T) {
	dockerfile := string(read(t, root+"/Dockerfile"))
	if !strings.Contains(dockerfile, "COPY ${TARGETPLATFORM}/precis /usr/bin/precis") || !strings.Contains(dockerfile, `ENTRYPOINT ["/usr/bin/precis"]`) {
		t.Errorf("the Dockerfile does not start what it copies:\n%s", dockerfile)
	}
	for _, a := range programs(t) {
		if a.OS != "linux" {
			continue
		}
		f, err := elf.Open(a.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
				t.Errorf("%s is not static", a.Path)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS == "linux" && a.Arch == runtime.GOARCH && os.Geteuid() == 0 {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "precis"), read(t, a.Path), 0o755); err != nil {
				t.Fatal(err)
			}
			c := exec.CommandContext(t.Context(), "/precis", "version")
			c.SysProcAttr, c.Dir = &syscall.SysProcAttr{Chroot: dir}, "/"
			c.Env = []string{} // not even a home
			if out, err := c.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("built by")) {
				t.Errorf("alone in a folder: %v\n%s", err, out)
			}
		}
	}
}

// The packages of npm, packed and installed without a network, give a command that runs the
// program: its output, its exit code, its input, and the signal that ends it.
func TestNpm(t *testing.T) {
	needs(t, "npm")
	programs(t)
	cpu, ok := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if !ok {
		t.Skip("NOT TESTED: npm has packages for amd64 and arm64")
	}
	platform, dir := runtime.GOOS+"-"+cpu, t.TempDir()
	output(t, "node", root+"/npm/fill.js", root+"/dist", dir, platform)
	var about struct {
		OptionalDependencies map[string]string
	}
	if err := json.Unmarshal(read(t, dir+"/precis/package.json"), &about); err != nil || len(about.OptionalDependencies) != len(platforms) {
		t.Fatalf("the package depends on %v (%v)", about.OptionalDependencies, err)
	}
	var packed []string
	for _, name := range []string{"precis", "precis-" + platform} {
		file := strings.TrimSpace(output(t, "npm", "pack", "--silent", "--pack-destination", dir, filepath.Join(dir, name)))
		packed = append(packed, filepath.Join(dir, file))
	}
	home := t.TempDir()
	if err := os.WriteFile(home+"/package.json", []byte(`{"private": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, "npm", append([]string{"install", "--prefix", home, "--offline", "--no-audit", "--no-fund", "--loglevel=error"}, packed...)...)
	command := home + "/node_modules/.bin/precis"
	saysWhatItIs(t, command)
	var exit *exec.ExitError
	if err := exec.CommandContext(t.Context(), command, "version", "now").Run(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("an argument too many: %v, want exit code 2", err)
	}
	count := exec.CommandContext(t.Context(), command, "count", "-", "--json")
	count.Stdin = strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"hello"}]}`)
	if out, err := count.Output(); err != nil || !bytes.Contains(out, []byte(`"window": 128000`)) {
		t.Errorf("count of standard input: %v\n%s", err, out)
	}
	endsWithSignal(t, command, home)
}

// endsWithSignal starts a server by the command, ends the command, and wants the server to
// be gone.
func endsWithSignal(t *testing.T, command, home string) {
	t.Helper()
	serve := exec.CommandContext(t.Context(), command, "serve", "--listen", "127.0.0.1:0", "--db", home+"/p.db")
	serve.Env = append(os.Environ(), "HOME="+home)
	stdout, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Process.Kill() }) // it has ended
	said, buf := "", make([]byte, 4096)
	listens := regexp.MustCompile(`127\.0\.0\.1:[1-9][0-9]*`)
	for !strings.Contains(said, "\n") {
		n, err := stdout.Read(buf)
		if said += string(buf[:n]); err != nil {
			t.Fatalf("serve said %q: %v", said, err)
		}
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = serve.Wait() // how it ends is the server's affair
	if c, err := net.Dial("tcp", listens.FindString(said)); err == nil {
		_ = c.Close()
		t.Errorf("the server goes on after the command has ended: %s", said)
	}
}

// What the workflow of a release runs is here.
func TestWorkflow(t *testing.T) {
	flow := string(read(t, root+"/.github/workflows/release.yml"))
	for _, used := range []string{".ci/tools/go.mod", "npm/fill.js", ".ci/npm-publish"} {
		if !strings.Contains(flow, used) {
			t.Errorf("the workflow does not use %s", used)
		}
		if _, err := os.Stat(filepath.Join(root, used)); err != nil {
			t.Errorf("the workflow uses what is not there: %v", err)
		}
	}
}
