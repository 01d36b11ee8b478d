//go:build unix

// Package tests3 boots a real S3-compatible server, versitygw, for tests.
//
// Use: Start. Law: a server lives in a temporary directory, listens on a free port of the
// loopback address, and ends with its test. Promise: without the program a test is skipped
// with the way to get it, and in continuous integration (CI is set) it fails.
package tests3

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a running server with one bucket. The variables of the test's environment
// hold its credentials.
type Server struct {
	Port int
	Dir  string // holds the bucket's objects as files
	cmd  *exec.Cmd
	t    testing.TB
}

// Start boots a server for a test, which may not be parallel to others.
func Start(t *testing.T) *Server {
	t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		out, _ := exec.Command("go", "env", "GOPATH").Output()
		program = filepath.Join(string(out[:max(0, len(out)-1)]), "bin", "versitygw")
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no versitygw found: .ci/services installs it")
		}
		t.Skip("no S3 server found: .ci/services installs versitygw")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Port: l.Addr().(*net.TCPAddr).Port, Dir: t.TempDir(), t: t}
	_ = l.Close() // it was only asked for its port
	if err := os.Mkdir(filepath.Join(s.Dir, "bucket"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "access")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-of-the-test")
	s.cmd = exec.Command(program, "--quiet", "--access", "access", "--secret", "secret-of-the-test",
		"--port", fmt.Sprintf("127.0.0.1:%d", s.Port), "posix", "--sidecar", t.TempDir(), s.Dir)
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	for range 200 {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port))
		if err == nil {
			_ = c.Close() // it answers
			return s
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("versitygw does not answer")
	return nil
}

// Kill ends the server.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it ended by a signal
}

// URL names the bucket.
func (s *Server) URL() string {
	return fmt.Sprintf("s3://bucket/some/prefix?endpoint=http://127.0.0.1:%d", s.Port)
}

// Pause has the server take connections and answer nothing, until Continue. It returns once the
// server has stopped, where the system tells (/proc).
func (s *Server) Pause() {
	_ = s.cmd.Process.Signal(syscall.SIGSTOP)
	for range 100 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
		if _, after, ok := strings.Cut(string(stat), ") "); err != nil || ok && strings.HasPrefix(after, "T") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Continue ends Pause.
func (s *Server) Continue() { _ = s.cmd.Process.Signal(syscall.SIGCONT) }
