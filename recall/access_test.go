package recall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

// What a requester may not read is not shown by any tool, neither the artifact
// nor the message it was taken from; who holds the permission reads both.
//
// SPEC: L15, V10
func TestAnswerDenied(t *testing.T) {
	s := memory.New()
	es := thread.Extend("", append(sample(),
		message.Message{Role: message.Assistant, Parts: []message.Part{
			{Kind: message.Text, Text: "harmless"}, {Kind: message.Call, CallID: "c3", Name: "Vault", Args: `{"k":"password"}`},
		}},
		message.TextOf(message.User, "the whole is secret")))
	th, err := thread.New(es)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(ctx, key, store.Batch{Entries: es, Now: now}); err != nil {
		t.Fatal(err)
	}
	var arts []artifact.Artifact
	for _, c := range []struct {
		at, part int
		text     string
		level    artifact.Sensitivity
	}{{2, 1, "cc main.c\nmain.c:7: error: x\nmake: *** [all] Error 1\n", artifact.Restricted}, {6, 2, `{"k":"password"}`, artifact.Confidential}, {7, 0, "the whole is secret", artifact.Restricted}} {
		a := artifact.Of(es[c.at].ID, c.part, []byte(c.text))
		a.Sensitivity, a.Created = c.level, now
		arts = append(arts, a)
	}
	rec := plan.Record{Action: plan.Externalize, Artifact: arts[0].ID, Text: "a build", Span: plan.Span{IDs: []thread.ID{es[2].ID}, Part: 1}}
	p, r := planned(t, s, th, arts, rec)
	calls := [][2]string{
		{"precis_read", `{"id":"` + arts[0].ID + `"}`},
		{"precis_read", `{"id":"#3"}`},
		{"precis_read", `{"id":"#3/1"}`},
		{"precis_read", `{"id":"` + p.Records[0].ID + `"}`},
		{"precis_read", `{"id":"#7"}`},
		{"precis_read", `{"id":"#7/2"}`},
		{"precis_read", `{"id":"#8"}`},
		{"precis_grep", `{"query":"Error 1"}`},
		{"precis_grep", `{"query":"password"}`},
		{"precis_grep", `{"query":"secret"}`},
		{"precis_grep", `{"query":".","regexp":true,"limit":100}`},
		{"precis_grep", `{"query":"password","id":"#7"}`},
		{"precis_describe", `{"id":"` + arts[0].ID + `"}`},
		{"precis_describe", `{"id":"#3"}`},
		{"precis_describe", `{"id":"#7"}`},
		{"precis_describe", `{"id":"` + p.Records[0].ID + `"}`},
		{"precis_list", `{}`},
		{"precis_list", `{"kind":"records"}`},
		{"precis_list", `{"kind":"artifacts"}`},
	}
	secrets := []string{"Error 1", "password", "whole is secret", "main.c:7"}
	var b strings.Builder
	for _, c := range calls {
		var got recall.Retrieval
		a := recall.ToolHandler{Who: ann, Tell: func(r recall.Retrieval) { got = r }}
		text, failed := a.Answer(ctx, r, c[0], json.RawMessage(c[1]))
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s %s shows %q:\n%s", c[0], c[1], secret, text)
			}
		}
		if (got.Outcome == recall.Denied) != errors.Is(got.Err, artifact.ErrDenied) || got.Outcome == recall.Denied && !failed {
			t.Errorf("%s %s: %+v", c[0], c[1], got)
		}
		fmt.Fprintf(&b, "> %s %s\n%s\n< %s\n\n", c[0], c[1], text, got.Outcome)
	}
	golden(t, "denied.txt", b.String())
	full := artifact.Requester{Tenant: "t", Permissions: []string{artifact.ReadConfidential, artifact.ReadRestricted}}
	for i, want := range map[int]string{0: secrets[0], 1: secrets[0], 3: secrets[3], 5: secrets[1], 6: secrets[2], 7: secrets[0]} {
		text, failed := recall.ToolHandler{Who: full}.Answer(ctx, r, calls[i][0], json.RawMessage(calls[i][1]))
		if failed || !strings.Contains(text, want) {
			t.Errorf("%v with permission: %s", calls[i], text)
		}
	}
	if v, err := r.For(full); err != nil || v != r {
		t.Errorf("a view that hides nothing: %p, %v", v, err)
	}
	for _, tenant := range []string{"", "u", "tt"} {
		for _, c := range calls {
			text, failed := recall.ToolHandler{Who: artifact.Requester{Tenant: tenant, Permissions: full.Permissions}}.Answer(ctx, r, c[0], json.RawMessage(c[1]))
			if !failed || !strings.HasPrefix(text, "denied: ") {
				t.Errorf("%v as tenant %q: %s", c, tenant, text)
			}
		}
	}
}

