//go:build unix

package testpostgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Folder makes an empty folder that the server can write, beside its data.
func (s *Server) Folder(name string) (string, error) {
	dir := filepath.Join(s.Dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	if s.user == nil {
		return dir, nil
	}
	return dir, os.Chown(dir, int(s.user.Uid), int(s.user.Gid))
}

// Backup makes a base backup while the server runs, and returns its folder.
func (s *Server) Backup(name string) (string, error) {
	dir := filepath.Join(s.Dir, name)
	source := fmt.Sprintf("host=127.0.0.1 port=%d user=postgres", s.Port)
	if out, err := s.command("pg_basebackup", "-D", dir, "-X", "stream", "-c", "fast", "-d", source).CombinedOutput(); err != nil {
		return "", fmt.Errorf("pg_basebackup: %w: %s", err, out)
	}
	return dir, nil
}

// Script runs a shell script as the server's user, with PostgreSQL's programs in its PATH.
func (s *Server) Script(ctx context.Context, path string, args ...string) error {
	c := s.command("postgres")
	c.Path, c.Args = "/bin/sh", append([]string{"sh", path}, args...)
	c.Env = append(os.Environ(), "PATH="+s.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	log, err := os.CreateTemp(s.Dir, "script-")
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	c.Stdout, c.Stderr = log, log // no pipe: what the script starts would hold it open
	if err := c.Start(); err != nil {
		return err
	}
	if err := c.Wait(); err != nil || ctx.Err() != nil {
		said, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w: %s", path, err, said)
	}
	return nil
}

// StopAt ends a server that a script started on a folder.
func (s *Server) StopAt(data string) error {
	if out, err := s.command("pg_ctl", "-D", data, "-w", "-m", "fast", "stop").CombinedOutput(); err != nil {
		return fmt.Errorf("stop server: %w: %s", err, out)
	}
	return nil
}
