package inspect

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// The built page; `make web` makes it from inspect/web.
//
//go:embed dist
var dist embed.FS

// assets serves the built page, compressed where the browser takes that.
func assets() http.Handler {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded
	}
	var small sync.Map // of names: their compressed bytes
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if name == "" {
			name = "index.html"
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			refuse(w, http.StatusNotFound, "not_found", "there is no such page")
			return
		}
		h := w.Header()
		h.Set("Content-Type", kinds[path.Ext(name)])
		h.Set("Cache-Control", "no-cache")
		if strings.HasPrefix(name, "assets/") { // their names hold a hash
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			made, ok := small.Load(name)
			if !ok {
				made, _ = small.LoadOrStore(name, compressed(data))
			}
			h.Set("Content-Encoding", "gzip")
			data = made.([]byte)
		}
		_, _ = w.Write(data) // the browser has left
	})
}

var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

func compressed(data []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a valid one
	_, _ = z.Write(data)                                  // to memory
	_ = z.Close()
	return b.Bytes()
}
