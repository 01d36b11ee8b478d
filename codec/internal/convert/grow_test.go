package convert_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
)

// SPEC: V11, B6
func TestGrow(t *testing.T) {
	for _, tt := range []struct {
		name, start, want string
		grow              func(*convert.Growing)
	}{
		{"nothing", ` {"a" : 1} `, ` {"a" : 1} `, func(*convert.Growing) {}},
		{"no object", `5`, `{}`, func(*convert.Growing) {}},
		{"text", `{"t":"x","z":1}`, `{"t":"xyé","z":1,"new":"n"}`, func(g *convert.Growing) { g.Text("t", "y"); g.Text("new", "n"); g.Text("t", "é") }},
		{"text of null", `{"t":null}`, `{"t":"y"}`, func(g *convert.Growing) { g.Text("t", "y") }},
		{"empty text", `{"t":null}`, `{"t":""}`, func(g *convert.Growing) { g.Text("t", "") }},
		{"elements", `{"l":[1]}`, `{"l":[1,2,"x"],"m":[3]}`, func(g *convert.Growing) {
			g.Append("l", []byte("2"))
			g.Append("m", []byte("3"))
			g.Append("l", []byte(`"x"`))
		}},
		{"elements and text", `{}`, `{"l":[1,{"type":"text","text":"ab"}]}`, func(g *convert.Growing) { g.Text("l", "a"); g.Append("l", []byte("1")); g.Text("l", "b") }},
		{"replaced", `{"a":1}`, `{"a":{"b":2}}`, func(g *convert.Growing) { g.Text("a", "x"); g.Put("a", []byte(`{"b":2}`)) }},
		{"replaced, and on", `{}`, `{"a":"xy","l":[1,2]}`, func(g *convert.Growing) {
			g.Put("a", []byte(`"x"`))
			g.Put("l", []byte(`[1]`))
			g.Text("a", "y")
			g.Append("l", []byte("2"))
		}},
	} {
		start := []byte(tt.start)
		g := convert.Grow(start)
		clear(start)
		tt.grow(g)
		for range 2 {
			if got := string(g.JSON()); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
			}
		}
	}
	g := convert.Grow([]byte(`{"a":1,"b":"x"}`))
	g.Text("b", "y")
	if string(g.Get("a")) != "1" || string(g.Get("b")) != `"xy"` || g.Get("c") != nil {
		t.Errorf("members are %s, %s, %s", g.Get("a"), g.Get("b"), g.Get("c"))
	}
}

func TestNumber(t *testing.T) {
	zero, third := 0.0, 0.3
	if convert.Number(nil) != nil || string(convert.Number(&zero)) != "0" || string(convert.Number(&third)) != "0.3" {
		t.Error("wrong")
	}
	inf := 1 / zero
	if b := convert.Number(&inf); b != nil {
		t.Errorf("infinity is %s", b)
	}
}
