package doctor_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/internal/doctor"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// The threads of every tenant are read and counted; what a proxy keeps beside a thread is
// none.
//
// SPEC: V1
func TestDoctorReadsEveryTenant(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	s := open(t, path)
	own, research := store.Key{Thread: "a"}, store.Key{Tenant: "research", Thread: "b"}
	for _, k := range []store.Key{own, research, research.Upstream()} {
		ms := []message.Message{message.TextOf(message.User, "to "+k.Tenant), message.TextOf(message.Assistant, "done")}
		if _, err := s.Append(t.Context(), k, store.Batch{Entries: thread.Extend("", ms), Now: time.Unix(1, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	f := finding(t, doctor.Database{Path: path}, "threads")
	if !f.OK || !strings.HasPrefix(f.Found, "2 threads, 4 messages") {
		t.Errorf("%+v", f)
	}
}
