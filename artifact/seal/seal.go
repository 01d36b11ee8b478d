// Package seal encrypts content at rest, under a ring of keys that can be renewed.
//
// Use: Generate or Unmarshal a Keyring, or keep it in a file (ReadFile, CreateFile); give
// it to sqlite.Options.Keys, which seals a whole file; or Seal, Open and Reseal artifacts
// with it, as store/sealed does on every way in and out of any store.
// Law: content opens only at its place: for the tenant, thread, entry, part,
// sensitivity and id it was sealed for. Promise: any enabled
// key of the ring opens what it sealed; what cannot be opened is an error that
// gives the reason, never other content.
//
// Of an artifact only the content is sealed, not its metadata and not the log: the
// message that it was taken from, and what a plan quotes of it, are the store's. Content
// stored before there was a key has no KeyID and stays in the clear.
//
// The keys are Tink's (AES-256-GCM, 96-bit random nonces): renew the primary
// long before it has sealed 2³² artifacts.
package seal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"

	"github.com/seed-3db51b0e/precis/artifact"
)

var (
	// ErrKey is wrapped when the key that content was sealed with cannot be
	// used; errors.As with *KeyError tells which key.
	ErrKey = errors.New("no such key")
	// ErrTampered is wrapped when sealed content is not what was sealed, or not
	// for this place.
	ErrTampered = errors.New("sealed content was changed or belongs elsewhere")
	// ErrKeyset is wrapped when bytes are no keyset of ours, or the master key
	// does not open them.
	ErrKeyset = errors.New("unusable keyset")
)

// KeyError names a key that the ring lacks, or that is retired.
type KeyError struct {
	ID      string
	Retired bool
}

func (e *KeyError) Error() string {
	if e.Retired {
		return "key " + e.ID + " is retired"
	}
	return "key " + e.ID + " is not in the keyring"
}

// Is makes it an ErrKey.
func (e *KeyError) Is(target error) bool { return target == ErrKey }

// Keyring is a set of keys, one of which, the primary, seals. It is never
// changed: Rotate, Retire and Remove return another. Safe for concurrent use.
type Keyring struct {
	keys *keyset.Handle
	aead tink.AEAD
}

// Key is one key of a ring, without its secret.
type Key struct {
	ID      string // decimal, as Tink's own tools show it; Artifact.KeyID
	Primary bool
	Retired bool
}

// New makes a ring of a Tink keyset of AEAD keys: for keys that a key service
// keeps.
func New(keys *keyset.Handle) (*Keyring, error) {
	p, err := aead.New(keys)
	if err != nil {
		return nil, fmt.Errorf("make keyring: %w: %w", ErrKeyset, err)
	}
	if _, err := keys.Primary(); err != nil {
		return nil, fmt.Errorf("make keyring: %w: %w", ErrKeyset, err)
	}
	return &Keyring{keys, p}, nil
}

// Generate makes a ring of one new key.
func Generate() (*Keyring, error) {
	keys, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("generate keyring: %w", err)
	}
	return New(keys)
}

// Unmarshal reads what Marshal wrote, with the same master key.
func Unmarshal(data []byte, master tink.AEAD) (*Keyring, error) {
	var keys *keyset.Handle
	var err error
	if r := keyset.NewJSONReader(bytes.NewReader(data)); master == nil {
		keys, err = insecurecleartextkeyset.Read(r)
	} else {
		keys, err = keyset.Read(r, master)
	}
	if err != nil {
		return nil, fmt.Errorf("read keyring: %w: %w", ErrKeyset, err)
	}
	return New(keys)
}

// Marshal writes the ring as a Tink keyset in JSON, encrypted with the master
// key. Without one (nil) the keys stand in it in the clear: whoever reads the
// file can read the artifacts, so keep it from other users and away from the
// store's own backups.
func (r *Keyring) Marshal(master tink.AEAD) ([]byte, error) {
	var b bytes.Buffer
	var err error
	if w := keyset.NewJSONWriter(&b); master == nil {
		err = insecurecleartextkeyset.Write(r.keys, w)
	} else {
		err = r.keys.Write(w, master)
	}
	if err != nil {
		return nil, fmt.Errorf("write keyring: %w", err)
	}
	return b.Bytes(), nil
}

// Primary is the id of the key that seals.
func (r *Keyring) Primary() string {
	e, err := r.keys.Primary()
	if err != nil {
		return "" // New lets none pass
	}
	return keyName(e.KeyID())
}

// Keys lists the keys, oldest first.
func (r *Keyring) Keys() []Key {
	var keys []Key
	for i := range r.keys.Len() {
		e, err := r.keys.Entry(i)
		if err != nil {
			continue // within Len there is none
		}
		keys = append(keys, Key{keyName(e.KeyID()), e.IsPrimary(), e.KeyStatus() != keyset.Enabled})
	}
	return keys
}

// Rotate returns a ring with a new key that seals from now on. The old ones
// still open.
func (r *Keyring) Rotate() (*Keyring, error) {
	return r.edit("rotate keyring", func(m *keyset.Manager) error {
		id, err := m.Add(aead.AES256GCMKeyTemplate())
		if err != nil {
			return err
		}
		return m.SetPrimary(id)
	})
}

