package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"
)

// builtAsRelease makes this program a release while a test runs.
func builtAsRelease(t *testing.T, version, commit, time string) {
	was := [3]string{releaseVersion, releaseCommit, releaseTime}
	releaseVersion, releaseCommit, releaseTime = version, commit, time
	t.Cleanup(func() { releaseVersion, releaseCommit, releaseTime = was[0], was[1], was[2] })
}

// The feed is asked with --check and at no other time; the answer says which version is
// newer, and where it is.
func TestUpdateCheck(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	asked, answer := 0, ""
	feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = io.WriteString(w, answer)
	}))
	defer feed.Close()
	precis := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append(args, "--feed", feed.URL), bytes.NewReader(nil), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	code, out, told := precis("update")
	if code != exitUsage || out != "" || !strings.Contains(told, "nothing was asked") || asked != 0 {
		t.Errorf("without --check: exit code %d, %q, %q, asked %d times", code, out, told, asked)
	}
	answer = `{"tag_name":"v1.3.0","html_url":"https://example.org/v1.3.0"}`
	for have, want := range map[string]string{
		"v1.2.0": "v1.3.0 is newer than this one, v1.2.0\nhttps://example.org/v1.3.0\n",
		"v1.3.0": "this is the newest release, v1.3.0\n",
		"v1.4.0": "this one, v1.4.0, is newer than the newest release, v1.3.0\nhttps://example.org/v1.3.0\n",
		"main":   "the newest release is v1.3.0; this build has no version to compare (main)\nhttps://example.org/v1.3.0\n",
	} {
		builtAsRelease(t, have, "", "")
		if code, out, told := precis("update", "--check"); code != exitOK || out != want {
			t.Errorf("%s: exit code %d, %q, %s", have, code, out, told)
		}
	}
	builtAsRelease(t, "v1.2.0", "", "")
	if _, out, _ := precis("update", "--check", "--json"); !strings.Contains(out, `"newer": true`) || !strings.Contains(out, `"latest": "v1.3.0"`) {
		t.Errorf("as JSON: %s", out)
	}
	if answer = `{"tag_name":"\u001b[2Jv9"}`; asked != 5 {
		t.Errorf("asked %d times, want 5", asked)
	}
	if code, _, told := precis("update", "--check"); code != exitFailed || !strings.Contains(told, "is not in the form v1.2.3") || strings.Contains(told, "\x1b") {
		t.Errorf("a feed that says nothing of use: exit code %d, %q", code, told)
	}
}

// A release says of itself what the linker was told; another build, what the go command
// recorded; one without either has no version.
func TestBuildData(t *testing.T) {
	recorded := &debug.BuildInfo{
		Main:     debug.Module{Version: "v1.1.1-0.20261101120000-abcdef123456"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abcdef"}, {Key: "vcs.time", Value: "2026-11-01T12:00:00Z"}, {Key: "vcs.modified", Value: "true"}},
	}
	if b := builtAs(recorded); b.Version != recorded.Main.Version || b.Commit != "abcdef" || b.Time != "2026-11-01T12:00:00Z" || !b.Modified {
		t.Errorf("a build in a clone: %+v", b)
	}
	if b := builtAs(nil); b.Version != "unknown" || b.Commit != "" || b.Go == "" || b.Platform == "" {
		t.Errorf("a build without a record: %+v", b)
	}
	builtAsRelease(t, "v1.2.0", "123456", "2026-11-02T12:00:00Z")
	if b := builtAs(recorded); b.Version != "v1.2.0" || b.Commit != "123456" || b.Time != "2026-11-02T12:00:00Z" {
		t.Errorf("a release: %+v", b)
	}
}
