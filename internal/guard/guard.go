// Package guard makes errors of panics, in code that a caller brought.
//
// Use: Call around a summarizer, a strategy or a codec. Law: it repeats no value that
// may hold content. Promise: f's own error is returned as it is.
package guard

import (
	"fmt"
	"runtime"
)

// Call calls f and makes an error of a panic.
func Call(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = Panicked(v)
		}
	}()
	return f()
}

// Panicked returns the error of a recovered panic. Only the runtime's own words are
// repeated: any other value may hold content.
func Panicked(v any) error {
	if err, ok := v.(runtime.Error); ok {
		return fmt.Errorf("panic: %w", err)
	}
	return fmt.Errorf("panic: %T", v)
}
