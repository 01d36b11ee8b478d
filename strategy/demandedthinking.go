package strategy

import (
	"slices"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/thread"
)

// leadingThinking is the position of the last message that begins a round of the open tool loop with
// thinking; -1 where the provider does not demand one, or nothing of the kind is shown. The
// loop is open while the results of its last round are the newest messages; what a user says
// right behind results is part of it, as its provider joins the two.
func (d *Draft) leadingThinking() int {
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
		if i := d.beginsWithThinking(us[n]); i >= 0 {
			return i
		}
	}
	return -1
}

// beginsWithThinking is the position of the message that begins a round, if that begins with
// thinking and the prompt shows it; else -1.
func (d *Draft) beginsWithThinking(u thread.Unit) int {
	parts := d.T.At(u.Start).Message.Parts
	if len(parts) == 0 || parts[0].Kind != message.Thinking || d.Whole(u.Start) != nil {
		return -1
	}
	if _, ok := d.Now(u.Start, 1); !ok {
		return -1
	}
	return u.Start
}

// openThinking are the positions of the messages with the calls that are being answered, if
// the provider demands what was thought in them and the prompt shows any. What a user says right
// behind the results leaves the round open.
func (d *Draft) openThinking() []int {
	us := d.T.Units()
	for n := len(us) - 1; n >= 0 && d.Demands.ThinkingStays; n-- {
		if d.isAssistant(us[n].Start) {
			return d.thinkingAtEnd(us[n])
		}
	}
	return nil
}

// thinkingAtEnd are the positions of the last assistant messages of a round that show thinking.
// Those before results of the same round, which a tool of the provider ties to it, are answered
// already.
func (d *Draft) thinkingAtEnd(u thread.Unit) (at []int) {
	i := u.End - 1
	for u.Round && !d.isAssistant(i) {
		i--
	}
	for ; u.Round && i >= u.Start && d.isAssistant(i); i-- {
		if d.shownThinking(i) > 0 {
			at = append(at, i)
		}
	}
	return at
}

func (d *Draft) isAssistant(i int) bool { return d.T.At(i).Message.Role == message.Assistant }

// demandedAt are the positions of the messages whose thinking the provider demands.
func (d *Draft) demandedAt() []int {
	at := d.openThinking()
	if i := d.leadingThinking(); i >= 0 && !slices.Contains(at, i) {
		at = append(at, i)
	}
	return at
}

// shownThinking returns the tokens of the thinking that the prompt shows of entry i.
func (d *Draft) shownThinking(i int) (n int) {
	if d.Whole(i) != nil || d.noThinking.Holds(i) {
		return 0
	}
	for k, p := range d.T.At(i).Message.Parts {
		if _, ok := d.Now(i, k+1); ok && p.Kind == message.Thinking {
			n += d.Meter.Part(p)
		}
	}
	return n
}

// DemandedThinking returns the tokens of the thinking that the provider demands: at the
// beginning of the open tool loop, and beside the calls that are being answered.
func (d *Draft) DemandedThinking() (n int) {
	for _, i := range d.demandedAt() {
		n += d.shownThinking(i)
	}
	return n
}
