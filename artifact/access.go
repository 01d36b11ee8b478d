package artifact

import (
	"errors"
	"slices"
)

// The permissions that reading takes, beyond being of the artifact's tenant.
// Public and internal artifacts take none; neither of the two includes the
// other. A sensitivity nobody knows takes what Restricted takes.
const (
	ReadConfidential = "artifact:read:confidential"
	ReadRestricted   = "artifact:read:restricted"
)

// ErrDenied is wrapped by every refusal; errors.As with *AccessError gives details.
var ErrDenied = errors.New("access denied")

// Requester is who asks for content.
type Requester struct {
	ID          string
	Tenant      string // "" is the default tenant
	Permissions []string
}

// AccessError names the artifact, the requester, and the permission it lacks.
type AccessError struct {
	Artifact, Requester string
	Missing             string // the permission; "" when the tenant is another
}

func (e *AccessError) Error() string {
	why := "it belongs to another tenant"
	if e.Missing != "" {
		why = "permission " + e.Missing + " is missing"
	}
	return "read artifact " + e.Artifact + " as " + e.Requester + ": " + ErrDenied.Error() + ": " + why
}

// Unwrap makes it an ErrDenied.
func (e *AccessError) Unwrap() error { return ErrDenied }

// Allowed returns an *AccessError if r may not read the content. It decides by
// metadata alone. Tenant must be set, as a store does.
func (a Artifact) Allowed(r Requester) error {
	if r.Tenant != a.Tenant {
		return &AccessError{Artifact: a.ID, Requester: r.ID}
	}
	if need := a.Sensitivity.Permission(); need != "" && !slices.Contains(r.Permissions, need) {
		return &AccessError{Artifact: a.ID, Requester: r.ID, Missing: need}
	}
	return nil
}

// Permission returns the permission that reading content of this level takes, "" for
// none.
func (s Sensitivity) Permission() string {
	switch s {
	case Public, Internal, "":
		return ""
	case Confidential:
		return ReadConfidential
	}
	return ReadRestricted
}
