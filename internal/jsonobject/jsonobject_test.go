package jsonobject

import "testing"

// A member that is set changes no other, and what is not there reads as zero.
func TestObject(t *testing.T) {
	o := Of([]byte(`{"a": 1.50, "s":"x", "n":7, "l":[1, 2], "none":null}`))
	o.Set("s", "<&>")
	if string(o["a"]) != "1.50" || string(o["s"]) != `"<&>"` || o.Number("n", 0) != 7 || len(o.List("l")) != 2 {
		t.Errorf("%s", o)
	}
	if !o.Absent("none") || !o.Absent("missing") || o.Absent("n") || o.Number("s", 3) != 3 || o.Text("n") != "" {
		t.Errorf("%s", o)
	}
	var none Object
	if none = Of([]byte(`[1]`)); none != nil || none.Text("x") != "" || none.List("x") != nil || !none.Absent("x") {
		t.Errorf("%v", none)
	}
	if got := Marshal(func() {}); string(got) != "null" {
		t.Errorf("%s", got)
	}
}
