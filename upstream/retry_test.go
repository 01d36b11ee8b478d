package upstream

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		header map[string]string
		want   time.Duration
	}{
		"none":           {nil, 0},
		"seconds":        {map[string]string{"Retry-After": "7"}, 7 * time.Second},
		"spaced":         {map[string]string{"Retry-After": " 7 "}, 7 * time.Second},
		"a fraction":     {map[string]string{"Retry-After": "0.5"}, 500 * time.Millisecond},
		"zero":           {map[string]string{"Retry-After": "0"}, 0},
		"negative":       {map[string]string{"Retry-After": "-3"}, 0},
		"a date":         {map[string]string{"Retry-After": "Sun, 01 Mar 2026 12:00:09 GMT"}, 9 * time.Second},
		"an old date":    {map[string]string{"Retry-After": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0},
		"milliseconds":   {map[string]string{"Retry-After-Ms": "1500", "Retry-After": "9"}, 1500 * time.Millisecond},
		"words":          {map[string]string{"Retry-After": "soon"}, 0},
		"not a number":   {map[string]string{"Retry-After": "NaN"}, 0},
		"without bounds": {map[string]string{"Retry-After": "1e300"}, 24 * time.Hour},
		"infinite":       {map[string]string{"Retry-After": "Inf"}, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			for k, v := range tt.header {
				h.Set(k, v)
			}
			if got := retryAfter(h, now); got != tt.want {
				t.Errorf("waits %v, want %v", got, tt.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, v := range []string{"7", "0.5", "-3", "Sun, 01 Mar 2026 12:00:09 GMT", "soon", "NaN", "1e300", "0x1p9"} {
		f.Add(v)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, v string) {
		h := http.Header{"Retry-After": {v}, "Retry-After-Ms": {v}}
		if got := retryAfter(h, now); got < 0 {
			t.Errorf("%q waits %v", v, got)
		}
	})
}
