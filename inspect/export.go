package inspect

import (
	"net/http"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/internal/oneline"
	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/store"
	"github.com/seed-3db51b0e/precis/transcript"
)

// export sends a thread as it came: a JSON value a line, or with ?raw the exact bytes.
// To whoever may not read all of it, it is refused whole.
func (a *api) export(w http.ResponseWriter, r *http.Request) {
	v, err := a.views.open(r.Context(), r.PathValue("thread"))
	if err == nil {
		for _, x := range v.reader.Artifacts {
			if err == nil {
				err = x.Allowed(a.views.who)
			}
		}
	}
	var last []message.Message
	if err == nil {
		last, err = precis.LastReply(r.Context(), a.store, v.head.Key)
	}
	var around []byte
	raw := r.URL.Query().Has("raw")
	if raw && err == nil {
		around, err = store.LastEnvelope(r.Context(), a.store, v.head.Key)
	}
	if err != nil {
		f := faultOf(err)
		refuse(w, f.status, f.Code, f.Text)
		return
	}
	ms := make([]message.Message, 0, v.t.Len()+len(last))
	for i := range v.t.Len() {
		ms = append(ms, v.t.At(i).Message)
	}
	ms = append(ms, last...)
	name := strings.Map(func(c rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~", c) {
			return c
		}
		return '-'
	}, oneline.Start(v.head.Key.Thread, 60))
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="precis-`+name+`.jsonl"`)
	_ = transcript.Write(w, ms, transcript.WriteOptions{Raw: raw, Envelope: around, Source: v.head.Format()}) // the browser has left
}