// failing is a store whose artifacts cannot be read.
type failing struct {
	store.Store
	err error
}

func (f failing) Artifact(context.Context, store.Key, string) (artifact.Artifact, error) {
	return artifact.Artifact{KeyID: "k1"}, f.err
}

// Every reason that content is not there is an outcome of its own; what the
// store says of itself stays out of the prompt.
//
// SPEC: L16, V9, B8
func TestAnswerOutcomes(t *testing.T) {
	_, s, _, p2 := open(t)
	id := p2.Records[1].Artifact
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, c := range map[string]struct {
		store store.Store
		ctx   context.Context
		at    time.Time
		want  recall.Outcome
		text  string
	}{
		"expired":  {s, ctx, now.Add(2 * time.Hour), recall.Expired, "expired: read artifact " + id + ": expired on 2026-03-01 13:00:00"},
		"sealed":   {failing{s, nil}, ctx, now, recall.Sealed, "sealed: read artifact " + id + ": sealed with key k1"},
		"erased":   {failing{s, &store.ErasedError{Tombstone: artifact.Tombstone{At: now, By: "bob"}}}, ctx, now, recall.Erased, "erased: read artifact " + id + ": content was erased on 2026-03-01 12:00:00 UTC by bob"},
		"gone":     {failing{s, store.ErrNotFound}, ctx, now, recall.Miss, "miss: read artifact " + id + ": not found"},
		"failed":   {failing{s, errors.New("disk /srv/x at 10.0.0.1 is on fire")}, ctx, now, recall.Unavailable, "unavailable: the log cannot be read now; the same call may work later"},
		"given up": {s, ended, now, recall.Stopped, "stopped: the call was given up before it was answered"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := recall.Open(ctx, c.store, key, c.at)
			if err != nil {
				t.Fatal(err)
			}
			var got recall.Retrieval
			text, failed := recall.ToolHandler{Who: ann, Tell: func(r recall.Retrieval) { got = r }}.Answer(c.ctx, r, "precis_read", json.RawMessage(`{"id":"`+id+`"}`))
			if !failed || text != c.text || got.Outcome != c.want || got.Err == nil {
				t.Errorf("%t, %+v, %s", failed, got, text)
			}
		})
	}
	r, err := recall.Open(ctx, s, key, now)
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string]string{
		"precis_grep": `{"query":"main","regexp":true}`, "precis_describe": `{"id":"#1"}`, "precis_list": ``,
	} {
		if text, failed := (recall.ToolHandler{Who: ann}).Answer(ended, r, name, json.RawMessage(args)); !failed || !strings.HasPrefix(text, "stopped: ") {
			t.Errorf("%s given up: %s", name, text)
		}
	}
	count := func(s string) int { return len(strings.Fields(s)) }
	text, failed := recall.ToolHandler{Who: ann, Tokens: 3, Count: count}.Answer(ctx, r, "precis_list", nil)
	if !failed || text != "no_room: the prompt has room for 3 tokens, which holds none of it" {
		t.Errorf("no room: %s", text)
	}
}
