package oneline_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/internal/oneline"
)

// Start is the longest beginning of a text, within so many bytes, that parts no character. Of what
// is no text it loses no more than a character could be long.
func TestStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		n := rapid.IntRange(0, len(s)+2).Draw(t, "bytes")
		got := oneline.Start(s, n)
		if !strings.HasPrefix(s, got) || len(got) > n || len(got) < min(n, len(s))-(utf8.UTFMax-1) {
			t.Fatalf("%q to %d bytes is %q", s, n, got)
		}
		if !utf8.ValidString(s) {
			return
		}
		want := s
		for len(want) > n {
			_, size := utf8.DecodeLastRuneInString(want)
			want = want[:len(want)-size]
		}
		if got != want {
			t.Fatalf("%q to %d bytes is %q, want %q", s, n, got, want)
		}
	})
	if got := oneline.Start("\x80\x80\x80\x80\x80\x80", 5); len(got) != 5 {
		t.Errorf("of bytes that are no text %d stay", len(got))
	}
}

// ClipMiddle has the beginning and the end of a text within so many bytes, and parts no character.
func TestClipMiddle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		n := rapid.IntRange(0, len(s)+2).Draw(t, "bytes")
		got := oneline.ClipMiddle(s, n)
		head, tail, cut := strings.Cut(got, oneline.Ellipsis+" ")
		if len(got) > n || !utf8.ValidString(got) || len(s) <= n && got != s || len(s) > n && cut && !strings.Contains(s, oneline.Ellipsis) && (!strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail)) {
			t.Fatalf("%q to %d bytes is %q", s, n, got)
		}
	})
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"please read all of this, and then tell me about it", 32, "please read all of… about it"},
		{"I need the date of May 24 for all three of us. Could you try the flights of the morning and tell me what they cost before you change it? Never book one before 11:00.", 110, "I need the date of May 24 for all three of us. Could you try the flights of… Never book one before 11:00."},
		{"I need the date of May 24 for all three of us. Could you try the flights of the morning, and tell me? What do they all cost then?", 80, "I need the date of May 24 for all three of us.… What do they all cost then?"},
		{"I need the date of May 24. It is urgent, as the others fly then. Could you try the flights of the morning and tell me what they all cost before you change it", 80, "I need the date of May 24. It is urgent, as the others fly… you change it"},
	} {
		if got := oneline.ClipMiddle(c.text, c.n); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}
