package strategy

import (
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// leading is the position of the last message that begins a round of the open tool loop with
// thinking; -1 where the provider does not demand one, or nothing of the kind is shown. The
// loop is open while the results of its last round are the newest messages; what a user says
// right behind results is part of it, as its provider joins the two.
func (d *Draft) leading() int {
	if !d.Demands.ThinkingLeads {
		return -1
	}
	us := d.T.Units()
	for n := len(us) - 1; n >= 0; n-- {
		first := &d.T.At(us[n].Start).Message
		if first.Role != message.Assistant {
			continue
		}
		if !us[n].Round {
			return -1
		}
		if i := d.begins(us[n]); i >= 0 {
			return i
		}
	}
	return -1
}

// begins is the position of the message that begins a round with thinking, if the prompt
// shows it; else -1.
func (d *Draft) begins(u thread.Unit) int {
	parts := d.T.At(u.Start).Message.Parts
	if len(parts) == 0 || parts[0].Kind != message.Thinking || d.Whole(u.Start) != nil {
		return -1
	}
	if _, ok := d.Now(u.Start, 1); !ok {
		return -1
	}
	return u.Start
}

// LeadingThinking returns the tokens of the thinking that the provider demands at the
// beginning of the open tool loop.
func (d *Draft) LeadingThinking() (n int) {
	i := d.leading()
	if i < 0 {
		return 0
	}
	for k, p := range d.T.At(i).Message.Parts {
		if _, ok := d.Now(i, k+1); ok && p.Kind == message.Thinking {
			n += d.Meter.Part(p)
		}
	}
	return n
}
