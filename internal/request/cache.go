package request

import (
	"slices"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/cachecost"
	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/model"
)

// Cache sets the cache markers of a request that its client left for others to set. The zero
// value sets none.
type Cache struct {
	marker codec.Marker
	req    *codec.Request
	all    bool
	end    bool // the client has the end cached
}

// CacheOf returns what sets the markers of a request for a model at a host: all that
// Turn.CachePoints names, if that is asked for. Otherwise a client that has its conversation
// cached gets one behind the excerpts of a summary, which no request that goes as it came has,
// and other clients get none.
func CacheOf(c codec.Codec, req *codec.Request, m model.Model, host string, all bool) Cache {
	k, ok := c.(codec.Caching)
	if !ok || m.Cache.Breakpoints == 0 {
		return Cache{}
	}
	marker := k.Marker()
	end, more := marker.Caches(req, host)
	if !more || !end && !all {
		return Cache{}
	}
	return Cache{marker: marker, req: req, all: all, end: end}
}

// Excerpts reports whether the excerpts of a summary would get a marker. Before it comes only
// that of the end, which a client that has its conversation cached sets itself. The client's
// markers in between are not counted, as they leave with their messages.
func (c Cache) Excerpts() bool {
	if c.marker == nil {
		return false
	}
	ms := c.req.Messages
	last := len(ms) // of which the end begins with the last answer
	for last > 0 && (last == len(ms) || ms[last].Role != message.Assistant) {
		last--
	}
	room := c.marker.Room(c.req, slices.Concat(ms[:min(last, 1)], ms[last:]))
	return room > 1 || room == 1 && c.end
}

// Mark returns the messages of a turn as they are sent, ms, with the markers.
func (c Cache) Mark(turn *precis.Turn, ms []message.Message) []message.Message {
	if c.marker == nil || !c.all && turn.Lasting() == 0 {
		return ms
	}
	var points []codec.Point
	for _, p := range turn.CachePoints(cachecost.Breakpoints) {
		if c.all || p.Place == cachecost.Excerpts {
			points = append(points, codec.Point{Message: p.Message, Part: p.Part})
		}
	}
	return c.marker.Mark(c.req, ms, points)
}
