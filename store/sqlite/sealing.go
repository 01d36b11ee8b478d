package sqlite

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/tink-crypto/tink-go/v2/daead/subtle"

	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/thread"
)

// sealedCodec is added to blobs.codec where data is sealed.
const sealedCodec = 16

// sealing turns what would tell something of a conversation into what does not, and
// back. A nil sealing leaves everything as it is. Safe for concurrent use.
//
// Content is sealed with the owner's primary key, a different way each time. What
// queries look for (ids, hashes, names) is turned the same way each time, under a key
// of the file's own.
type sealing struct {
	ring    *seal.Keyring
	ids     cipher.Block // one block: an id
	digests cipher.Block
	hashes  []byte // key of an HMAC
	names   *subtle.AESSIV
}

// indexSize is the length of a file's own key, in bytes.
const indexSize = 32

// newSealing derives the keys of a file from its own key.
func newSealing(ring *seal.Keyring, index []byte) (*sealing, error) {
	derived := func(use string, n int) []byte {
		key, err := hkdf.Expand(sha256.New, index, "precis "+use, n)
		if err != nil {
			panic(err) // n is far below what HKDF gives
		}
		return key
	}
	x := &sealing{ring: ring, hashes: derived("hashes", 32)}
	var err [3]error
	x.ids, err[0] = aes.NewCipher(derived("ids", 32))
	x.digests, err[1] = aes.NewCipher(derived("digests", 32))
	x.names, err[2] = subtle.NewAESSIV(derived("names", subtle.AESSIVKeySize))
	return x, errors.Join(err[:]...)
}

// rawID is the 16 bytes of an entry's id as they are stored; none for "" and for what is
// no id.
func (x *sealing) rawID(id thread.ID) []byte {
	b := rawID(id)
	if x != nil && len(b) == idSize {
		x.ids.Encrypt(b, b)
	}
	return b
}

// textID is the id that raw stands for.
func (x *sealing) textID(raw []byte) thread.ID {
	if x == nil || len(raw) != idSize {
		return textID(raw)
	}
	var b [idSize]byte
	x.ids.Decrypt(b[:], raw)
	return textID(b[:])
}

// digest turns a digest of the entry whose stored id is given, either way. Equal
// messages in different places have different ones.
func (x *sealing) digest(id []byte, d message.Digest) message.Digest {
	if x != nil {
		cipher.NewCTR(x.digests, id).XORKeyStream(d[:], d[:])
	}
	return d
}

// hash turns a hash of content into one that nobody can compare with a guess.
func (x *sealing) hash(sum [sha256.Size]byte) [sha256.Size]byte {
	if x == nil {
		return sum
	}
	h := hmac.New(sha256.New, x.hashes)
	h.Write(sum[:])
	return [sha256.Size]byte(h.Sum(nil))
}

// label turns a short text that queries look for.
func (x *sealing) label(s string) string {
	if x == nil {
		return s
	}
	b, err := x.names.EncryptDeterministically([]byte(s), nil)
	if err != nil {
		panic(err) // only for texts of gigabytes
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// plainLabel undoes label.
func (x *sealing) plainLabel(s string) (string, error) {
	if x == nil {
		return s, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		b, err = x.names.DecryptDeterministically(b, nil)
	}
	if err != nil {
		return "", fmt.Errorf("%w: a name does not open", ErrCorrupt)
	}
	return string(b), nil
}

// name turns the name of a tenant or thread. How the tenants end of what stands beside a
// thread (store.Key.Upstream, Answers) stays: queries know it.
func (x *sealing) name(s string) []byte {
	if x == nil {
		return nameBlob(s)
	}
	for _, end := range []string{upstream, answers} {
		if base, ok := strings.CutSuffix(s, end); ok {
			return append(x.name(base), end...)
		}
	}
	return []byte(x.label(s))
}

// plainName undoes name; of NULL it returns "".
func (x *sealing) plainName(raw []byte) (string, error) {
	if x == nil || raw == nil {
		return string(raw), nil
	}
	base, end, beside := strings.Cut(string(raw), "\n")
	if beside {
		end = "\n" + end
	}
	name, err := x.plainLabel(base)
	return name + end, err
}

// close seals content on its way into the file.
func (x *sealing) close(b *blob) {
	if x == nil {
		return
	}
	b.data, b.err = x.ring.Encrypt(b.data, boundTo(b.hash[:]))
	b.codec += sealedCodec
}

// open returns the content of a row as it was before close, and its codec.
func (x *sealing) open(p *packed) (data []byte, codec int, err error) {
	switch {
	case p.codec < sealedCodec && x == nil:
		return p.data, p.codec, nil
	case p.codec < sealedCodec:
		return nil, 0, fmt.Errorf("%w: content in the clear in a sealed store", ErrCorrupt)
	case x == nil:
		return nil, 0, ErrSealed
	}
	data, err = x.ring.Decrypt(p.data, boundTo(p.hash))
	if errors.Is(err, seal.ErrTampered) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return data, p.codec - sealedCodec, err
}

// boundTo is what sealed content is bound to.
func boundTo(hash []byte) []byte { return append([]byte("precis content 1 "), hash...) }

// indexPlace is what a file's own key is bound to.
const indexPlace = "precis index 1"

// unlock finds out whether the file is sealed, and whether the keys given open it. An
// empty file becomes sealed if keys are given and it may be written.
func (s *Store) unlock(ctx context.Context, q querier, tx *sql.Tx, keys *seal.Keyring) error {
	var index []byte
	err := q.QueryRowContext(ctx, `SELECT key FROM sealing`).Scan(&index)
	switch {
	case errors.Is(err, sql.ErrNoRows) && keys == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return s.begin(ctx, q, tx, keys)
	case err != nil:
		return err
	case keys == nil:
		return ErrSealed
	}
	if index, err = keys.Decrypt(index, []byte(indexPlace)); err != nil {
		return err
	}
	s.zip.seal, err = newSealing(keys, index)
	return err
}

// begin seals an empty file. One that is to be read only stays as it is.
func (s *Store) begin(ctx context.Context, q querier, tx *sql.Tx, keys *seal.Keyring) error {
	var full bool
	if err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM tenants)`).Scan(&full); err != nil {
		return err
	}
	if full {
		return ErrClear
	}
	if tx == nil {
		return nil
	}
	x, index, err := freshSealing(keys)
	if err != nil {
		return err
	}
	s.zip.seal = x
	_, err = tx.ExecContext(ctx, `INSERT INTO sealing (id, key) VALUES (1, ?)`, index)
	return err
}

// freshSealing makes a key for a file, and seals it.
func freshSealing(keys *seal.Keyring) (x *sealing, sealed []byte, err error) {
	index := make([]byte, indexSize)
	if _, err := rand.Read(index); err != nil {
		return nil, nil, err
	}
	if x, err = newSealing(keys, index); err != nil {
		return nil, nil, err
	}
	sealed, err = keys.Encrypt(index, []byte(indexPlace))
	return x, sealed, err
}

// Sealed reports whether the file is sealed.
func (s *Store) Sealed() bool { return s.zip.seal != nil }

// upstream and answers end the names of the tenants of such keys.
var (
	upstream = store.Key{}.Upstream().Tenant
	answers  = store.Key{}.Answers().Tenant
)
