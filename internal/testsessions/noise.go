package testsessions

import (
	"fmt"
	"strings"
	"time"
)

// What the project's commands print.

var evening = time.Date(2026, 3, 6, 19, 24, 0, 0, time.UTC)

// logs is n lines of the service's log from start on, with the given lines,
// which begin with their level, spread among them in order; lines given
// together come together.
func (s *script) logs(start time.Time, n int, among ...string) string {
	var b strings.Builder
	at := start
	for i := range n {
		at = at.Add(time.Duration(20+s.rng.IntN(1900)) * time.Millisecond)
		text := s.logLine()
		if len(among) > 0 && i >= n/(len(among)+1) && s.rng.IntN(3) == 0 || len(among) > 0 && n-i <= len(among) {
			text, among = s.world.fill(among[0]), among[1:]
		}
		for l := range strings.SplitSeq(text, "\n") {
			fmt.Fprintf(&b, "time=%s level=%s\n", at.Format("2006-01-02T15:04:05.000Z"), l)
			at = at.Add(time.Duration(1+s.rng.IntN(9)) * time.Millisecond)
		}
	}
	return b.String()
}

func (s *script) logLine() string {
	req := "req-" + s.word(hexDigits, 12)
	show := 3100 + s.rng.IntN(800)
	switch s.rng.IntN(12) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("INFO msg=request method=GET path=/v1/seats show=%d status=200 bytes=%d dur=%d.%dms req=%s",
			show, 18000+s.rng.IntN(90000), 2+s.rng.IntN(30), s.rng.IntN(10), req)
	case 4, 5:
		return fmt.Sprintf("INFO msg=request method=POST path=/v1/holds show=%d status=201 customer=%d seats=%d dur=%dms req=%s",
			show, 10000+s.rng.IntN(40000), 1+s.rng.IntN(4), 9+s.rng.IntN(60), req)
	case 6:
		return fmt.Sprintf("INFO msg=request method=POST path=/v1/orders status=201 order=ord_%s total_cents=%d dur=%dms req=%s",
			s.word("0123456789abcdefghjkmnpqrstvwxyz", 10), 2400+s.rng.IntN(30000), 240+s.rng.IntN(900), req)
	case 7:
		return fmt.Sprintf("INFO msg=request method=DELETE path=/v1/holds/hld_%s status=204 dur=%dms req=%s", s.word(hexDigits, 24), 6+s.rng.IntN(20), req)
	case 8:
		return fmt.Sprintf(`WARN msg="request failed" path=/v1/orders code=402 err="payment: declined" req=%s`, req)
	case 9:
		return fmt.Sprintf(`INFO msg="swept holds" released=%d took=%dms`, 1+s.rng.IntN(9), 3+s.rng.IntN(40))
	case 10:
		return fmt.Sprintf(`WARN msg="slow query" sql="SELECT id, show_id, zone FROM seats WHERE show_id = $1" rows=%d dur=%dms`, 400+s.rng.IntN(1600), 110+s.rng.IntN(300))
	}
	return fmt.Sprintf(`INFO msg="pool" acquired=%d idle=%d waiting=%d max=%s`, s.rng.IntN(10), s.rng.IntN(5), s.rng.IntN(4), s.world.val["pool"])
}

var packages = []string{"api", "config", "hold", "order", "payment", "pricing", "report", "seat", "store", "waitlist"}

// pass prints what unit tests print when all pass.
func (s *script) pass() string {
	var b strings.Builder
	b.WriteString("go test -race -short ./cmd/... ./internal/...\n")
	b.WriteString("?   \texample.org/turnstile/cmd/turnstile\t[no test files]\n")
	for _, p := range packages {
		fmt.Fprintf(&b, "ok  \texample.org/turnstile/internal/%s\t%.3fs\n", p, 0.02+s.rng.Float64()*1.9)
	}
	return b.String()
}

// ok prints one package's tests, verbosely.
func (s *script) ok(pkg string, names ...string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "=== RUN   %s\n--- PASS: %s (%.2fs)\n", n, n, s.rng.Float64()*0.3)
	}
	fmt.Fprintf(&b, "PASS\nok  \texample.org/turnstile/internal/%s\t%.3fs\n", pkg, 0.1+s.rng.Float64())
	return b.String()
}

// orderJSON returns the answer to GET /v1/orders/{id}.
func (s *script) orderJSON(id, state string, extra ...string) string {
	seats := make([]string, 1+s.rng.IntN(4))
	row, first := 1+s.rng.IntN(22), 1+s.rng.IntN(18)
	for i := range seats {
		seats[i] = fmt.Sprintf("%q", fmt.Sprintf("%s-%02d-%02d", s.one("S", "B", "L"), row, first+i))
	}
	placed := evening.Add(time.Duration(s.rng.IntN(90)) * time.Minute)
	return s.world.fill(fmt.Sprintf(`{
  "id": %q,
  "show_id": @show@,
  "customer_id": %d,
  "hold_token": "hld_%s",
  "seats": [%s],
  "total_cents": %d,
  "fee_cents": %d,
  "currency": "EUR",
  "state": %q,
  "placed_at": %q,
  "events": [
%s
  ]%s
}
`, id, 20000+s.rng.IntN(19000), s.word(hexDigits, 24), strings.Join(seats, ", "), 3900+s.rng.IntN(26000), 245*len(seats),
		state, placed.Format(time.RFC3339), s.events(placed, 16+s.rng.IntN(30)), strings.Join(extra, "")))
}

func (s *script) events(at time.Time, n int) string {
	lines := make([]string, n)
	for i := range lines {
		at = at.Add(time.Duration(150+s.rng.IntN(42000)) * time.Millisecond)
		kind := s.one("hold.placed", "price.quoted", "charge.sent", "charge.answered", "state.changed", "mail.queued", "ticket.rendered", "scan.seen")
		lines[i] = fmt.Sprintf(`    {"at": %q, "kind": %q, "actor": %q, "span": %q}`, at.Format(time.RFC3339Nano), kind,
			s.one("api", "worker-1", "worker-2", "gateway", "sweeper"), s.word(hexDigits, 16))
	}
	return strings.Join(lines, ",\n")
}

// table returns n rows, written by row, as psql prints them.
func table(head string, n int, row func(i int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, " %s\n%s\n", head, strings.Repeat("-", len(head)+2))
	for i := range n {
		fmt.Fprintf(&b, " %s\n", row(i))
	}
	fmt.Fprintf(&b, "(%d rows)\n", n)
	return b.String()
}

// load is the load test's report.
func (s *script) load(base float64) string {
	conflicts := 20 + s.rng.IntN(40)
	return fmt.Sprintf("requests 400  201: %d  409: %d\np50  %8.1f ms\np90  %8.1f ms\np95  %8.1f ms\np99  %8.1f ms\nmean %8.1f ms  max %.1f ms\n",
		400-conflicts, conflicts, base, base*2.1, base*2.9, base*5.2, base*1.3, base*7.7)
}
