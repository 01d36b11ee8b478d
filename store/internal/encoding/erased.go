package encoding

import (
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
)

// Erased returns what is left of a message: its role, and a part for each part,
// so that positions in plans still hold. Calls and results keep their ids and
// names, so that a call still has its result; the arguments of a call are a JSON object
// that says so, which every provider takes.
func Erased(m message.Message, why artifact.Tombstone) message.Message {
	left := message.Message{Role: m.Role, Meta: m.Meta, Time: m.Time, Parts: make([]message.Part, len(m.Parts))}
	note := message.Part{Kind: message.Text, Text: "[" + why.String() + "]"}
	args, _ := compact(map[string]string{"erased": note.Text}) // strings always have a JSON form
	for i, p := range m.Parts {
		switch p.Kind {
		case message.Call:
			left.Parts[i] = message.Part{Kind: p.Kind, CallID: p.CallID, Name: p.Name, Args: string(args)}
		case message.Result:
			left.Parts[i] = message.Part{Kind: p.Kind, CallID: p.CallID, Name: p.Name, Parts: []message.Part{note}}
		default:
			left.Parts[i] = note
		}
	}
	return left
}
