package seal_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
	"pgregory.net/rapid"

	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/artifact/seal"
)

func must[T any](t testing.TB) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ring(t testing.TB) *seal.Keyring { return must[*seal.Keyring](t)(seal.Generate()) }

// secret is an artifact as a store would be given it.
func secret() artifact.Artifact {
	a := artifact.Of("0123456789abcdef0123456789abcdef", 2, []byte("the launch code is 0000"))
	a.Tenant, a.Thread, a.Sensitivity, a.Tool = "t", "main", artifact.Restricted, "sh"
	return a
}

// SPEC: L16
func TestSealAndOpen(t *testing.T) {
	r := ring(t)
	rapid.Check(t, func(rt *rapid.T) {
		a := secret()
		a.Content = rapid.SliceOf(rapid.Byte()).Draw(rt, "content")
		a.ID, a.Thread = rapid.String().Draw(rt, "id"), rapid.String().Draw(rt, "thread")
		sealed, err := r.Seal(a)
		if err != nil {
			rt.Fatal(err)
		}
		if sealed.KeyID != r.Primary() || len(a.Content) > 4 && bytes.Contains(sealed.Content, a.Content) {
			rt.Fatalf("not sealed: %+v", sealed)
		}
		opened, err := r.Open(sealed)
		if err != nil {
			rt.Fatal(err)
		}
		if !reflect.DeepEqual(opened, a) {
			rt.Fatalf("opened %+v, want %+v", opened, a)
		}
	})
}

// SPEC: L16: metadata is readable without the content and without a key.
func TestMetadataStays(t *testing.T) {
	a := secret()
	sealed := must[artifact.Artifact](t)(ring(t).Seal(a))
	sealed.Content, a.Content, sealed.KeyID = nil, nil, ""
	if !reflect.DeepEqual(sealed, a) {
		t.Fatalf("metadata %+v, want %+v", sealed, a)
	}
}

// SPEC: L16, V10: sealed content opens only at its place and unchanged.
func TestBound(t *testing.T) {
	first := ring(t)
	r := must[*seal.Keyring](t)(first.Rotate())
	for name, change := range map[string]func(*artifact.Artifact){
		"Tenant":      func(a *artifact.Artifact) { a.Tenant = "u" },
		"Thread":      func(a *artifact.Artifact) { a.Thread = "other" },
		"TenantShift": func(a *artifact.Artifact) { a.Tenant, a.Thread = "tm", "ain" },
		"ID":          func(a *artifact.Artifact) { a.ID = "a2" },
		"Source":      func(a *artifact.Artifact) { a.Source = "ff" },
		"Part":        func(a *artifact.Artifact) { a.Part = 3 },
		"Sensitivity": func(a *artifact.Artifact) { a.Sensitivity = artifact.Public },
		"KeyID":       func(a *artifact.Artifact) { a.KeyID = first.Primary() },
		"Bit":         func(a *artifact.Artifact) { a.Content[len(a.Content)-1] ^= 1 },
		"Prefix":      func(a *artifact.Artifact) { a.Content[1] ^= 1 },
		"Short":       func(a *artifact.Artifact) { a.Content = a.Content[:9] },
		"Empty":       func(a *artifact.Artifact) { a.Content = nil },
		"Plain":       func(a *artifact.Artifact) { a.Content = []byte("the launch code is 0000") },
	} {
		t.Run(name, func(t *testing.T) {
			a := must[artifact.Artifact](t)(r.Seal(secret()))
			change(&a)
			if have, err := r.Open(a); !errors.Is(err, seal.ErrTampered) || have.Content != nil {
				t.Fatalf("opened %+v with error %v", have, err)
			}
		})
	}
}

// needs checks that an error names the key.
func needs(t *testing.T, err error, want seal.KeyError) {
	t.Helper()
	var key *seal.KeyError
	if !errors.Is(err, seal.ErrKey) || !errors.As(err, &key) || *key != want || !strings.Contains(err.Error(), want.ID) {
		t.Fatalf("error is %v, want %+v", err, want)
	}
}

// SPEC: L16
func TestRotate(t *testing.T) {
	old := ring(t)
	a := must[artifact.Artifact](t)(old.Seal(secret()))
	both := must[*seal.Keyring](t)(old.Rotate())
	if both.Primary() == old.Primary() {
		t.Fatal("the primary is the old key")
	}
	want := []seal.Key{{ID: old.Primary()}, {ID: both.Primary(), Primary: true}}
	if have := both.Keys(); !reflect.DeepEqual(have, want) {
		t.Fatalf("keys %+v, want %+v", have, want)
	}
	if have := must[artifact.Artifact](t)(both.Open(a)); !reflect.DeepEqual(have, secret()) {
		t.Fatalf("the old key opened %+v", have)
	}
	moved := must[artifact.Artifact](t)(both.Reseal(a))
	if moved.KeyID != both.Primary() {
		t.Fatalf("resealed with %s", moved.KeyID)
	}
	if again := must[artifact.Artifact](t)(both.Reseal(moved)); !reflect.DeepEqual(again, moved) {
		t.Fatal("resealed twice")
	}
	retired := must[*seal.Keyring](t)(both.Retire(old.Primary()))
	_, err := retired.Open(a)
	needs(t, err, seal.KeyError{ID: old.Primary(), Retired: true})
	removed := must[*seal.Keyring](t)(retired.Remove(old.Primary()))
	_, err = removed.Open(a)
	needs(t, err, seal.KeyError{ID: old.Primary()})
	_, err = removed.Reseal(a)
	needs(t, err, seal.KeyError{ID: old.Primary()})
	for _, r := range []*seal.Keyring{retired, removed} {
		if have := must[artifact.Artifact](t)(r.Open(moved)); !reflect.DeepEqual(have, secret()) {
			t.Fatalf("the new key opened %+v", have)
		}
	}
	_, err = ring(t).Open(moved)
	needs(t, err, seal.KeyError{ID: both.Primary()})
}

