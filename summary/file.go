package summary

import "github.com/seed-3db51b0e/precis/tool"

// FileState names what was last done to a file.
type FileState string

// The states. A file that was only looked at is FileRead.
const (
	FileRead    FileState = "read"
	FileCreated FileState = "created"
	FileEdited  FileState = "edited"
	FileDeleted FileState = "deleted"
	// FileMoved is a file that was moved here; FileRestored one that is again as it was
	// before it was changed.
	FileMoved    FileState = "moved"
	FileRestored FileState = "restored"
	// FileStashed is one whose changes are put aside, from where they may come back.
	FileStashed FileState = "stashed"
	// FileGone is a file that the agent created, or moved away: nobody looks for it.
	FileGone FileState = "gone"
)

// Then returns the state of a file of state s after something was done to it.
func (s FileState) Then(now FileState) FileState {
	switch {
	case now == FileRead && s != FileDeleted && s != FileGone:
		return s
	case now == FileDeleted && (s == FileCreated || s == FileGone):
		return FileGone
	case (now == FileEdited || now == FileRestored) && (s == FileCreated || s == FileMoved):
		return s
	case now == FileCreated && (s == FileRead || s == FileEdited || s == FileRestored || s == FileStashed): // it was there before
		return FileEdited
	}
	return now
}

// File is a file the agent worked on, with its last state.
type File struct {
	Path  string    `json:"path"`
	State FileState `json:"state"`
	// About says in a few words what was done to it, "" when not known.
	About string `json:"about,omitempty"`
	// Times counts the touches: what is touched often is needed again.
	Times int `json:"times,omitempty"`
	// Edits counts the changes among them, since Undone where there is one, and since the
	// file was made again where it had been deleted, which Anew says.
	Edits int  `json:"edits,omitempty"`
	Anew  bool `json:"anew,omitempty"`
	// Undone says which changes were taken back last, nil where none are known to be.
	Undone *Undoing `json:"undone,omitempty"`
	// Restores are the newest of such, the last that of Undone, without what was said.
	Restores []Restore `json:"restores,omitempty"`
	// First is the message in which the file was changed first, the zero Source for none.
	First Source `json:"first,omitzero"`
	// Made is the message in which the agent wrote the file whole, or moved it here, the newest
	// time, the zero Source for none.
	Made Source `json:"made,omitzero"`
	// Tracked says that git took over the file, which the agent had created.
	Tracked bool `json:"tracked,omitempty"`
	// Swept is the message in which a command edited files by a pattern that holds for this one: it
	// may have changed it. The zero Source for none.
	Swept Source `json:"swept,omitzero"`
	// Opens is what a script that the agent wrote opens when it runs, as far as its text tells.
	Opens []tool.Touch `json:"opens,omitempty"`
	// Prints are the last lines that such a script prints whatever it finds.
	Prints []string `json:"prints,omitempty"`
	// Alone says that such a script reaches nothing but itself.
	Alone bool `json:"alone,omitempty"`
	// Of is the name that a moved file had.
	Of   string `json:"of,omitempty"`
	From Source `json:"from"`
}

// Reworked reports whether a file that was made or moved here was changed since.
func (f *File) Reworked() bool {
	return (f.State == FileCreated || f.State == FileMoved) && f.Made.N > 0 && f.Made.N < f.From.N
}

// StoodAt reports whether a file that was put back is as it was in a message before all of its
// changes, as far as that is known.
func (f *File) StoodAt(n int) bool {
	u := f.Undone
	return f.State == FileRestored && n < f.First.N && u != nil && u.After != u.In && u.After.N < f.First.N
}

// Then is the state once something more was done to the file. One that the agent created is
// deleted, not gone, where git has it.
func (f *File) Then(did FileState) FileState {
	if f.Tracked && f.State == FileCreated && did == FileDeleted {
		return FileDeleted
	}
	return f.State.Then(did)
}

// Undoing says that the changes of a file after one message (the zero Source: from the
// beginning on; In itself: it is not known which) and before another were taken back.
type Undoing struct {
	After Source `json:"after,omitzero"`
	In    Source `json:"in"`
	Call  Source `json:"call,omitzero"` // the message that made the call, the zero Source where no change is known that it took back
	Why   *Note  `json:"why,omitempty"` // what the agent said as it did so, nil for nothing
}

// Restore is an Undoing by its messages alone.
type Restore struct {
	After Source `json:"after,omitzero"`
	In    Source `json:"in"`
}
