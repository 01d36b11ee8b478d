// Package ref is the grammar of references: what a prompt, a command and a tool
// call write to name a message, a part, a record, an artifact or a block.
//
// Use: Message(12).String() to write one, Parse to read what a person or a model
// wrote. Law: there is one text for each reference, and Parse reads it back as
// the same reference; it reads some other spellings too. Promise: a pure room; a
// reference says nothing about whether the thing exists.
//
//	#12                     message 12 of the thread, counted from 1
//	#12/2                   its second part
//	rc734ad2f895d           a record of a plan
//	a1c0ffee12345           an artifact
//	1c0ffee…, 1c0ffee…/2    an entry, or a part of it
//	su:3.TYPE               the summary before turn 3
//	tc:3.CALL.call          a call of turn 3 by its id
//	tc:3.CALL.result        its result
//	ar:3.TYPE.12            any other block of turn 3: that of message 12
//
// Ids of records, artifacts and entries may be abbreviated: see Abbreviates.
package ref

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Kind tells what a reference names.
type Kind int

// The kinds. The last four are logical paths: they stay as a conversation grows. Their
// turn is the thread's number of the turn that the block stands in; a summary's that of
// what follows it.
const (
	ToMessage Kind = iota + 1 // N, Part
	ToRecord                  // ID
	ToID                      // ID, Part: an entry or an artifact
	ToSummary                 // Turn, ID: the type of the block
	ToCall                    // Turn, ID: of the call
	ToResult                  // Turn, ID: of the call
	ToBlock                   // Turn, ID: the type of the block, N
)

// Ref is a reference. Its kind says which of its fields count.
type Ref struct {
	Kind Kind
	// N is the number of a message, counted from 1.
	N int
	// Part is the number of a part, counted from 1; 0 is the whole message.
	Part int
	ID   string
	Turn int
}

// Errors of Parse.
var (
	ErrPart = errors.New("a part is a number from 1, as in #12/2")
	ErrPath = errors.New("a path is su:TURN.TYPE, tc:TURN.ID.call, tc:TURN.ID.result or ar:TURN.TYPE.NUMBER")
)

// Message names message n, counted from 1.
func Message(n int) Ref { return Ref{Kind: ToMessage, N: n} }

// Part names a part of message n, both counted from 1; part 0 is the message.
func Part(n, part int) Ref { return Ref{Kind: ToMessage, N: n, Part: part} }

// ID names an entry or an artifact, or a part of an entry.
func ID(id string, part int) Ref { return Ref{Kind: ToID, ID: id, Part: part} }

// Summary names the summary before a turn by the type of its block.
func Summary(turn int, typ string) Ref { return Ref{Kind: ToSummary, Turn: turn, ID: typ} }

// Call names a tool call of a turn by the call's id.
func Call(turn int, id string) Ref { return Ref{Kind: ToCall, Turn: turn, ID: id} }

// Result names the result of a call of a turn.
func Result(turn int, id string) Ref { return Ref{Kind: ToResult, Turn: turn, ID: id} }

// Block names a block of a turn by its type and the number of its message.
func Block(turn int, typ string, n int) Ref { return Ref{Kind: ToBlock, Turn: turn, ID: typ, N: n} }

// RecordID makes a record's id of a hash of at least 6 bytes.
func RecordID(hash []byte) string { return "r" + hex.EncodeToString(hash[:6]) }

// ArtifactID makes an artifact's id of a hash of at least 6 bytes.
func ArtifactID(hash []byte) string { return "a" + hex.EncodeToString(hash[:6]) }

// short is the least length of an abbreviated id; a shorter run of digits is a
// message's number.
const short = 6

// Abbreviates reports whether prefix stands for id: its first 6 characters or
// more, or all of it.
func Abbreviates(prefix, id string) bool {
	return len(prefix) >= short && strings.HasPrefix(id, prefix)
}

// String writes the reference.
func (r Ref) String() string {
	switch r.Kind {
	case ToMessage:
		return withPart("#"+strconv.Itoa(r.N), r.Part)
	case ToID:
		return withPart(r.ID, r.Part)
	case ToSummary:
		return fmt.Sprintf("su:%d.%s", r.Turn, r.ID)
	case ToCall:
		return fmt.Sprintf("tc:%d.%s.call", r.Turn, r.ID)
	case ToResult:
		return fmt.Sprintf("tc:%d.%s.result", r.Turn, r.ID)
	case ToBlock:
		return fmt.Sprintf("ar:%d.%s.%d", r.Turn, r.ID, r.N)
	}
	return r.ID
}

func withPart(name string, part int) string {
	if part == 0 {
		return name
	}
	return name + "/" + strconv.Itoa(part)
}

// Parse reads a reference; space around it does not count. "12" is "#12" where
// it has fewer than 6 characters. What begins with r and names no part is a
// record; what is nothing else is an id.
func Parse(s string) (Ref, error) {
	s = strings.TrimSpace(s)
	if len(s) >= 3 && s[2] == ':' {
		switch s[:3] {
		case "su:", "tc:", "ar:":
			return parsePath(s[:2], s[3:])
		}
	}
	name, after, ok := strings.Cut(s, "/")
	part := 0
	if ok {
		var err error
		if part, err = strconv.Atoi(after); err != nil || part < 1 {
			return Ref{}, ErrPart
		}
	}
	digits, marked := strings.CutPrefix(name, "#")
	if n, err := strconv.Atoi(digits); err == nil && (marked || len(digits) < short) {
		return Part(n, part), nil
	}
	if strings.HasPrefix(name, "r") && part == 0 {
		return Ref{Kind: ToRecord, ID: name}, nil
	}
	return ID(name, part), nil
}

func parsePath(kind, path string) (Ref, error) {
	digits, rest, _ := strings.Cut(path, ".")
	turn, err := strconv.Atoi(digits)
	if err != nil || turn < 0 {
		return Ref{}, ErrPath
	}
	dot := strings.LastIndex(rest, ".")
	switch {
	case kind == "su" && rest != "":
		return Summary(turn, rest), nil
	case dot < 0:
		return Ref{}, ErrPath
	case kind == "tc" && rest[dot:] == ".call":
		return Call(turn, rest[:dot]), nil
	case kind == "tc" && rest[dot:] == ".result":
		return Result(turn, rest[:dot]), nil
	}
	n, err := strconv.Atoi(rest[dot+1:])
	if kind != "ar" || err != nil || n < 1 {
		return Ref{}, ErrPath
	}
	return Block(turn, rest[:dot], n), nil
}