// SPEC: L16: the key that seals is neither retired nor removed by mistake.
func TestPrimaryStays(t *testing.T) {
	r := ring(t)
	for _, f := range []func(string) (*seal.Keyring, error){r.Retire, r.Remove} {
		if _, err := f(r.Primary()); err == nil {
			t.Error("the primary went")
		}
		for _, id := range []string{"", "x", "0", "-1", "99999999999"} {
			_, err := f(id)
			needs(t, err, seal.KeyError{ID: id})
		}
	}
}

// SPEC: L16
func TestUnsealed(t *testing.T) {
	r, a := ring(t), secret()
	for name, f := range map[string]func(artifact.Artifact) (artifact.Artifact, error){"Open": r.Open, "Reseal": r.Reseal} {
		if have := must[artifact.Artifact](t)(f(a)); !reflect.DeepEqual(have, a) {
			t.Errorf("%s: %+v", name, have)
		}
	}
}

// masterKey is an AEAD that keysets are encrypted with.
func masterKey(t testing.TB) tink.AEAD {
	return must[tink.AEAD](t)(aead.New(must[*keyset.Handle](t)(keyset.NewHandle(aead.XChaCha20Poly1305KeyTemplate()))))
}

// SPEC: L16
func TestMarshal(t *testing.T) {
	r := must[*seal.Keyring](t)(ring(t).Rotate())
	a := must[artifact.Artifact](t)(r.Seal(secret()))
	master := masterKey(t)
	for name, tt := range map[string]struct{ write, read tink.AEAD }{
		"Clear":     {nil, nil},
		"Encrypted": {master, master},
	} {
		t.Run(name, func(t *testing.T) {
			data := must[[]byte](t)(r.Marshal(tt.write))
			have := must[*seal.Keyring](t)(seal.Unmarshal(data, tt.read))
			if !reflect.DeepEqual(have.Keys(), r.Keys()) {
				t.Fatalf("keys %+v, want %+v", have.Keys(), r.Keys())
			}
			if opened := must[artifact.Artifact](t)(have.Open(a)); !reflect.DeepEqual(opened, secret()) {
				t.Fatalf("opened %+v", opened)
			}
		})
	}
	for name, tt := range map[string]struct {
		data []byte
		read tink.AEAD
	}{
		"WrongMaster":   {must[[]byte](t)(r.Marshal(master)), masterKey(t)},
		"MasterMissing": {must[[]byte](t)(r.Marshal(master)), nil},
		"NotEncrypted":  {must[[]byte](t)(r.Marshal(nil)), master},
		"Nothing":       {nil, nil},
		"NotJSON":       {[]byte("keys"), nil},
		"NoKeys":        {[]byte(`{"primaryKeyId":1,"key":[]}`), nil},
		"OtherKind":     {otherKind(t), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := seal.Unmarshal(tt.data, tt.read); !errors.Is(err, seal.ErrKeyset) {
				t.Fatalf("error is %v", err)
			}
		})
	}
}

// otherKind is a keyset whose keys do not exist.
func otherKind(t *testing.T) []byte {
	t.Helper()
	data := must[[]byte](t)(ring(t).Marshal(nil))
	return bytes.ReplaceAll(data, []byte("AesGcmKey"), []byte("NoSuchKey"))
}

// SPEC: L16: whatever a keyset file holds, reading it ends in a ring or an error.
func FuzzUnmarshal(f *testing.F) {
	r := ring(f)
	f.Add(must[[]byte](f)(r.Marshal(nil)))
	f.Add(must[[]byte](f)(must[*seal.Keyring](f)(r.Rotate()).Marshal(nil)))
	f.Add([]byte(`{"primaryKeyId":1,"key":[{"keyId":1,"status":"ENABLED","outputPrefixType":"RAW"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := seal.Unmarshal(data, nil)
		if err != nil {
			return
		}
		sealed, err := r.Seal(secret())
		if err != nil {
			return // a key of some other kind may not encrypt
		}
		if opened, err := r.Open(sealed); err != nil || !reflect.DeepEqual(opened, secret()) {
			t.Fatalf("opened %+v: %v", opened, err)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	r, a := ring(b), secret()
	a.Content = make([]byte, 64<<10)
	b.SetBytes(int64(len(a.Content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Seal(a); err != nil {
			b.Fatal(err)
		}
	}
}
