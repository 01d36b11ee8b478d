package tool

// Determinism holds what was known of a result's source when it was read. The
// zero value of a field means not known.
type Determinism struct {
	ContentHash string  `json:"content_hash,omitempty"`
	ETag        string  `json:"etag,omitempty"`
	MTime       float64 `json:"mtime,omitempty"`   // Unix seconds
	Version     string  `json:"version,omitempty"` // of an API or schema
}

// HasChanged reports whether the source has drifted from d to now. The first kind
// of evidence both sides have decides: content hash, entity tag, modification
// time. A differing version is drift; an equal one proves nothing about the
// content. Without evidence the answer is true: it fails safe.
func (d *Determinism) HasChanged(now *Determinism) bool {
	switch {
	case d == nil || now == nil:
		return true
	case d.ContentHash != "" && now.ContentHash != "":
		return d.ContentHash != now.ContentHash
	case d.ETag != "" && now.ETag != "":
		return d.ETag != now.ETag
	case d.Version != "" && now.Version != "" && d.Version != now.Version:
		return true
	case d.MTime != 0 && now.MTime != 0:
		return d.MTime != now.MTime
	}
	return true
}
