package convert_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/codec/internal/convert"
	"github.com/seed-3db51b0e/precis/message"
)

var pattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)

// SPEC: V3, V5
func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		fa, fb := convert.Fit(a, 40), convert.Fit(b, 40)
		if !pattern.MatchString(fa) || pattern.MatchString(a) && fa != a || (a == b) != (fa == fb) {
			t.Fatalf("Fit(%q) = %q, Fit(%q) = %q", a, fa, b, fb)
		}
	})
}

// SPEC: V3, V5
func TestUnique(t *testing.T) {
	pair := func(call, result string) []message.Message {
		return []message.Message{
			{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: call}}},
			{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: result}}},
		}
	}
	join := func(ps ...[]message.Message) (ms []message.Message) {
		for _, p := range ps {
			ms = append(ms, p...)
		}
		return ms
	}
	ids := func(ms []message.Message) (ids []string) {
		for _, m := range ms {
			ids = append(ids, m.Parts[0].CallID)
		}
		return ids
	}
	in := join(pair("a", "a"), pair("a_2", "a_2"), pair("a", "a"), pair("", ""), pair("a", "a"), pair("b", "b"), pair("a_2", "a_2"))
	got := convert.Unique(in, func(message.Message) bool { return false })
	want := []string{"a", "a", "a_2", "a_2", "a_3", "a_3", "", "", "a_4", "a_4", "b", "b", "a_2_2", "a_2_2"}
	if d := cmp.Diff(want, ids(got)); d != "" {
		t.Error(d)
	}
	if ids(in)[4] != "a" || in[4].Edited || !got[4].Edited || !got[4].Parts[0].Edited {
		t.Error("the input changed, or the output is not marked")
	}
	if d := cmp.Diff(ids(in), ids(convert.Unique(in, func(message.Message) bool { return true }))); d != "" {
		t.Errorf("fixed messages changed: %s", d)
	}
}

func TestRead(t *testing.T) {
	for raw, want := range map[string]convert.Blob{
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}`:                {MediaType: "image/png", Data: "QUJD"},
		`{"type":"document","source":{"type":"url","url":"https://e.org/a"}}`:                               {MediaType: convert.PDF, URL: "https://e.org/a"},
		`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"abc"}}`:               {MediaType: "text/plain", Data: "abc", Plain: true},
		`{"type":"image_url","image_url":{"url":"data:image/gif;base64,QUJD"}}`:                             {MediaType: "image/gif", Data: "QUJD"},
		`{"type":"input_image","image_url":"https://e.org/a"}`:                                              {MediaType: "image/*", URL: "https://e.org/a"},
		`{"type":"input_audio","input_audio":{"data":"QUJD","format":"mp3"}}`:                               {MediaType: "audio/mp3", Data: "QUJD"},
		`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,QUJD"}}`:        {MediaType: convert.PDF, Data: "QUJD", Name: "a.pdf"},
		`{"type":"input_file","filename":"a.txt","file_data":"data:text/plain;base64,QUJD","file_id":null}`: {MediaType: "text/plain", Data: "QUJD", Name: "a.txt"},
		`{"type":"input_file","file_url":"https://e.org/a"}`:                                                {MediaType: convert.PDF, URL: "https://e.org/a"},
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUI="},"type":"image"}`: {MediaType: "image/png", Data: "QUI="},
	} {
		got, ok := convert.Read([]byte(raw))
		if d := cmp.Diff(want, got); !ok || d != "" {
			t.Errorf("Read(%s): %v %s", raw, ok, d)
		}
		size := map[string]int{"QUJD": 3, "abc": 3, "QUI=": 2, "": 0}[want.Data]
		if got.Size() != size {
			t.Errorf("Size of %s = %d, want %d", raw, got.Size(), size)
		}
	}
	for _, raw := range []string{"", "5", "{}", `{"type":"image","source":{"type":"file","file_id":"f"}}`, `{"image_url":5}`, `{"type":"file","file":{"file_id":"f"}}`} {
		if b, ok := convert.Read([]byte(raw)); ok {
			t.Errorf("Read(%s) = %+v", raw, b)
		}
	}
}

// SPEC: V2
func TestPlaceholder(t *testing.T) {
	for want, p := range map[string]message.Part{
		"[image/png media, 3 bytes, not representable]":     {Kind: message.Media, MediaType: "image/png", Size: 3},
		"[unknown media, https://e.org, not representable]": {Kind: message.Media, URL: "https://e.org"},
		"[x block of type y not representable]":             {Kind: message.Opaque, Dialect: "x", Raw: []byte(`{"type":"y"}`)},
		"[unknown block of type unknown not representable]": {Kind: message.Opaque, Raw: []byte(`5`)},
		"I will not.": {Kind: message.Opaque, Raw: []byte(`{"type":"refusal","refusal":"I will not."}`)},
	} {
		if got := convert.Placeholder(p); got != want {
			t.Errorf("Placeholder = %q, want %q", got, want)
		}
	}
}

func TestArguments(t *testing.T) {
	for args, want := range map[string]string{"": "{}", ` {"a":1}`: ` {"a":1}`, `[1]`: `{"_raw":"[1]"}`, `{"a":`: `{"_raw":"{\"a\":"}`, `{} {}`: `{"_raw":"{} {}"}`} {
		if got := string(convert.Arguments(args)); got != want {
			t.Errorf("Arguments(%q) = %s, want %s", args, got, want)
		}
	}
}
