package inspect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-3db51b0e/precis"
	"github.com/seed-3db51b0e/precis/artifact"
	"github.com/seed-3db51b0e/precis/recall"
	"github.com/seed-3db51b0e/precis/store"
)

// api answers /api/v1. Its answers are the types of this package as JSON; docs/inspector.md
// lists them.
type api struct {
	store store.Store
	o     Options
	views views
	sums  sums
	watch watch
}

// routes are all there are.
func (a *api) routes(mux *http.ServeMux) {
	get := func(path string, f func(*http.Request) (any, error)) { mux.Handle("GET /api/v1/"+path, answer(f)) }
	get("session", a.session)
	get("threads", a.threads)
	get("health", a.health)
	mux.HandleFunc("GET /api/v1/events", a.events)
	thread := func(path string, f func(*view, *http.Request) (any, error)) {
		get("threads/{thread}/"+path, func(r *http.Request) (any, error) {
			v, err := a.open(r)
			if err != nil {
				return nil, err
			}
			return f(v, r)
		})
	}
	get("threads/{thread}/summary", a.summed)
	thread("timeline", timelineOf)
	thread("messages", messagesOf)
	thread("messages/{n}", a.message)
	thread("messages/{n}/text", textOf)
	thread("prompt", promptPage)
	thread("prompt/{row}/text", promptText)
	thread("plans", plansOf)
	thread("plans/{version}", planOf)
	thread("plans/{version}/diff/{to}", diffOf)
	thread("plans/{version}/lost", lostOf)
	thread("search", searchIn)
	thread("judge", a.judge)
	mux.HandleFunc("GET /api/v1/threads/{thread}/export", a.export)
	mux.Handle("POST /api/v1/threads/{thread}/actions", answer(a.act))
	mux.Handle("POST /api/v1/threads/{thread}/whatif", answer(a.whatIf))
}

// open reads the thread that a request is about: as the store has it, or as the
// experiment ?sim= made it.
func (a *api) open(r *http.Request) (*view, error) {
	name := r.PathValue("thread")
	if id := r.URL.Query().Get("sim"); id != "" {
		v := a.views.experiment(name, id)
		if v == nil {
			return nil, fault{http.StatusNotFound, "experiment_gone", "this experiment is no longer in memory: run it again"}
		}
		return v, nil
	}
	return a.views.open(r.Context(), name)
}

// fault is an error with a code for programs.
type fault struct {
	status int
	Code   string `json:"code"`
	Text   string `json:"text"`
}

func (f fault) Error() string { return f.Text }

func badRequest(format string, args ...any) error {
	return fault{http.StatusBadRequest, "bad_request", fmt.Sprintf(format, args...)}
}

// faults are the codes for errors from below.
var faults = []struct {
	err    error
	status int
	code   string
}{
	{store.ErrErased, http.StatusGone, "erased"},
	{store.ErrNotFound, http.StatusNotFound, "not_found"},
	{recall.ErrMiss, http.StatusNotFound, "not_found"},
	{precis.ErrNoRecord, http.StatusConflict, "no_record"},
	{precis.ErrNotLogged, http.StatusNotFound, "not_found"},
	{precis.ErrImpossible, http.StatusUnprocessableEntity, "impossible"},
	{store.ErrStale, http.StatusConflict, "stale"},
	{artifact.ErrDenied, http.StatusForbidden, "denied"},
	{context.Canceled, 499, "left"},
}

func faultOf(err error) fault {
	var f fault
	if errors.As(err, &f) {
		return f
	}
	for _, known := range faults {
		if errors.Is(err, known.err) {
			return fault{known.status, known.code, err.Error()}
		}
	}
	return fault{http.StatusInternalServerError, "failed", err.Error()}
}

func refuse(w http.ResponseWriter, status int, code, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]fault{"error": {Code: code, Text: text}}) // the browser has left
}

// answer makes a handler of a function. What it returns is JSON with an ETag, so that
// asking again for what has not changed costs no transfer.
func answer(f func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		if err != nil {
			x := faultOf(err)
			refuse(w, x.status, x.Code, x.Text)
			return
		}
		data, err := json.Marshal(v)
		if err != nil {
			refuse(w, http.StatusInternalServerError, "failed", "encode answer: "+err.Error())
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "private, no-cache")
		if reads(r) {
			sum := sha256.Sum256(data)
			tag := `"` + hex.EncodeToString(sum[:12]) + `"`
			h.Set("ETag", tag)
			if strings.Contains(r.Header.Get("If-None-Match"), tag) {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		_, _ = w.Write(data) // the browser has left
	})
}

// number reads a query parameter, in [least, most].
func number(q url.Values, name string, otherwise, least, most int) (int, error) {
	s := q.Get(name)
	if s == "" {
		return min(max(otherwise, least), most), nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least {
		return 0, badRequest("%s: not a number from %d on", name, least)
	}
	return min(n, most), nil
}

// Page says which part of a list an answer holds.
type Page struct {
	From  int `json:"from"` // position of the first, counted from 0
	Total int `json:"total"`
}

// pageOf reads from and limit.
func pageOf(r *http.Request, total, most int) (from, to int, err error) {
	q := r.URL.Query()
	if from, err = number(q, "from", 0, 0, total); err != nil {
		return 0, 0, err
	}
	n, err := number(q, "limit", most, 1, most)
	return from, min(from+n, total), err
}

// Session tells the page what it may do.
type Session struct {
	Version  string   `json:"api"`
	Tenant   string   `json:"tenant"`
	ReadOnly bool     `json:"read_only"`
	Live     bool     `json:"live"` // a proxy runs beside it
	Policies []string `json:"policies"`
}

func (a *api) session(*http.Request) (any, error) {
	return Session{Version: "v1", Tenant: a.o.Tenant, ReadOnly: a.o.ReadOnly, Live: a.o.Metrics != nil, Policies: policies()}, nil
}