// Retire returns a ring in which a key no longer opens; it can be enabled again
// with Tink's own tools. The primary cannot be retired.
func (r *Keyring) Retire(id string) (*Keyring, error) {
	return r.editKey("retire key", id, (*keyset.Manager).Disable)
}

// Remove returns a ring without a key. What it sealed is lost for good, in
// every copy of the store: Reseal first what is to stay.
func (r *Keyring) Remove(id string) (*Keyring, error) {
	return r.editKey("remove key", id, (*keyset.Manager).Delete)
}

func (r *Keyring) editKey(verb, id string, f func(*keyset.Manager, uint32) error) (*Keyring, error) {
	n, err := strconv.ParseUint(id, 10, 32)
	if err != nil || !r.has(id) {
		return nil, fmt.Errorf("%s: %w", verb, &KeyError{ID: id})
	}
	return r.edit(verb+" "+id, func(m *keyset.Manager) error { return f(m, uint32(n)) })
}

func (r *Keyring) edit(verb string, f func(*keyset.Manager) error) (*Keyring, error) {
	m := keyset.NewManagerFromHandle(r.keys)
	if err := f(m); err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	keys, err := m.Handle()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	return New(keys)
}

func (r *Keyring) has(id string) bool {
	for _, k := range r.Keys() {
		if k.ID == id {
			return true
		}
	}
	return false
}

// usable reports whether the ring can open what the key sealed.
func (r *Keyring) usable(id string) error {
	for _, k := range r.Keys() {
		if k.ID == id && k.Retired {
			return &KeyError{ID: id, Retired: true}
		}
		if k.ID == id {
			return nil
		}
	}
	return &KeyError{ID: id}
}

// Seal encrypts the content with the primary key and sets KeyID. Tenant and
// Thread must say where the artifact is to be kept. What is sealed already is
// resealed.
func (r *Keyring) Seal(a artifact.Artifact) (artifact.Artifact, error) {
	if a.KeyID != "" {
		return r.Reseal(a)
	}
	a.KeyID = r.Primary()
	sealed, err := r.aead.Encrypt(a.Content, boundTo(a))
	if err != nil {
		return artifact.Artifact{}, fmt.Errorf("seal artifact %s: %w", a.ID, err)
	}
	a.Content = sealed
	return a, nil
}

// Open decrypts the content and clears KeyID. What is not sealed comes back as
// it is. Tenant and Thread must be the ones it was sealed for: take the tenant
// from the request, not from the store.
func (r *Keyring) Open(a artifact.Artifact) (artifact.Artifact, error) {
	if a.KeyID == "" {
		return a, nil
	}
	if err := r.usable(a.KeyID); err != nil {
		return artifact.Artifact{}, fmt.Errorf("open artifact %s: %w", a.ID, err)
	}
	content, err := r.aead.Decrypt(a.Content, boundTo(a))
	if err != nil {
		return artifact.Artifact{}, fmt.Errorf("open artifact %s: key %s: %w", a.ID, a.KeyID, ErrTampered)
	}
	a.KeyID, a.Content = "", append([]byte{}, content...) // not nil
	return a, nil
}

// Encrypt seals any content with the primary key, bound to a place: it opens with the
// same place only. KeyOf names the key.
func (r *Keyring) Encrypt(content, place []byte) ([]byte, error) {
	sealed, err := r.aead.Encrypt(content, place)
	if err != nil {
		return nil, fmt.Errorf("seal content: %w", err)
	}
	return sealed, nil
}

// Decrypt opens what Encrypt sealed: ErrKey if its key is not in the ring or is retired,
// ErrTampered if it was changed or belongs to another place.
func (r *Keyring) Decrypt(sealed, place []byte) ([]byte, error) {
	content, err := r.aead.Decrypt(sealed, place)
	if err == nil {
		return content, nil
	}
	id := KeyOf(sealed)
	if err := r.usable(id); err != nil {
		return nil, fmt.Errorf("open content: %w", err)
	}
	return nil, fmt.Errorf("open content: key %s: %w", id, ErrTampered)
}

// KeyOf is the id of the key that sealed content, by Tink's prefix; "" where there is
// none.
func KeyOf(sealed []byte) string {
	const prefix = 5 // a 1, and the id
	if len(sealed) < prefix || sealed[0] != 1 {
		return ""
	}
	return keyName(binary.BigEndian.Uint32(sealed[1:prefix]))
}

// Reseal moves content to the primary key. What is there already, and what is
// not sealed, comes back as it is.
func (r *Keyring) Reseal(a artifact.Artifact) (artifact.Artifact, error) {
	if a.KeyID == "" || a.KeyID == r.Primary() {
		return a, nil
	}
	opened, err := r.Open(a)
	if err != nil {
		return artifact.Artifact{}, err
	}
	return r.Seal(opened)
}

// boundTo returns the additional data that sealed content is bound to: where it
// belongs, the key, and its sensitivity. Each field has its length before it.
func boundTo(a artifact.Artifact) []byte {
	b := []byte("precis artifact 1")
	for _, field := range []string{a.Tenant, a.Thread, string(a.Source), strconv.Itoa(a.Part), a.ID, string(a.Sensitivity), a.KeyID} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(field)))
		b = append(b, field...)
	}
	return b
}

func keyName(id uint32) string { return strconv.FormatUint(uint64(id), 10) }
