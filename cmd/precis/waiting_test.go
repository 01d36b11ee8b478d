package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// An interrupt ends a command that waits for its input, and it says that it was interrupted.
func TestInterruptWhileInputIsAwaited(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for _, command := range []string{"compact - --budget 32k", "count -", "inspect - --no-browser", "tenant", "compact - --json", "handover -"} {
		t.Run(command, func(t *testing.T) {
			in, writer := io.Pipe() // nothing ever comes
			defer func() { _ = writer.Close() }()
			ctx, interrupt := context.WithCancel(t.Context())
			var out, said bytes.Buffer
			ended := make(chan int, 1)
			go func() { ended <- run(ctx, strings.Fields(command), in, &out, &said) }()
			time.AfterFunc(50*time.Millisecond, interrupt)
			select {
			case code := <-ended:
				if text := said.String(); code != exitFailed || !strings.Contains(text, "interrupted") || strings.Contains(text, "context") || strings.Contains(text, "hint") {
					t.Errorf("it ends with %d and says %q", code, text)
				}
			case <-time.After(10 * time.Second):
				t.Error("it waits on")
			}
		})
	}
}
