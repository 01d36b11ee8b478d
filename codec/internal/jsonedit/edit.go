package jsonedit

import (
	"bytes"
	"errors"
)

// Set writes the object obj with some members changed: every occurrence of a
// name gets the new value, a nil value takes the member out, and a name that
// is not there is added at the end. All other bytes are copied. What is not an
// object is returned as it is.
func Set(obj []byte, edits ...Member) []byte {
	w := setter{obj: obj, edits: edits, done: make([]bool, len(edits))}
	return w.walk()
}

// Replace writes the object obj with a member's value replaced by what f makes
// of it, wherever it stands; f gets nil once if it stands nowhere.
func Replace(obj []byte, name string, f func(old []byte) []byte) []byte {
	w := setter{obj: obj, edits: []Member{{Name: name}}, done: make([]bool, 1), f: f}
	return w.walk()
}

type setter struct {
	obj   []byte
	edits []Member
	f     func(old []byte) []byte
	done  []bool
	out   bytes.Buffer
	lead  []byte // what stands before the first member: "{" and white space
	end   int    // where the last member read ends
	kept  int
}

func (w *setter) walk() []byte {
	w.out.Grow(len(w.obj) + 64)
	r := NewReader(w.obj)
	_, more, err := r.open('{')
	for more && err == nil {
		if err = w.member(r); err == nil {
			more, err = r.next('}')
		}
	}
	if err != nil {
		return w.obj
	}
	w.finish()
	return w.out.Bytes()
}

func (w *setter) member(r *Reader) error {
	start, end, err := r.name()
	if err != nil {
		return err
	}
	val, err := r.Value()
	if err != nil {
		return err
	}
	lead := w.obj[w.end:start]
	if w.lead == nil {
		w.lead = lead
	}
	w.end = r.at
	key := w.obj[start : w.end-len(val)]
	if val = w.value(unquotedBytes(w.obj[start:end]), val); val == nil {
		return nil
	}
	if w.kept == 0 {
		lead = w.lead
	}
	w.kept++
	w.out.Write(lead)
	w.out.Write(key)
	w.out.Write(val)
	return nil
}

// value returns the new value of a member.
func (w *setter) value(name, old []byte) []byte {
	for i := range w.edits {
		if w.edits[i].Name != string(name) {
			continue
		}
		w.done[i] = true
		if w.f != nil {
			return w.f(old)
		}
		return w.edits[i].Value
	}
	return old
}

// finish adds what was not there and the end of the object.
func (w *setter) finish() {
	if w.f != nil && !w.done[0] {
		w.edits[0].Value = w.f(nil)
	}
	if w.kept == 0 {
		w.out.WriteByte('{')
	}
	for i, e := range w.edits {
		if !w.done[i] && e.Value != nil {
			w.add(e)
		}
	}
	tail := w.obj[w.end:]
	if w.lead == nil { // there was no member: tail is the whole object
		tail = tail[bytes.IndexByte(tail, '}'):]
	}
	w.out.Write(tail)
}

func (w *setter) add(e Member) {
	if w.kept > 0 {
		w.out.WriteByte(',')
	}
	w.kept++
	w.out.Write(Quote(e.Name))
	w.out.WriteByte(':')
	w.out.Write(e.Value)
}

// Join writes an array of elems, spaced as the array orig is: its opening, its
// first separator and its closing. What is not an array is spaced not at all.
func Join(orig []byte, elems [][]byte) []byte { return bytes.Join(Pieces(orig, elems), nil) }

// Pieces is Join, not joined.
func Pieces(orig []byte, elems [][]byte) [][]byte {
	open, sep, end := spacing(orig)
	out := append(make([][]byte, 0, 2*len(elems)+2), open)
	for i, e := range elems {
		if i > 0 {
			out = append(out, sep)
		}
		out = append(out, e)
	}
	return append(out, end)
}

// spacing reads no further than the second element.
func spacing(orig []byte) (open, sep, end []byte) {
	open, sep = []byte("["), []byte(",")
	n, last := 0, 0
	r := NewReader(orig)
	_, err := r.Array(func() error {
		v, err := r.Value()
		if err != nil {
			return err
		}
		start := r.at - len(v)
		if n == 1 {
			sep = orig[last:start]
			return errSeen
		}
		open = orig[:start]
		n, last = n+1, r.at
		return nil
	})
	if n == 0 || err != nil && !errors.Is(err, errSeen) {
		return []byte("["), []byte(","), []byte("]")
	}
	body := bytes.TrimSuffix(orig, []byte("]"))
	return open, sep, orig[len(bytes.TrimRight(body, " \t\r\n")):]
}

var errSeen = errors.New("seen enough")

// Fill writes an array with its elements replaced, the first by the first of
// elems and so on, and all white space kept. Where the numbers differ, and for
// what is not an array, it is Join.
func Fill(list []byte, elems [][]byte) []byte {
	var out bytes.Buffer
	n, copied := 0, 0
	r := NewReader(list)
	_, err := r.Array(func() error {
		v, err := r.Value()
		if err != nil || n == len(elems) {
			return errors.Join(err, errSeen)
		}
		out.Write(list[copied : r.at-len(v)])
		out.Write(elems[n])
		n, copied = n+1, r.at
		return nil
	})
	if err != nil || n != len(elems) {
		return Join(list, elems)
	}
	out.Write(list[copied:])
	return out.Bytes()
}
