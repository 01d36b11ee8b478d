package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// browse starts the user's browser. forget takes away what was written for it, also after an error.
func browse(ctx context.Context, address string) (forget func() error, err error) {
	dir, file, err := writeRedirect(address)
	if err == nil {
		err = startBrowser(ctx, file)
	}
	return func() error {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove the file for the browser: %w", err)
		}
		return nil
	}, err
}

// writeRedirect writes a file that leads to an address, in a folder of its own that only its user
// can read. The address holds a token, and everybody on the machine can read the arguments
// with which a browser is started.
func writeRedirect(address string) (dir, file string, err error) {
	dir, err = os.MkdirTemp("", "precis-inspect-") // for its owner alone
	if err != nil {
		return "", "", err
	}
	file = filepath.Join(dir, "open.html")
	page := fmt.Sprintf("<!doctype html><meta charset=\"utf-8\"><title>Précis</title><meta http-equiv=\"refresh\" content=\"0; url=%[1]s\"><a href=\"%[1]s\">Go on</a>\n", html.EscapeString(address))
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		return "", "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, file, nil
}

// startBrowser opens a file in the browser.
func startBrowser(ctx context.Context, file string) error {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	address := (&url.URL{Scheme: "file", Path: path}).String()
	var c *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		c = exec.CommandContext(ctx, "open", address)
	case "windows":
		c = exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", address)
	default:
		c = exec.CommandContext(ctx, "xdg-open", address)
	}
	if err := c.Start(); err != nil {
		return err
	}
	go func() { _ = c.Wait() }() // how it goes on is the browser's matter
	return nil
}
