package proxy

import (
	"errors"
	"io"
	"net/http"

	"github.com/seed-3db51b0e/precis/store"
)

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // who asked may have left
}

// ready says whether requests are welcome: the store answers, and nobody is
// about to stop the server. A proxy that is not ready forwards all the same.
func (p *Proxy) ready(w http.ResponseWriter, r *http.Request) {
	if p.stopping.Load() {
		say(w, http.StatusServiceUnavailable, "stopping")
		return
	}
	_, err := p.opts.Engine.Store.Head(r.Context(), store.Key{Tenant: p.opts.Engine.Tenant, Thread: "ready"})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		p.log.Warn("store does not answer", "error", err)
		say(w, http.StatusServiceUnavailable, "store does not answer")
		return
	}
	say(w, http.StatusOK, "ready")
}
