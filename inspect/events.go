package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed-3db51b0e/precis/event"
	"github.com/seed-3db51b0e/precis/store"
)

// Moved tells a page that a thread has new messages or a new plan, whoever made them.
type Moved struct {
	Thread   string    `json:"thread"`
	Messages int       `json:"messages"`
	Version  int       `json:"plan_version"`
	Updated  time.Time `json:"updated"`
}

// pulseEvery is how often a comment keeps the connection open.
const pulseEvery = 15 * time.Second

// events streams what happens: "event" lines are those of the engine, "moved" lines
// tell of threads that changed in the store.
func (a *api) events(w http.ResponseWriter, r *http.Request) {
	c := http.NewResponseController(w)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	if _, err := fmt.Fprint(w, "retry: 2000\n\n"); err != nil || c.Flush() != nil {
		return
	}
	queue := make(chan event.Event, 256)
	cancel := a.o.Events.Subscribe(func(e event.Event) {
		select {
		case queue <- e:
		default: // the page is slow: it reads the threads anew anyway
		}
	}, event.Options{Name: "inspector"})
	defer cancel()
	pulse := time.NewTicker(pulseEvery)
	defer pulse.Stop()
	page, leave := a.watch.join(r.Context())
	defer leave()
	var err error
	for err == nil {
		select {
		case <-r.Context().Done():
			return
		case e := <-queue:
			if e.Tenant == a.o.Tenant {
				err = send(w, "event", e)
			}
		case <-page.ready:
			err = a.moved(w, page)
		case <-pulse.C:
			_, err = fmt.Fprint(w, ": \n\n")
		}
		if err == nil {
			err = c.Flush()
		}
	}
}

func send(w http.ResponseWriter, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data)
	return err
}

// moved sends the threads that moved since a page was told.
func (a *api) moved(w http.ResponseWriter, page *untold) error {
	all, err := a.watch.take(page)
	for _, m := range all {
		if err := send(w, "moved", m); err != nil {
			return err
		}
	}
	return err
}

func movedTo(h store.Head) Moved { return Moved{h.Key.Thread, h.Len, h.PlanVersion, h.Updated} }

// Metric is one figure of the proxy's.
type Metric struct {
	Name   string  `json:"name"` // with its labels, as Prometheus writes them
	Value  float64 `json:"value"`
	Detail string  `json:"help,omitempty"`
}

// Health tells how the proxy does; Live is false where none runs beside the page.
type Health struct {
	Live    bool     `json:"live"`
	Metrics []Metric `json:"metrics"`
}

// figures takes an answer in memory.
type figures struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (f *figures) Header() http.Header {
	if f.header == nil {
		f.header = http.Header{}
	}
	return f.header
}

func (f *figures) WriteHeader(status int) { f.status = status }

func (f *figures) Write(p []byte) (int, error) { return f.body.Write(p) }

func (a *api) health(r *http.Request) (any, error) {
	out := Health{Metrics: []Metric{}}
	if a.o.Metrics == nil {
		return out, nil
	}
	ask, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://127.0.0.1/metrics", nil)
	if err != nil {
		return nil, err
	}
	var w figures
	a.o.Metrics.ServeHTTP(&w, ask)
	if out.Live = w.status == 0 || w.status == http.StatusOK; !out.Live {
		return out, nil
	}
	help := map[string]string{}
	for line := range strings.Lines(w.body.String()) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, text, _ := strings.Cut(rest, " ")
			help[name] = text
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		if i < 0 || line[0] == '#' || !strings.HasPrefix(line, "precis_") {
			continue
		}
		if value, err := strconv.ParseFloat(line[i+1:], 64); err == nil {
			family, _, _ := strings.Cut(line[:i], "{")
			out.Metrics = append(out.Metrics, Metric{line[:i], value, help[family]})
		}
	}
	return out, nil
}
