//go:build unix

// Package testpostgres boots real PostgreSQL servers for tests.
//
// Use: Start in a test, Boot where there is none. Law: a server lives in a temporary
// directory, listens on a free port of the loopback address, and ends with its Stop.
// Promise: without the binaries a test is skipped with the way to get them, and in
// continuous integration (CI is set) it fails.
package testpostgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ErrMissing: the binaries of PostgreSQL are not on this machine.
var ErrMissing = errors.New("no PostgreSQL found: run .ci/services, or install your distribution's postgresql package")

// Server is a running server. Its superuser is postgres, without a password.
type Server struct {
	Dir  string // holds data/ and the log
	Port int

	bin  string
	user *syscall.Credential // nil: the caller's own
	args []string
	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended
}

// Binary returns the path of a program of PostgreSQL's, or of one beside it.
func Binary(name string) (string, error) {
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/", "/usr/local/pgsql/bin/", "/opt/homebrew/bin/", "/usr/sbin/"} {
		found, _ := filepath.Glob(pattern + name)
		slices.Sort(found)
		if len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", ErrMissing
}

// Start boots a server for a test. settings are lines of postgresql.conf.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := Boot(settings...)
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Boot makes a cluster and starts its server. Without settings it does not wait for the
// disk: such a server survives the kill of its processes, not that of the machine.
func Boot(settings ...string) (*Server, error) {
	initdb, err := Binary("initdb")
	if err != nil {
		return nil, err
	}
	s, err := empty(filepath.Dir(initdb))
	if err != nil {
		return nil, err
	}
	if out, err := s.command("initdb", "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "-D", s.data()).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	if len(settings) == 0 {
		settings = []string{"fsync=off", "full_page_writes=off"}
	}
	return s, s.configure(settings)
}

// empty makes a server's directory.
func empty(bin string) (*Server, error) {
	s := &Server{bin: bin}
	var err error
	if s.Dir, err = os.MkdirTemp("", "precis-pg-"); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 { // the server refuses to run as root
		u, err := user.Lookup("postgres")
		if err != nil {
			return nil, fmt.Errorf("%w (%w)", ErrMissing, err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		s.user = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(s.Dir, uid, gid); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// configure takes a free port and starts the server with settings.
func (s *Server) configure(settings []string) error {
	var err error
	if s.Port, err = FreePort(); err != nil {
		return err
	}
	s.args = []string{"-D", s.data(), "-p", strconv.Itoa(s.Port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="}
	for _, line := range append([]string{"max_connections=100"}, settings...) {
		s.args = append(s.args, "-c", line)
	}
	return s.Run()
}

// FreePort returns a port of the loopback address on which nobody listens.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }() // it was only asked for its port
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

func (s *Server) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(s.bin, name), args...)
	c.Dir = s.Dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.user, Setpgid: true}
	return c
}

// Run starts the server, also after Kill or Stop, and waits until it answers.
func (s *Server) Run() (err error) {
	for range 50 { // what was killed holds its memory for longer where the machine is busy
		if err = s.run(); err == nil {
			return nil
		}
		s.signal(syscall.SIGKILL)
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

func (s *Server) run() error {
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the server has its own
	s.cmd = s.command("postgres", s.args...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	s.await()
	return s.wait()
}

// await notes when the program ends.
func (s *Server) await() {
	s.done = make(chan struct{})
	go func(c *exec.Cmd, done chan struct{}) {
		_ = c.Wait() // it ends by a signal, as a rule
		close(done)
	}(s.cmd, s.done)
}

// wait waits until the server answers.
func (s *Server) wait() error {
	for range 600 {
		if s.command("pg_isready", "-q", "-h", "127.0.0.1", "-p", strconv.Itoa(s.Port)).Run() == nil {
			return nil
		}
		select {
		case <-s.done:
			said, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
			return fmt.Errorf("postgres ended: %s", said)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return errors.New("postgres does not answer")
}

// URL names a database of the server.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.Port, database)
}

// Query runs SQL in a database and returns what psql prints of it.
func (s *Server) Query(ctx context.Context, database, sql string) (string, error) {
	psql, err := Binary("psql")
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, psql, "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", s.URL(database), "-c", sql).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("psql: %w: %s", err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// Kill ends every process of the server at once, as kill -9 does.
func (s *Server) Kill() { s.signal(syscall.SIGKILL) }

func (s *Server) signal(sig syscall.Signal) {
	if s.cmd == nil {
		return
	}
	if sig == syscall.SIGKILL {
		_ = s.cmd.Process.Signal(syscall.SIGSTOP) // it starts no more children
	}
	children, _ := exec.Command("pgrep", "-P", strconv.Itoa(s.cmd.Process.Pid)).Output()
	_ = s.cmd.Process.Signal(sig)
	if sig == syscall.SIGKILL {
		for _, pid := range strings.Fields(string(children)) {
			if n, err := strconv.Atoi(pid); err == nil {
				_ = syscall.Kill(n, sig)
			}
		}
	}
	<-s.done
	s.cmd = nil
}

// Stop ends the server and removes its directory.
func (s *Server) Stop() {
	s.signal(syscall.SIGINT) // fast: sessions are ended
	_ = os.RemoveAll(s.Dir)
}

// Replica makes a streaming replica of the server and starts it.
func (s *Server) Replica(name string, settings ...string) (*Server, error) {
	r, err := empty(s.bin)
	if err != nil {
		return nil, err
	}
	source := fmt.Sprintf("host=127.0.0.1 port=%d user=postgres application_name=%s", s.Port, name)
	if out, err := r.command("pg_basebackup", "-D", r.data(), "-R", "-X", "stream", "-c", "fast", "-d", source).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("pg_basebackup: %w: %s", err, out)
	}
	return r, r.configure(settings)
}

// Promote makes a replica the primary server.
func (s *Server) Promote() error {
	if out, err := s.command("pg_ctl", "-D", s.data(), "-w", "promote").CombinedOutput(); err != nil {
		return fmt.Errorf("promote: %w: %s", err, out)
	}
	return nil
}

// Pooler starts PgBouncer in transaction mode in front of the server, with few
// connections of its own, and returns the URL of a database through it.
func (s *Server) Pooler(t testing.TB, database string, connections int) string {
	t.Helper()
	bin, err := Binary("pgbouncer")
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		t.Skip("no PgBouncer found: run .ci/services")
	}
	port, portErr := FreePort()
	if err := errors.Join(err, portErr); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%d user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = %d
max_client_conn = 500
ignore_startup_parameters = extra_float_digits
`, s.Port, port, connections)
	path := filepath.Join(s.Dir, fmt.Sprintf("pgbouncer-%d.ini", port))
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(bin, "-q", path)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.user}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	through := &Server{bin: s.bin, user: s.user, Dir: s.Dir, Port: port, cmd: c}
	through.await()
	if err := through.wait(); err != nil {
		t.Fatal(err)
	}
	return through.URL(database)
}

// Database makes an empty database and returns its URL.
func (s *Server) Database(t testing.TB, name string) string {
	t.Helper()
	if _, err := s.Query(t.Context(), "postgres", "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.URL(name)
}
