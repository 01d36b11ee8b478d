package artifact_test

import (
	"errors"
	"testing"
	"time"

	"github.com/seed-3db51b0e/precis/artifact"
)

// SPEC: L15, V10
func TestAllowed(t *testing.T) {
	const confidential, restricted = artifact.ReadConfidential, artifact.ReadRestricted
	for name, tt := range map[string]struct {
		sensitivity artifact.Sensitivity
		tenant      string
		permissions []string
		missing     string // permission, "tenant" or "" when allowed
	}{
		"Public":             {artifact.Public, "t", nil, ""},
		"Internal":           {artifact.Internal, "t", nil, ""},
		"Unset":              {"", "t", nil, ""},
		"Confidential":       {artifact.Confidential, "t", []string{"other", confidential}, ""},
		"Restricted":         {artifact.Restricted, "t", []string{restricted}, ""},
		"NoPermission":       {artifact.Confidential, "t", nil, confidential},
		"AnotherPermission":  {artifact.Confidential, "t", []string{restricted}, confidential},
		"LesserPermission":   {artifact.Restricted, "t", []string{confidential}, restricted},
		"PartOfPermission":   {artifact.Restricted, "t", []string{"artifact:read", "artifact:read:restricted "}, restricted},
		"UnknownLevel":       {"secret", "t", []string{confidential}, restricted},
		"UnknownLevelHigh":   {"secret", "t", []string{restricted}, ""},
		"AnotherTenant":      {artifact.Public, "u", []string{confidential, restricted}, "tenant"},
		"DefaultTenant":      {artifact.Public, "", nil, "tenant"},
		"TenantsAreNoPrefix": {artifact.Public, "tt", nil, "tenant"},
	} {
		t.Run(name, func(t *testing.T) {
			a := artifact.Artifact{ID: "a1", Tenant: "t", Sensitivity: tt.sensitivity}
			err := a.Allowed(artifact.Requester{ID: "ann", Tenant: tt.tenant, Permissions: tt.permissions})
			if tt.missing == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var denied *artifact.AccessError
			if !errors.Is(err, artifact.ErrDenied) || !errors.As(err, &denied) {
				t.Fatalf("error is %v", err)
			}
			want := artifact.AccessError{Artifact: "a1", Requester: "ann", Missing: tt.missing}
			if tt.missing == "tenant" {
				want.Missing = ""
			}
			if *denied != want {
				t.Fatalf("error is %#v, want %#v", *denied, want)
			}
		})
	}
}

// SPEC: L16
func TestExpired(t *testing.T) {
	made := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, tt := range map[string]struct {
		ttl  time.Duration
		at   time.Time
		want bool
	}{
		"Never":   {0, made.AddDate(1000, 0, 0), false},
		"Before":  {time.Hour, made.Add(time.Minute), false},
		"Exactly": {time.Hour, made.Add(time.Hour), false},
		"After":   {time.Hour, made.Add(time.Hour + 1), true},
		"NoClock": {time.Hour, time.Time{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if have := (artifact.Artifact{Created: made, TTL: tt.ttl}).Expired(tt.at); have != tt.want {
				t.Fatalf("expired is %v", have)
			}
		})
	}
}

// SPEC: V1
func TestTombstone(t *testing.T) {
	at := time.Date(2030, 1, 2, 5, 4, 5, 0, time.FixedZone("", 7200))
	for want, have := range map[string]artifact.Tombstone{
		"erased on 2030-01-02 03:04:05 UTC":                         {At: at},
		"erased on 2030-01-02 03:04:05 UTC by ann":                  {At: at, By: "ann", Reason: artifact.ReasonErased},
		"erased on 2030-01-02 03:04:05 UTC by ann: held a password": {At: at, By: "ann", Reason: "held a password"},
		"expired on 2030-01-02 03:04:05 UTC":                        {At: at, Reason: artifact.ReasonExpired},
	} {
		if have.String() != want {
			t.Errorf("have %q, want %q", have, want)
		}
	}
}
