package decodecache

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/seed-3db51b0e/precis/codec"
	"github.com/seed-3db51b0e/precis/codec/anthropic"
	"github.com/seed-3db51b0e/precis/codec/openai"
)

// said is a request of a conversation of n messages, of which the last is marked.
func said(name string, n int) []byte {
	ms := make([]string, n)
	for i := range ms {
		ms[i] = fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"%s %d \n"}]}`, name, i)
	}
	ms[n-1] = strings.Replace(ms[n-1], `\n"`, `\n","cache_control":{"type":"ephemeral"}`, 1)
	return []byte(`{"model":"m","messages":[` + strings.Join(ms, ",") + `],"system":"s"}`)
}

// decoded is how many messages of a request were known.
func decoded(t *testing.T, s *Cache, tenant string, c codec.Codec, body []byte) int {
	t.Helper()
	want, err := c.Decode(append([]byte(nil), body...))
	if err != nil {
		t.Fatal(err)
	}
	req, err := s.Decode(tenant, c, body)
	if err != nil {
		t.Fatal(err)
	}
	n := req.Known
	if req.Known = 0; !reflect.DeepEqual(req, want) {
		t.Fatalf("decoded %+v, not %+v", req, want)
	}
	clear(body) // what is kept is not of the body
	return n
}

// What is kept of a request serves the ones that go on from it, and no other
// tenant's, and no other API's.
//
// SPEC: V5, V11
func TestDecode(t *testing.T) {
	s := New(0)
	claude, gpt := anthropic.Codec{}, openai.Codec{}
	for i, c := range []struct {
		tenant string
		codec  codec.Codec
		body   []byte
		known  int
	}{
		{"a", claude, said("x", 3), 0},
		{"a", claude, said("x", 3), 3},
		{"a", claude, said("x", 5), 2}, // the mark has moved
		{"a", claude, said("x", 20), 4},
		{"b", claude, said("x", 20), 0},
		{"a", gpt, said("x", 20), 0},
		{"a", claude, said("y", 20), 0},
		{"a", claude, said("x", 30), 19},
		{"a", claude, said("x", 5), 4}, // a branch: what it left is kept beside it
		{"a", claude, said("x", 31), 29},
		{"b", claude, said("x", 21), 19},
		{"a", claude, []byte(`{"messages":[]}`), 0},
	} {
		if n := decoded(t, s, c.tenant, c.codec, c.body); n != c.known {
			t.Errorf("request %d: %d messages are known, not %d", i, n, c.known)
		}
	}
	if r := s.Stats(); r.Hits != 6 || r.Misses != 5 || r.Entries != 5 {
		t.Errorf("remembered %+v", r)
	}
	if _, err := s.Decode("a", claude, []byte(`{"messages":[{}`)); err == nil {
		t.Error("half a body is decoded")
	}
}

// few stands for maxHistories where that many are to be exceeded.
const few = 64

// What is kept is bounded in number and size.
func TestBounded(t *testing.T) {
	s := New(300_000)
	s.kept.MaxEntries = few
	check := func() {
		t.Helper()
		size := 0
		for _, h := range s.kept.All() {
			size += h.bytes
		}
		if r := s.Stats(); r.Entries > few || r.Bytes > s.kept.MaxBytes || r.Bytes != size {
			t.Fatalf("remembered %+v, of %d bytes", r, size)
		}
	}
	for i := range 2 * few {
		decoded(t, s, "a", anthropic.Codec{}, said(fmt.Sprint("session ", i), 4))
		check()
	}
	if r := s.Stats(); r.Entries != few || r.Bytes == 0 {
		t.Errorf("remembered %+v", r)
	}
	long := strings.Repeat("long ", 5_000)
	for i := range 10 * few {
		decoded(t, s, "a", anthropic.Codec{}, said(fmt.Sprint("session ", i, long), 2))
		check()
	}
	if r := s.Stats(); r.Entries > 3 || r.Entries == 0 {
		t.Errorf("remembered %+v", r)
	}
	before := s.Stats().Entries
	decoded(t, s, "a", anthropic.Codec{}, said(strings.Repeat(long, 10), 1))
	if check(); s.Stats().Entries != before {
		t.Error("what is too large took the place of others")
	}
}

// Branches of one conversation that are decoded at the same time do not get into
// each other.
//
// SPEC: V5
func TestConcurrentBranches(t *testing.T) {
	s := New(0)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := 10; n < 60; n += 1 + i {
				decoded(t, s, "a", anthropic.Codec{}, said("x", n))
			}
		})
	}
	all.Wait()
}

// Of more conversations that take turns than are kept, those that are kept are found
// again each time. When they have ended, one that begins soon takes a place.
func TestManyConversations(t *testing.T) {
	s := New(0)
	s.kept.MaxEntries = few
	const all, rounds = few + 16, 4
	for round := range rounds {
		for i := range all {
			decoded(t, s, "a", openai.Codec{}, said(fmt.Sprint("session ", i), 3+round))
		}
	}
	if r := s.Stats(); r.Hits != (rounds-1)*few || r.Entries != few {
		t.Errorf("remembered %+v", r)
	}
	after := 0
	for n := 3; decoded(t, s, "a", openai.Codec{}, said("another", n)) == 0; n++ {
		if after++; after > waitRequests*few {
			t.Fatal("a conversation finds no room")
		}
	}
}

// A hundred keys with a conversation each, and three hundred conversations of one key
// that share a long system prompt, are all found again each time.
func TestManyAreFound(t *testing.T) {
	system := `{"role":"system","content":"` + strings.Repeat("You are an agent. ", 200) + `"}`
	for name, c := range map[string]struct {
		tenants, each int
	}{"keys": {100, 1}, "conversations": {1, 300}} {
		s := New(0)
		for round := range 3 {
			for tenant := range c.tenants {
				for i := range c.each {
					body := `{"messages":[` + system
					for n := range 2 + round {
						body += fmt.Sprintf(`, {"role":"user","content":"conversation %d, message %d"}`, i, n)
					}
					known := decoded(t, s, fmt.Sprint(tenant), openai.Codec{}, []byte(body+`]}`))
					if round > 0 && known != 2+round {
						t.Fatalf("%s: round %d, tenant %d, conversation %d: %d messages are known", name, round, tenant, i, known)
					}
				}
			}
		}
		if r := s.Stats(); r.Entries != c.tenants*c.each {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Conversations that have only their system message in common do not go on from
// one another.
func TestSharedSystemPrompt(t *testing.T) {
	s := New(0)
	for _, task := range []string{"one", "two", "three"} {
		decoded(t, s, "a", openai.Codec{}, []byte(`{"messages":[{"role":"system","content":"You are an agent."},{"role":"user","content":"`+task+`"}]}`))
	}
	if r := s.Stats(); r.Entries != 3 || r.Hits != 0 {
		t.Errorf("remembered %+v", r)
	}
}

// What a client makes long counts, wherever it stands.
func TestBytesOfMessages(t *testing.T) {
	long := strings.Repeat("\xff", 1000) // three times as long when decoded
	for _, m := range []string{
		`{"role":"user","name":"` + long + `","content":"x"}`,
		`{"role":"tool","tool_call_id":"` + long + `","content":"x"}`,
		`{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"` + long + `","arguments":""}}]}`,
		`{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + long + `"}}]}`,
		`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:` + long + `;base64,"}}]}`,
	} {
		s := New(0)
		if decoded(t, s, "a", openai.Codec{}, []byte(`{"messages":[`+m+`]}`)); s.Stats().Bytes < 4*len(long) {
			t.Errorf("%.40s takes %d bytes", m, s.Stats().Bytes)
		}
	}
	s := New(0)
	long = strings.Repeat("x", 1000)
	if decoded(t, s, "a", openai.Codec{}, []byte(`{"messages":[{"role":"assistant","refusal":"`+long+`"}]}`)); s.Stats().Bytes < 2*len(long) {
		t.Errorf("a refusal takes %d bytes", s.Stats().Bytes)
	}
}
