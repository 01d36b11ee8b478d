package timeline

import (
	"path"
	"strings"
)

// mimes are the media types of common files by their ending. The table of the machine
// would not say the same everywhere.
var mimes = map[string]string{
	"c": "text/x-c", "cc": "text/x-c++", "cpp": "text/x-c++", "css": "text/css", "csv": "text/csv", "diff": "text/x-diff",
	"gif": "image/gif", "go": "text/x-go", "h": "text/x-c", "htm": "text/html", "html": "text/html", "java": "text/x-java",
	"jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json", "jsonl": "application/jsonl",
	"jsx": "text/javascript", "md": "text/markdown", "mjs": "text/javascript", "patch": "text/x-diff", "pdf": "application/pdf",
	"png": "image/png", "proto": "text/x-protobuf", "py": "text/x-python", "rb": "text/x-ruby", "rs": "text/x-rust",
	"sh": "text/x-shellscript", "sql": "application/sql", "svg": "image/svg+xml", "toml": "application/toml",
	"ts": "text/typescript", "tsx": "text/typescript", "txt": "text/plain", "xml": "application/xml", "yaml": "application/yaml",
	"yml": "application/yaml", "zip": "application/zip",
}

// mimeOf returns the media type of a file, "" for one that is not known.
func mimeOf(file string) string {
	return mimes[strings.ToLower(strings.TrimPrefix(path.Ext(strings.ReplaceAll(file, "\\", "/")), "."))]
}
