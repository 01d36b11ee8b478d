package adapt

import (
	"slices"
	"strconv"

	"github.com/seed-3db51b0e/precis/message"
)

// IDs gives ids to calls to which a framework gave none, and the same to the results that
// answer them: by name and order, within one round. The zero value begins a conversation.
type IDs struct {
	made int
	open []openCall
}

type openCall struct{ id, name string }

// Round begins the next message of the assistant.
func (d *IDs) Round() { *d = IDs{} }

// Call returns the id of a call: its own, else a derived one (message.DerivedID).
func (d *IDs) Call(id, name string) string {
	if id != "" {
		return id
	}
	id = message.DerivedID(name)
	if d.made > 0 {
		id += "+" + strconv.Itoa(d.made)
	}
	d.made++
	d.open = append(d.open, openCall{id, name})
	return id
}

// Result returns the id of the call that a result answers: its own, else that of the first
// call of the name which is open; a result without a name answers the first of all.
func (d *IDs) Result(id, name string) string {
	if id != "" {
		return id
	}
	for i, c := range d.open {
		if name == "" || c.name == name {
			d.open = slices.Delete(d.open, i, i+1)
			return c.id
		}
	}
	return message.DerivedID(name)
}

// Own returns an id as the framework has it: "" for one that IDs made.
func Own(id string) string {
	if message.IsDerivedID(id) {
		return ""
	}
	return id
}
