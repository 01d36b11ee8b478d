package ref_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/ref"
)

// read are texts and what they name. Those that are another spelling say what
// they are written as.
var read = []struct {
	text string
	want ref.Ref
	as   string
}{
	{text: "#12", want: ref.Message(12)},
	{text: "12", want: ref.Message(12), as: "#12"},
	{text: " #012\n", want: ref.Message(12), as: "#12"},
	{text: "#123456", want: ref.Message(123456)},
	{text: "123456", want: ref.ID("123456", 0)},
	{text: "#12/2", want: ref.Part(12, 2)},
	{text: "12/2", want: ref.Part(12, 2), as: "#12/2"},
	{text: "#0", want: ref.Message(0)},
	{text: "#twelve", want: ref.ID("#twelve", 0)},
	{text: "rc734ad2f895d", want: ref.Ref{Kind: ref.ToRecord, ID: "rc734ad2f895d"}},
	{text: "rc734ad2f895d/2", want: ref.ID("rc734ad2f895d", 2)},
	{text: "a1c0ffee12345", want: ref.ID("a1c0ffee12345", 0)},
	{text: "1c0ffee/3", want: ref.ID("1c0ffee", 3)},
	{text: "", want: ref.ID("", 0)},
	{text: "su:3.conv.range.summary", want: ref.Summary(3, "conv.range.summary")},
	{text: "tc:3.toolu_01.call", want: ref.Call(3, "toolu_01")},
	{text: "tc:3.a/b.c.result", want: ref.Result(3, "a/b.c")},
	{text: "tc:0..call", want: ref.Call(0, "")},
	{text: "ar:3.user.prompt.12", want: ref.Block(3, "user.prompt", 12)},
}

func TestParse(t *testing.T) {
	for _, c := range read {
		have, err := ref.Parse(c.text)
		if err != nil || have != c.want {
			t.Errorf("%q: %+v, %v", c.text, have, err)
		}
		if c.as == "" {
			c.as = c.text
		}
		if have.String() != c.as {
			t.Errorf("%q is written as %q", c.text, have)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]error{
		"#12/": ref.ErrPart, "#12/0": ref.ErrPart, "#12/x": ref.ErrPart, "#1/2/3": ref.ErrPart,
		"su:3": ref.ErrPath, "su:x.y": ref.ErrPath, "su:-1.y": ref.ErrPath, "tc:3.call": ref.ErrPath, "tc:3.a.b": ref.ErrPath,
		"ar:3.user.prompt": ref.ErrPath, "ar:3.user.0": ref.ErrPath, "ar:3": ref.ErrPath,
	} {
		if r, err := ref.Parse(text); !errors.Is(err, want) {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}

func TestAbbreviates(t *testing.T) {
	for prefix, want := range map[string]bool{"rc734a": true, "rc734": false, "rc734ad2f895d": true, "rc734b": false, "rc734ad2f895d0": false} {
		if ref.Abbreviates(prefix, "rc734ad2f895d") != want {
			t.Errorf("%q: %v", prefix, !want)
		}
	}
}

// What is written is read as the same.
func TestRoundTrip(t *testing.T) {
	hash := rapid.SliceOfN(rapid.Byte(), 6, 32)
	words := rapid.StringMatching(`[a-z_/.-]{1,12}[a-z]`)
	rapid.Check(t, func(rt *rapid.T) {
		n, part, turn := rapid.IntRange(1, 1<<40).Draw(rt, "n"), rapid.IntRange(0, 99).Draw(rt, "part"), rapid.IntRange(0, 9999).Draw(rt, "turn")
		id := words.Draw(rt, "id")
		for _, r := range []ref.Ref{
			ref.Message(n), ref.Part(n, part),
			{Kind: ref.ToRecord, ID: ref.RecordID(hash.Draw(rt, "record"))},
			ref.ID(ref.ArtifactID(hash.Draw(rt, "artifact")), 0),
			ref.ID(rapid.StringMatching(`[0-9a-f]{64}`).Draw(rt, "entry"), part),
			ref.Summary(turn, id), ref.Call(turn, id), ref.Result(turn, id), ref.Block(turn, id, n),
		} {
			if back, err := ref.Parse(r.String()); err != nil || back != r {
				rt.Fatalf("%+v is written as %q, which is %+v, %v", r, r, back, err)
			}
		}
	})
}

// Whatever is read is written so that it is read as the same.
func FuzzParse(f *testing.F) {
	for _, c := range read {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ref.Parse(text)
		if err != nil {
			return
		}
		if back, err := ref.Parse(r.String()); err != nil || back != r {
			t.Errorf("%q is %+v, written as %q, which is %+v, %v", text, r, r, back, err)
		}
	})
}
