package inspect_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/inspect"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/plan"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/thread"
)

const secret = "the salary of Marta is 81,250, paid to marta@example.org"

// restricted is a store with one message whose content is a restricted artifact.
func restricted(t *testing.T) store.Store {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	k := store.Key{Thread: "t"}
	ms := []message.Message{message.TextOf(message.User, "hello"), message.TextOf(message.Assistant, secret), message.TextOf(message.User, "on")}
	entries := thread.Extend("", ms)
	if _, err := s.Append(t.Context(), k, store.Batch{Entries: entries, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	all, err := thread.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	a := artifact.Of(entries[1].ID, 0, []byte(secret))
	a.Sensitivity = artifact.Restricted
	p, err := plan.Build(plan.Plan{
		Thread: "t", Base: all.Tip(), Version: 1, ThreadVersion: all.Len(), Style: "ladder",
		Records: []plan.Record{{Action: plan.Externalize, Span: plan.Span{IDs: []thread.ID{entries[1].ID}}, Text: "a pay slip", Artifact: a.ID}},
	}, all)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), k, p, []artifact.Artifact{a}); err != nil {
		t.Fatal(err)
	}
	return s
}

// What may not be read is not shown, wherever it stands.
func TestRestrictedContentIsWithheld(t *testing.T) {
	s := restricted(t)
	paths := []string{"messages", "messages/2", "messages/2/text", "prompt", "plans/1", "plans/1/lost", "search?q=salary", "export", "timeline", "summary"}
	c := served(t, s, inspect.Options{})
	for _, path := range paths {
		resp := c.do(c.request(http.MethodGet, "/api/v1/threads/t/"+path, nil))
		text := body(t, resp)
		if strings.Contains(text, "81,250") || strings.Contains(text, "marta@") || (path == "export") != (resp.StatusCode == http.StatusForbidden) {
			t.Errorf("%s answers %d: %s", path, resp.StatusCode, text)
		}
	}
	contains(t, body(t, c.do(c.request(http.MethodGet, "/api/v1/threads/t/messages/2/text", nil))), artifact.ReadRestricted)
	may := served(t, s, inspect.Options{Permissions: []string{artifact.ReadRestricted}})
	contains(t, body(t, may.do(may.request(http.MethodGet, "/api/v1/threads/t/messages/2/text", nil))), "81,250")
	contains(t, body(t, may.do(may.request(http.MethodGet, "/api/v1/threads/t/plans/1/lost", nil))), "marta@example.org")
}

func body(t *testing.T, resp *http.Response) string {
	t.Helper()
	var b strings.Builder
	if _, err := bufio.NewReader(resp.Body).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Nothing of another tenant is reachable.
func TestTenantsAreApart(t *testing.T) {
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	for _, k := range []store.Key{{Thread: "mine"}, {Tenant: "other", Thread: "theirs"}} {
		b := store.Batch{Entries: thread.Extend("", []message.Message{message.TextOf(message.User, "hello "+k.Thread)}), Now: time.Now()}
		if _, err := s.Append(t.Context(), k, b); err != nil {
			t.Fatal(err)
		}
	}
	c := served(t, s, inspect.Options{})
	var all inspect.Threads
	c.get("threads", &all)
	if len(all.Threads) != 1 || all.Threads[0].Thread != "mine" {
		t.Errorf("it lists %+v", all.Threads)
	}
	for _, path := range []string{"summary", "timeline", "messages", "prompt", "export", "plans"} {
		if got := c.do(c.request(http.MethodGet, "/api/v1/threads/theirs/"+path, nil)).StatusCode; got != http.StatusNotFound {
			t.Errorf("%s of another tenant answers %d", path, got)
		}
	}
	contains(t, c.refused("theirs", http.StatusNotFound, inspect.Action{Action: "rename", Title: "x"}), "not_found")
}

// A page is told of events and of threads that change in the store.
func TestEventStream(t *testing.T) {
	s, bus := simulated(t, "t", 16_000), &event.Bus{}
	c := served(t, s, inspect.Options{Events: bus})
	resp, err := http.DefaultClient.Do(c.request(http.MethodGet, "/api/v1/events", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	lines.Scan() // it listens now
	for bus.Stats().Subscribers == 0 {
		time.Sleep(time.Millisecond)
	}
	bus.Emit(event.Event{Kind: event.Completed, Tenant: "other", Thread: "theirs"})
	bus.Emit(event.Event{Kind: event.Completed, Thread: "t"})
	e, err := precis.New(precis.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var told strings.Builder
	for lines.Scan() {
		told.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "compaction_completed") {
			if _, err := e.Restore(t.Context(), "t", 0); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(lines.Text(), `"plan_version"`) {
			break
		}
	}
	if text := told.String(); strings.Contains(text, "theirs") || !strings.Contains(text, "event: moved") {
		t.Errorf("it tells %s", text)
	}
}
