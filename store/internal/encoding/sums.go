package encoding

import (
	"crypto/sha256"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/seed-3db51b0e/precis/message"
)

// Sums are the hashes of messages as they are written. What cannot be written has a hash of
// zeros, which no content has.
func Sums(ms []message.Message) [][sha256.Size]byte {
	const share = 64 // as one piece of work
	sums := make([][sha256.Size]byte, len(ms))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (len(ms)+share-1)/share) {
		wg.Go(func() {
			for from := int(next.Add(share)) - share; from < len(ms); from = int(next.Add(share)) - share {
				for i := from; i < min(from+share, len(ms)); i++ {
					if content, err := Message(ms[i]); err == nil {
						sums[i] = sha256.Sum256(content)
					}
				}
			}
		})
	}
	wg.Wait()
	return sums
}
