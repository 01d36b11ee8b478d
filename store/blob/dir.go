package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// dir keeps each object in a file.
type dir struct{ root *os.Root }

func openDir(path string) (*dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("open blob store: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open blob store: %w", err)
	}
	return &dir{root}, nil
}

func (d *dir) Close() error { return d.root.Close() }

// Put writes a file beside its place, under a name of its own, and moves it there when it is
// on disk.
func (d *dir) Put(ctx context.Context, name string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	beside := name + "." + rand.Text() + ".part"
	f, err := d.create(beside)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = d.root.Rename(beside, name)
	}
	if err != nil {
		return errors.Join(err, d.root.Remove(beside))
	}
	return d.syncDir(path.Dir(name))
}

// tries is how often a folder is made that others remove as empty.
const tries = 16

// create makes a file, and its folder where that is missing.
func (d *dir) create(name string) (f *os.File, err error) {
	for range tries {
		if err := d.root.MkdirAll(path.Dir(name), 0o700); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if f, err = d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, err
}

// syncDir makes the names in a folder durable. Not every system can.
func (d *dir) syncDir(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	_ = f.Sync()
	return f.Close()
}

func (d *dir) Get(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.root.ReadFile(name)
}

func (d *dir) Delete(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := d.root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_ = d.root.Remove(path.Dir(name)) // if it is empty now
	}
	return err
}

func (d *dir) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		err := fs.WalkDir(d.root.FS(), ".", func(p string, e fs.DirEntry, err error) error {
			name := filepath.ToSlash(p)
			switch {
			case errors.Is(err, fs.ErrNotExist) && p != ".":
				return nil // removed meanwhile
			case err != nil:
				return err
			case ctx.Err() != nil:
				return ctx.Err()
			case e.IsDir() || !strings.HasPrefix(name, prefix):
				return nil
			}
			fi, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil // removed meanwhile
			}
			if err == nil && !yield(Object{name, fi.Size(), fi.ModTime()}, nil) {
				return fs.SkipAll
			}
			return err
		})
		if err != nil {
			yield(Object{}, err)
		}
	}
}
