// Package install puts into an agent's files what it needs to reach Précis, and takes it
// out again.
//
// Use: Agents for what there is, Plan for what would change, then Apply each change; or
// Undo each, and Tidy. Law: a change adds entries of its own and touches no others;
// comments, order and spacing of a file stay. Promise: applying twice is applying once, and
// undoing gives back the bytes from before, unless somebody else has changed the file
// meanwhile: then only the own entries go. A folder that Apply made goes when it is empty.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Place is where agents keep their files.
type Place struct {
	Home string
	Env  func(name string) string // the environment's variables
}

// entry is one thing of ours in a file.
type entry interface {
	// add returns a file with the entry, and remove one without it. Both leave a file
	// that is as they want it.
	add(file []byte) ([]byte, error)
	remove(file []byte) ([]byte, error)
	// String names it for people.
	String() string
}

// target is a file of an agent and what is to stand in it.
type target struct {
	file    string
	entries []entry
	piece   string // what has to be asked for, "" for what every installation has
	folder  string // of a plugin, which goes when it is empty; "" for a file among others
}

// State tells which of a file's entries are there.
type State string

// The states.
const (
	Absent  State = "absent"  // none of them
	Present State = "present" // all of them
	Differs State = "differs" // some, or in another form
)

// Change is a file of an agent, as it is and as it would be.
type Change struct {
	File    string
	Folder  string   // of the plugin that the file is of, "" for none
	Entries []string // what is added, for people
	State   State
	// Before is the file as it is, nil if there is none; With and Without are the file
	// with the entries and without them.
	Before, With, Without []byte

	refused error // why the entries cannot be added to the file as it is, nil if they can
}

// backupSuffix ends the name of a file's copy from before.
const backupSuffix = ".before-precis"

// Backup is where the file is kept as it was before the first change.
func (c Change) Backup() string { return c.File + backupSuffix }

// Plan returns the changes that install an agent, which calls the program by this path,
// with the pieces that are asked for or there already. It reads the files and changes
// nothing.
func (a Agent) Plan(at Place, program string, pieces ...string) ([]Change, error) {
	var all []Change
	for _, t := range a.targets(at, program) {
		asked := t.piece == "" || slices.Contains(pieces, t.piece)
		c, err := t.plan()
		if !asked && (err != nil || c.State == Absent) {
			continue
		}
		if err == nil {
			err = c.refused
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", t.file, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// Installed returns the changes whose Undo takes an agent out again, with the pieces that are
// there. A file to which the entries cannot be added is no fault here: it only may hold some.
func (a Agent) Installed(at Place, program string) ([]Change, error) {
	var all []Change
	for _, t := range a.targets(at, program) {
		c, err := t.plan()
		if t.piece != "" && (err != nil || c.State == Absent) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", t.file, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// Offers reports whether an installation of the agent may have a piece.
func (a Agent) Offers(at Place, piece string) bool {
	return slices.ContainsFunc(a.targets(at, ""), func(t target) bool { return t.piece == piece })
}

// noPlaceError is of a file that can be read, and as it is written has no place for an entry.
type noPlaceError struct{ error }

// errNowhere is of a link whose file may be there again later.
var errNowhere = errors.New("it is a link to a file that is not there: make the file, or take the link away")

func (t target) plan() (c Change, err error) {
	c.File, c.Folder = t.file, t.folder
	if c.Before, err = os.ReadFile(t.file); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(t.file); err == nil {
			return c, errNowhere
		}
	} else if err != nil {
		return c, err
	}
	if c.With, err = t.apply(c.Before); errors.As(err, &noPlaceError{}) {
		c.refused = err
	} else if err != nil {
		return c, err
	}
	if c.Without, err = t.without(c.Before); err != nil {
		return c, err
	}
	for _, e := range t.entries {
		c.Entries = append(c.Entries, e.String())
	}
	switch {
	case c.refused == nil && bytes.Equal(c.Before, c.With):
		c.State = Present
	case bytes.Equal(c.Before, c.Without):
		c.State = Absent
	default:
		c.State = Differs
	}
	if was, err := t.original(c.Before); err != nil || was != nil {
		c.Without = was
		return c, err
	}
	if alone, err := t.apply(nil); err == nil && bytes.Equal(c.Before, alone) && c.State == Present {
		c.Without = nil // the file is ours
	}
	return c, nil
}

func (t target) apply(file []byte) (_ []byte, err error) {
	for _, e := range t.entries {
		if file, err = e.add(file); err != nil {
			return nil, err
		}
	}
	return file, nil
}

func (t target) without(file []byte) (_ []byte, err error) {
	for _, e := range t.entries {
		if file, err = e.remove(file); err != nil {
			return nil, err
		}
	}
	return file, nil
}

// original is the file as it was before, if the file is that and entries of ours, and
// nothing else; nil if it is not.
func (t target) original(file []byte) ([]byte, error) {
	was, err := os.ReadFile(t.file + backupSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	with, err := t.apply(was)
	if err != nil {
		return nil, err
	}
	alone, err := t.without(with)
	if err != nil {
		return nil, err
	}
	if rest, err := t.without(file); err != nil || !bytes.Equal(rest, alone) {
		return nil, err
	}
	return was, nil
}

// Apply writes the file with the entries. What it was stays beside it.
func (c Change) Apply() error {
	if c.State == Present || c.refused != nil {
		return c.refused
	}
	if err := makeFolder(c.outer()); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.File), 0o700); err != nil {
		return err
	}
	if c.State == Absent && c.Before != nil {
		if err := write(c.Backup(), c.Before, c.File); err != nil {
			return err
		}
	}
	return write(c.File, c.With, c.File)
}

// outer is the folder of the agent that the file, or the plugin's folder, is in.
func (c Change) outer() string {
	if c.Folder != "" {
		return filepath.Dir(c.Folder)
	}
	return filepath.Dir(c.File)
}

// madeMark names an empty file in each folder of an agent that was not there before.
const madeMark = ".made-by-precis"

// makeFolder makes a folder, and those that it is in, each with the mark.
func makeFolder(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeFolder(filepath.Dir(dir)); err == nil {
			err = os.Mkdir(dir, 0o700)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, madeMark), nil, 0o600)
}

// Tidy removes the folders that Apply made for changes that are all undone, unless there is
// something in them.
func Tidy(cs []Change) {
	var made []string
	for _, c := range cs {
		for dir := c.outer(); os.Remove(filepath.Join(dir, madeMark)) == nil; dir = filepath.Dir(dir) {
			made = append(made, dir)
		}
	}
	slices.SortFunc(made, func(a, b string) int { return len(b) - len(a) }) // what is in a folder, before it
	for _, dir := range made {
		_ = os.Remove(dir) // it stays where it is not empty
	}
}

// Undo writes the file without the entries; one that held nothing else is removed.
func (c Change) Undo() error {
	var err error
	switch {
	case c.Before == nil:
	case c.Without == nil:
		err = os.Remove(c.File)
	case !bytes.Equal(c.Before, c.Without):
		err = write(c.File, c.Without, c.File)
	}
	if gone := os.Remove(c.Backup()); err == nil && !errors.Is(gone, fs.ErrNotExist) {
		err = gone
	}
	for dir := filepath.Dir(c.File); c.Folder != "" && strings.HasPrefix(dir, c.Folder); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil { // somebody's file is in it
			break
		}
	}
	return err
}

// write replaces a file in one step, with the permissions of another.
func write(path string, data []byte, like string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o600)
	if i, err := os.Stat(like); err == nil {
		mode = i.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".precis-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // it is of no use
	}
	return err
}
