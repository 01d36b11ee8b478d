// Package sealing turns what a store holds of a conversation into what tells nothing of
// it, and back.
//
// Use: Fresh for a new store, Unlock for one that was sealed; a nil Sealing leaves
// everything as it is. Law: content is sealed with the owner's primary key, a different
// way each time. What queries look for (ids, hashes, names) is turned the same way each
// time, under a key of the store's own. Promise: safe for concurrent use.
package sealing

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/tink-crypto/tink-go/v2/daead/subtle"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// ErrDamaged: what was sealed does not open, although its key is there.
var ErrDamaged = errors.New("what is sealed was changed")

// IDSize is the length of an entry's id as it is stored, in bytes.
const IDSize = 16

// Sealing turns values on their way into a store and back.
type Sealing struct {
	ring    *seal.Keyring
	ids     cipher.Block // one block: an id
	digests cipher.Block
	hashes  []byte // key of an HMAC
	names   *subtle.AESSIV
}

// indexSize is the length of a store's own key, in bytes.
const indexSize = 32

// indexPlace binds a store's own key to its use.
const indexPlace = "precis index 1"

// Fresh makes a key for a store, and returns it sealed, to be kept beside what it turns.
func Fresh(keys *seal.Keyring) (x *Sealing, sealed []byte, err error) {
	index := make([]byte, indexSize)
	if _, err := rand.Read(index); err != nil {
		return nil, nil, err
	}
	if x, err = derive(keys, index); err != nil {
		return nil, nil, err
	}
	sealed, err = keys.Encrypt(index, []byte(indexPlace))
	return x, sealed, err
}

// Unlock opens a store with its own key, as Fresh returned it.
func Unlock(keys *seal.Keyring, sealed []byte) (*Sealing, error) {
	index, err := keys.Decrypt(sealed, []byte(indexPlace))
	if err != nil {
		return nil, err
	}
	return derive(keys, index)
}

// Again seals a store's own key with the primary.
func Again(keys *seal.Keyring, sealed []byte) ([]byte, error) {
	index, err := keys.Decrypt(sealed, []byte(indexPlace))
	if err != nil {
		return nil, err
	}
	return keys.Encrypt(index, []byte(indexPlace))
}

// derive makes the keys of a store from its own key.
func derive(ring *seal.Keyring, index []byte) (*Sealing, error) {
	derived := func(use string, n int) []byte {
		key, err := hkdf.Expand(sha256.New, index, "precis "+use, n)
		if err != nil {
			panic(err) // n is far below what HKDF gives
		}
		return key
	}
	x := &Sealing{ring: ring, hashes: derived("hashes", 32)}
	var err [3]error
	x.ids, err[0] = aes.NewCipher(derived("ids", 32))
	x.digests, err[1] = aes.NewCipher(derived("digests", 32))
	x.names, err[2] = subtle.NewAESSIV(derived("names", subtle.AESSIVKeySize))
	return x, errors.Join(err[:]...)
}

// RawID is the 16 bytes of an entry's id as they are stored; none for "" and for what is
// no id.
func (x *Sealing) RawID(id thread.ID) []byte {
	b, err := hex.DecodeString(string(id))
	if err != nil || hex.EncodeToString(b) != string(id) {
		return []byte{}
	}
	if x != nil && len(b) == IDSize {
		x.ids.Encrypt(b, b)
	}
	return b
}

// TextID is the id that raw stands for.
func (x *Sealing) TextID(raw []byte) thread.ID {
	if x == nil || len(raw) != IDSize {
		return thread.ID(hex.EncodeToString(raw))
	}
	var b [IDSize]byte
	x.ids.Decrypt(b[:], raw)
	return thread.ID(hex.EncodeToString(b[:]))
}

// Split takes stored ids apart that stand one after the other.
func (x *Sealing) Split(raw []byte) []thread.ID {
	if x != nil {
		raw = bytes.Clone(raw)
		for at := raw; len(at) >= IDSize; at = at[IDSize:] {
			x.ids.Decrypt(at, at)
		}
	}
	text := hex.EncodeToString(raw)
	ids := make([]thread.ID, 0, len(text)/(2*IDSize))
	for ; len(text) >= 2*IDSize; text = text[2*IDSize:] {
		ids = append(ids, thread.ID(text[:2*IDSize]))
	}
	return ids
}

// TurnIDs turns ids that were stored in the clear, one after the other.
func (x *Sealing) TurnIDs(clear []byte) []byte {
	out := bytes.Clone(clear)
	for at := out; len(at) >= IDSize; at = at[IDSize:] {
		x.ids.Encrypt(at, at)
	}
	return out
}

// Digest turns a digest of the entry whose stored id is given, either way. Equal
// messages in different places have different ones.
func (x *Sealing) Digest(id []byte, d message.Digest) message.Digest {
	if x != nil {
		cipher.NewCTR(x.digests, id).XORKeyStream(d[:], d[:])
	}
	return d
}

// Hash turns a hash of content into one that nobody can compare with a guess.
func (x *Sealing) Hash(sum [sha256.Size]byte) [sha256.Size]byte {
	if x == nil {
		return sum
	}
	h := hmac.New(sha256.New, x.hashes)
	h.Write(sum[:])
	return [sha256.Size]byte(h.Sum(nil))
}

// Label turns a short text that queries look for.
func (x *Sealing) Label(s string) string {
	if x == nil {
		return s
	}
	b, err := x.names.EncryptDeterministically([]byte(s), nil)
	if err != nil {
		panic(err) // only for texts of gigabytes
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// PlainLabel undoes Label.
func (x *Sealing) PlainLabel(s string) (string, error) {
	if x == nil {
		return s, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		b, err = x.names.DecryptDeterministically(b, nil)
	}
	if err != nil {
		return "", fmt.Errorf("%w: a name does not open", ErrDamaged)
	}
	return string(b), nil
}

// upstream and answers end the names of the tenants of such keys.
var (
	upstream = store.Key{}.Upstream().Tenant
	answers  = store.Key{}.Answers().Tenant
)

// Name turns the name of a tenant or thread. How the tenants end of what stands beside a
// thread (store.Key.Upstream, Answers) stays: queries know it. It is never nil.
func (x *Sealing) Name(s string) []byte {
	if x == nil {
		return append([]byte{}, s...)
	}
	for _, end := range []string{upstream, answers} {
		if base, ok := strings.CutSuffix(s, end); ok {
			return append(x.Name(base), end...)
		}
	}
	return []byte(x.Label(s))
}

// PlainName undoes Name; of nil it returns "".
func (x *Sealing) PlainName(raw []byte) (string, error) {
	if x == nil || raw == nil {
		return string(raw), nil
	}
	base, end, beside := strings.Cut(string(raw), "\n")
	if beside {
		end = "\n" + end
	}
	name, err := x.PlainLabel(base)
	return name + end, err
}

// Close seals content under its hash, as it is stored.
func (x *Sealing) Close(hash, data []byte) ([]byte, error) {
	return x.ring.Encrypt(data, boundTo(hash))
}

// Open returns what Close was given.
func (x *Sealing) Open(hash, data []byte) ([]byte, error) {
	data, err := x.ring.Decrypt(data, boundTo(hash))
	if errors.Is(err, seal.ErrTampered) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return data, err
}

// boundTo returns the bytes that bind sealed content to its hash.
func boundTo(hash []byte) []byte { return append([]byte("precis content 1 "), hash...) }

// Newest reports whether content as Close returned it is sealed with the primary key.
func (x *Sealing) Newest(sealed []byte) bool { return seal.KeyOf(sealed) == x.ring.Primary() }
