package sealed_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact/seal"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/policy"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/store/memory"
	"github.com/seed-3db51b0e/precis/store/sealed"
)

// The content of artifacts lies encrypted in the store beneath. A new key seals
// from now on; Reseal moves what is there, and then the old key can go.
func Example() {
	ctx, beneath, k := context.Background(), memory.New(), store.Key{Thread: "t"}
	ring, err := seal.Generate()
	if err != nil {
		panic(err)
	}
	p, err := policy.Named("ladder") // the preset that externalizes
	if err != nil {
		panic(err)
	}
	st := sealed.Over(beneath, ring)
	engine, err := precis.New(precis.Options{Store: st, Policy: p})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	history := []message.Message{message.TextOf(message.User, "Read the manifests.")}
	for i := range 8 {
		id := fmt.Sprint("call_", i)
		text := strings.Repeat(fmt.Sprintf("crate %d: lemons\n", i), 200)
		history = append(history,
			message.Message{Role: message.Assistant, Parts: []message.Part{{Kind: message.Call, CallID: id, Name: "read_manifest", Args: "{}"}}},
			message.Message{Role: message.Tool, Parts: []message.Part{{Kind: message.Result, CallID: id, Parts: []message.Part{{Kind: message.Text, Text: text}}}}},
		)
	}
	if _, err := engine.Prepare(ctx, precis.Input{Thread: "t", Messages: history, Budget: 8000}); err != nil {
		panic(err)
	}

	// show says what the store beneath holds of the first artifact, and what is
	// read through the seal.
	show := func(st store.Store) {
		list, err := beneath.ArtifactList(ctx, k)
		if err != nil {
			panic(err)
		}
		lies, err := beneath.Artifact(ctx, k, list[0].ID)
		if err != nil {
			panic(err)
		}
		fmt.Printf("sealed with the newest key: %t, readable beneath: %t, ", lies.KeyID == ring.Primary(), strings.Contains(string(lies.Content), "lemons"))
		a, err := st.Artifact(ctx, k, list[0].ID)
		fmt.Printf("read: %.15q %v\n", a.Content, err)
	}
	show(st)

	old := ring.Primary()
	if ring, err = ring.Rotate(); err != nil {
		panic(err)
	}
	rotated := sealed.Over(beneath, ring)
	show(rotated)
	if _, err := rotated.Reseal(ctx, k); err != nil {
		panic(err)
	}
	if ring, err = ring.Remove(old); err != nil {
		panic(err)
	}
	show(sealed.Over(beneath, ring))
	// Output:
	// sealed with the newest key: true, readable beneath: false, read: "crate 0: lemons" <nil>
	// sealed with the newest key: false, readable beneath: false, read: "crate 0: lemons" <nil>
	// sealed with the newest key: true, readable beneath: false, read: "crate 0: lemons" <nil>
}
