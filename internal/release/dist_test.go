package release_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// artifact is one that goreleaser made.
type artifact struct {
	Name, Path, Type string
	OS               string `json:"goos"`
	Arch             string `json:"goarch"`
	Extra            struct{ Format string }
}

const root = "../.."

// platforms are those of a release. A snapshot of this machine's platform alone has one.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// programs are what goreleaser built, one for each platform.
func programs(t *testing.T) []artifact {
	t.Helper()
	all := built(t, "Binary")
	want := platforms
	if os.Getenv("PRECIS_SNAPSHOT") == "short" {
		want = []string{runtime.GOOS + "/" + runtime.GOARCH}
	}
	for _, platform := range want {
		if !slices.ContainsFunc(all, func(a artifact) bool { return a.OS+"/"+a.Arch == platform }) {
			t.Errorf("no program for %s in dist", platform)
		}
	}
	if len(all) != len(want) {
		t.Errorf("%d programs in dist, want %d", len(all), len(want))
	}
	return all
}

// forEach wants an artifact of a type for each program.
func forEach(t *testing.T, kind string) []artifact {
	t.Helper()
	all, want := built(t, kind), len(programs(t))
	if len(all) != want {
		t.Fatalf("%d of type %q in dist, want %d", len(all), kind, want)
	}
	return all
}

// ofSnapshot leaves a test to make snapshot and make snapshot-short.
func ofSnapshot(t *testing.T) {
	t.Helper()
	if _, ok := os.LookupEnv("PRECIS_SNAPSHOT"); !ok {
		t.Skip("a test of what goreleaser built: make snapshot-short")
	}
}

// built are the artifacts of a type in dist.
func built(t *testing.T, kind string) (all []artifact) {
	t.Helper()
	ofSnapshot(t)
	data, err := os.ReadFile(root + "/dist/artifacts.json")
	var every []artifact
	if err == nil {
		err = json.Unmarshal(data, &every)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range every {
		if a.Type == kind {
			a.Path = filepath.Join(root, a.Path)
			all = append(all, a)
		}
	}
	return all
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// output is what a command prints on its standard output.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), name, args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, &stderr)
	}
	return string(out)
}

// saysWhatItIs wants a program that says its version, commit and date.
func saysWhatItIs(t *testing.T, name string, args ...string) {
	t.Helper()
	var says struct{ Version, Commit, Time, Platform string }
	if err := json.Unmarshal([]byte(output(t, name, append(args, "version", "--json")...)), &says); err != nil {
		t.Fatal(err)
	}
	var released struct{ Version string }
	if err := json.Unmarshal(read(t, root+"/dist/metadata.json"), &released); err != nil {
		t.Fatal(err)
	}
	commit := strings.TrimSpace(output(t, "git", "-C", root, "rev-parse", "HEAD"))
	if strings.TrimSuffix(says.Version, "+dirty") != "v"+released.Version || says.Commit != commit {
		t.Errorf("%s is %s of commit %s; built was v%s of %s", name, says.Version, says.Commit, released.Version, commit)
	}
	if at, err := time.Parse(time.RFC3339, says.Time); err != nil || at.IsZero() {
		t.Errorf("%s: time of the commit %q", name, says.Time)
	}
	if want := runtime.GOOS + "/" + runtime.GOARCH; says.Platform != want {
		t.Errorf("%s is for %s, want %s", name, says.Platform, want)
	}
}

// filesOf unpacks an archive in memory.
func filesOf(t *testing.T, path string) map[string][]byte {
	t.Helper()
	data, files := read(t, path), map[string][]byte{}
	keep := func(name string, r io.Reader, err error) {
		if err == nil {
			files[name], err = io.ReadAll(r)
		}
		if err != nil {
			t.Fatalf("%s: %s: %v", path, name, err)
		}
	}
	if strings.HasSuffix(path, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			keep(f.Name, r, err)
		}
		return files
	}
	g, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		keep(h.Name, r, nil)
	}
}

