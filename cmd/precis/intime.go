package main

import "context"

// inTime is what f returns, or the context's error if that ends first. It is for what an
// agent waits for: standard input and files that are pipes know no context. What f does then
// is left behind, and ends with the program.
func inTime[T any](ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		is  T
		err error
	}
	done := make(chan result, 1)
	go func() {
		is, err := f(ctx)
		done <- result{is, err}
	}()
	select {
	case r := <-done:
		return r.is, r.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}
