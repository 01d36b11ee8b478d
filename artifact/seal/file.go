package seal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ReadFile reads a ring that CreateFile or ReplaceFile wrote: a Tink keyset in JSON,
// whose keys stand in it in the clear.
func ReadFile(path string) (*Keyring, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read key file: %w", err)
	}
	r, err := Unmarshal(data, nil)
	if err != nil {
		return nil, fmt.Errorf("read key file %s: %w", path, err)
	}
	return r, nil
}

// CreateFile writes the ring to a new file that only its owner can read, and on to the
// disk. A file that is there is an error (fs.ErrExist): it may hold the only copy of a
// key.
func (r *Keyring) CreateFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write key file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write key file: %w", err)
	}
	if err := r.writeTo(f); err != nil {
		return errors.Join(fmt.Errorf("write key file: %w", err), os.Remove(path))
	}
	return nil
}

// ReplaceFile writes the ring in place of a file, in one step: whoever reads it finds the
// old ring or the new one.
func (r *Keyring) ReplaceFile(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // its owner's alone
	if err != nil {
		return fmt.Errorf("replace key file: %w", err)
	}
	if err = r.writeTo(f); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("replace key file: %w", err), os.Remove(f.Name()))
	}
	return nil
}

func (r *Keyring) writeTo(f *os.File) error {
	data, err := r.Marshal(nil)
	if err == nil {
		_, err = f.Write(append(data, '\n'))
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