// Each archive has the program of its platform, licence, notices, manual pages and
// completions; that of this platform says what it was built from.
//
// SPEC: B29
func TestArchives(t *testing.T) {
	for _, a := range forEach(t, "Archive") {
		files, program := filesOf(t, a.Path), "precis"
		if a.OS == "windows" {
			program += ".exe"
		}
		for _, name := range []string{
			program, "LICENSE", "NOTICES.txt", "CHANGELOG.md", "man/precis.1", "man/precis-compact.1",
			"completions/precis.bash", "completions/precis.zsh", "completions/precis.fish", "completions/precis.ps1",
		} {
			if len(files[name]) == 0 {
				t.Errorf("%s has no %s", a.Name, name)
			}
		}
		info, err := buildinfo.Read(bytes.NewReader(files[program]))
		if err != nil {
			t.Errorf("%s: %v", a.Name, err)
			continue
		}
		said := map[string]string{}
		for _, s := range info.Settings {
			said[s.Key] = s.Value
		}
		if said["GOOS"] != a.OS || said["GOARCH"] != a.Arch || said["CGO_ENABLED"] != "0" {
			t.Errorf("the program of %s is for %s/%s, cgo %s", a.Name, said["GOOS"], said["GOARCH"], said["CGO_ENABLED"])
		}
		if a.OS == runtime.GOOS && a.Arch == runtime.GOARCH {
			file := filepath.Join(t.TempDir(), program)
			if err := os.WriteFile(file, files[program], 0o755); err != nil {
				t.Fatal(err)
			}
			saysWhatItIs(t, file)
		}
	}
}

// The checksums are those of the files, and no file that is published lacks one.
func TestChecksums(t *testing.T) {
	of := checksums(t)
	for name, sum := range of {
		if got := fmt.Sprintf("%x", sha256.Sum256(read(t, root+"/dist/"+name))); got != sum {
			t.Errorf("%s: %s, want %s", name, got, sum)
		}
	}
	for _, kind := range []string{"Archive", "Linux Package", "SBOM"} {
		for _, a := range built(t, kind) {
			if of[a.Name] == "" {
				t.Errorf("%s has no checksum", a.Name)
			}
		}
	}
}

func checksums(t *testing.T) map[string]string {
	t.Helper()
	of := map[string]string{}
	lists := built(t, "Checksum")
	if len(lists) != 1 {
		t.Fatalf("%d lists of checksums in dist", len(lists))
	}
	for line := range strings.Lines(string(read(t, lists[0].Path))) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("checksums: %q", line)
		}
		of[name] = sum
	}
	return of
}

// A bill of materials names the program that it is of, by its hash, and every module in it.
func TestBills(t *testing.T) {
	paths := map[string]string{} // of programs, by their hash
	for _, a := range programs(t) {
		paths[fmt.Sprintf("%x", sha256.Sum256(read(t, a.Path)))] = a.Path
	}
	for _, a := range forEach(t, "SBOM") {
		var bill struct {
			BOMFormat, SpecVersion string
			Metadata               struct {
				Component struct {
					Name   string
					Hashes []struct{ Content string }
				}
			}
			Components []struct{ Name, Version, PURL string }
		}
		if err := json.Unmarshal(read(t, a.Path), &bill); err != nil {
			t.Fatal(err)
		}
		about := bill.Metadata.Component
		if bill.BOMFormat != "CycloneDX" || about.Name != "precis" || len(about.Hashes) != 1 || paths[about.Hashes[0].Content] == "" {
			t.Errorf("%s is of %+v", a.Name, about)
			continue
		}
		info, err := buildinfo.ReadFile(paths[about.Hashes[0].Content])
		if err != nil {
			t.Fatal(err)
		}
		if len(bill.Components) != len(info.Deps)+1 || bill.Components[0].Name != "stdlib" {
			t.Errorf("%s has %d components; the program has %d modules and the standard library", a.Name, len(bill.Components), len(info.Deps))
		}
		for i, m := range info.Deps {
			if c := bill.Components[i+1]; c.Name != m.Path || c.Version != m.Version || !strings.HasPrefix(c.PURL, "pkg:golang/"+m.Path+"@") {
				t.Errorf("%s: %+v, want %s@%s", a.Name, c, m.Path, m.Version)
			}
		}
	}
}
