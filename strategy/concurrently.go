package strategy

// concurrently runs f beside its caller, who must ask for the result. A panic of f is
// the caller's.
func concurrently[T any](f func() T) (result func() T) {
	var out T
	var failed any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { failed = recover() }()
		out = f()
	}()
	return func() T {
		<-done
		if failed != nil {
			panic(failed)
		}
		return out
	}
}
