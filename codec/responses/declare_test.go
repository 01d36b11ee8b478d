package responses_test

import (
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/responses"
)

// More tools go behind those of a body, whose other bytes stay.
//
// SPEC: V6, V11
func TestDeclare(t *testing.T) {
	more := []codec.Tool{{Name: "look", Description: "Looks.", Schema: []byte(`{"type":"object"}`)}, {Name: "list"}}
	const look = `{"type":"function","name":"look","description":"Looks.","parameters":{"type":"object"},"strict":false}`
	const list = `{"type":"function","name":"list","parameters":{"type":"object","properties":{}},"strict":false}`
	for body, want := range map[string]string{
		`{"tools": [ {"type":"web_search"} ], "input":"a"}`: `{"tools": [ {"type":"web_search"},` + look + `,` + list + ` ], "input":"a"}`,
		`{"input": "a"}`:                  `{"input": "a","tools":[` + look + `,` + list + `]}`,
		`{"input":"a", "tools":[] }`:      `{"input":"a", "tools":[` + look + `,` + list + `] }`,
		`{"tools":null,"input":[],"x":1}`: `{"tools":[` + look + `,` + list + `],"input":[],"x":1}`,
	} {
		var c responses.Codec
		req, err := c.Decode([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		with, ok := c.Declare(req, more)
		got, err := c.Encode(with, req.Messages)
		if !ok || err != nil || string(got) != want {
			t.Errorf("%t, %v\ngot  %s\nwant %s", ok, err, got, want)
		}
		if got, err := c.Encode(req, req.Messages); err != nil || string(got) != body {
			t.Errorf("without: %v, %s", err, got)
		}
	}
}

// An answer is kept to be continued by its id unless the request says otherwise.
//
// SPEC: B6 · WO5
func TestStored(t *testing.T) {
	for body, want := range map[string]bool{
		`{"input":"a"}`:                 true,
		`{"input":"a","store":true}`:    true,
		`{"input":"a","store":null}`:    true,
		`{"store": false ,"input":"a"}`: false,
	} {
		req, err := responses.Codec{}.Decode([]byte(body))
		if err != nil || req.Stored != want {
			t.Errorf("%s: %v, %+v", body, err, req)
		}
	}
}
