package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A record is described with all the turns that it covers, as the report tells them.
func TestDescribeRecord(t *testing.T) {
	db := filepath.Join(t.TempDir(), "p.db")
	precis := func(args ...string) string {
		var o, e bytes.Buffer
		if code := run(t.Context(), append(args, "--db", db), strings.NewReader(""), &o, &e); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", args, code, &e)
		}
		return o.String()
	}
	var made struct {
		Report struct {
			Records []struct {
				ID    string
				First int `json:"first_turn"`
				Last  int `json:"last_turn"`
			}
		}
	}
	if err := json.Unmarshal([]byte(precis("compact", "../../examples/session.jsonl", "--budget", "32k", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	r := made.Report.Records[0]
	if r.First == r.Last {
		t.Fatalf("a record of one turn: %+v", r)
	}
	if got, want := precis("describe", r.ID), fmt.Sprintf("  turns     %d–%d\n", r.First, r.Last); !strings.Contains(got, want) {
		t.Errorf("want %q: %.400s", want, got)
	}
	var told struct {
		Turn int `json:"turn"`
		To   int `json:"to_turn"`
	}
	if err := json.Unmarshal([]byte(precis("describe", r.ID, "--json")), &told); err != nil || told.Turn != r.First || told.To != r.Last {
		t.Errorf("%+v of %+v: %v", told, r, err)
	}
}
