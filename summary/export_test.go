package summary

// What only the tests name.
type CacheKey = cacheKey

var (
	ContentHash = contentHash
	ToRelative  = toRelative
	ToAbsolute  = toAbsolute
	ErrOutside  = errOutside
)
