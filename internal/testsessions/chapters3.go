package testsessions

import (
	"fmt"
	"strings"
	"time"
)

// settlement finds refunds that are counted in full.
func (t *thread) settlement() {
	t.ask("Settlement: the venue of show @show@ says Friday's file is too low. Can you check it against the orders?")
	t.do("", t.read("internal/report/settlement.go"), t.bash("aws s3 cp s3://@bucket@/2026-03-06.csv - | head -150", t.csv(140)))
	var refunded []string
	orders := table("id             | state    | seats | total_cents | fee_cents", 84, func(i int) string {
		id, state := "ord_"+t.word("0123456789abcdefghjkmnpqrstvwxyz", 10), t.one("paid", "issued", "issued", "issued", "refunded")
		if state == "refunded" {
			refunded = append(refunded, id)
		}
		seats := 1 + t.rng.IntN(4)
		return fmt.Sprintf("%s | %-8s | %5d | %11d | %9d", id, state, seats, seats*(2900+100*t.rng.IntN(40)), seats*245)
	})
	t.do("", t.bash(`psql turnstile_copy -c "SELECT id, state, cardinality(seats) seats, total_cents, fee_cents FROM orders WHERE show_id = @show@ AND placed_at::date = '2026-03-06' ORDER BY placed_at"`, orders))
	t.do("", t.grep("Refunded", "internal"), t.read("internal/order/order.go"))
	t.do("A refunded order is subtracted with its fee, but we keep the fee on a refund (that is in the terms). The venue is charged for it.",
		t.edit("internal/report/settlement.go", "			l.Refunds += o.TotalCents\n", "			l.Refunds += o.TotalCents - o.FeeCents // the fee is ours to keep\n"))
	t.do("", t.tests("./internal/report", t.ok("report", "TestSettle", "TestWriteCSV")))
	t.answer(fmt.Sprintf("The file subtracted our fee with every refund: %d orders on Friday, among them %s. `Settle` now subtracts what the customer got back, without the fee.", len(refunded), strings.Join(refunded[:min(2, len(refunded))], " and ")))
	t.changed("- The settlement file no longer charges the fee of a refunded order to the venue.")
	t.plant(Decision, "`Settle` now subtracts what the customer got back, without the fee.")
}

func (t *thread) csv(n int) string {
	var b strings.Builder
	b.WriteString("day,show,orders,seats,gross_cents,fee_cents,refund_cents\n")
	show := 3100
	for range n {
		show += 1 + t.rng.IntN(19)
		orders := 4 + t.rng.IntN(190)
		seats := orders*2 + t.rng.IntN(orders)
		fmt.Fprintf(&b, "2026-03-06,%d,%d,%d,%d,%d,%d\n", show, orders, seats, seats*(3000+10*t.rng.IntN(300)), seats*245, t.rng.IntN(5)*4200)
	}
	return b.String()
}

// newFee changes a number that a rule and a test depend on.
func (t *thread) newFee() {
	t.ask("Last one of the list: the booking fee goes from @fee@ to @fee2@ cents per seat on 1 May. Before that day the old fee applies, decided by when the order is placed.")
	t.plant(Constraint, "the booking fee goes from @fee@ to @fee2@ cents per seat on 1 May")
	t.plant(Number, "@fee2@")
	t.do("", t.read("internal/pricing/pricing.go"), t.grep("FeeCents", "internal"))
	t.do("`Quote` needs to know when.", t.edit("internal/pricing/pricing.go", `// FeeCents is the booking fee per seat.
const FeeCents = @fee@
`, `// fees are the booking fees per seat, newest first, with the day they begin.
var fees = []struct {
	from  time.Time
	cents int64
}{
	{time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), @fee2@},
	{time.Time{}, @fee@},
}

// FeeCents is the booking fee per seat of an order placed at a time.
func FeeCents(placed time.Time) int64 {
	for _, f := range fees {
		if !placed.Before(f.from) {
			return f.cents
		}
	}
	return 0
}
`),
		t.edit("internal/pricing/pricing.go", "func Quote(seats int64, n int, promo string) (Price, error) {\n	p := Price{Seats: seats, Fee: FeeCents * int64(n)}",
			"func Quote(seats int64, n int, promo string, placed time.Time) (Price, error) {\n	p := Price{Seats: seats, Fee: FeeCents(placed) * int64(n)}"),
		t.edit("internal/pricing/pricing.go", "	\"fmt\"\n	\"strings\"\n", "	\"fmt\"\n	\"strings\"\n	\"time\"\n"))
	t.do("", t.tests("./internal/pricing ./internal/order", `# example.org/turnstile/internal/order
`+t.at("internal/order/service.go", "promo)")+`: not enough arguments in call to pricing.Quote
	have (int64, int, string)
	want (int64, int, string, time.Time)
# example.org/turnstile/internal/pricing [example.org/turnstile/internal/pricing.test]
`+t.at("internal/pricing/pricing_test.go", "c.promo)")+`: not enough arguments in call to Quote
FAIL	example.org/turnstile/internal/order [build failed]
FAIL	example.org/turnstile/internal/pricing [build failed]
FAIL
`))
	t.plant(Failure, "not enough arguments in call to pricing.Quote")
	t.newFeeTested()
}

// newFeeTested makes the callers follow, and tests the day.
func (t *thread) newFeeTested() {
	t.do("", t.edit("internal/order/service.go", "pricing.Quote(price, len(h.Seats), promo)", "pricing.Quote(price, len(h.Seats), promo, s.now())"),
		t.edit("internal/pricing/pricing_test.go", "Quote(c.seats, c.n, c.promo)", "Quote(c.seats, c.n, c.promo, april)"),
		t.edit("internal/pricing/pricing_test.go", "FeeCents*int64(c.n) {", "@fee@*int64(c.n) {"),
		t.edit("internal/pricing/pricing_test.go", "import \"testing\"\n", `import (
	"testing"
	"time"
)

var april = time.Date(2026, 4, 30, 23, 59, 59, 0, time.UTC)

func TestFeeBegins(t *testing.T) {
	if got := FeeCents(april); got != @fee@ {
		t.Errorf("in April %d", got)
	}
	if got := FeeCents(april.Add(time.Second)); got != @fee2@ {
		t.Errorf("in May %d", got)
	}
}
`))
	t.do("", t.tests("./internal/pricing ./internal/order", t.ok("pricing", "TestFeeBegins", "TestQuote", "TestFormat")+t.ok("order", "TestCheckout", "TestTransitions")))
	t.answer("The fee is @fee@ cents for orders placed until 30 April (UTC) and @fee2@ from 1 May. Tell me if the day should begin in local time instead.")
	t.changed("- The booking fee is @fee2@ cents from 1 May.")
	t.plant(Decision, "@fee2@ from 1 May")
}

// finish needs what was said at the start: ids, port, rules.
func (t *thread) finish() {
	t.ask("That was the list. Before I merge: check the two orders from the beginning once more against staging's read replica, run everything, and write the changelog entry. Mention what is still open.")
	t.do("", t.bash(`psql "host=staging-2.example.org dbname=turnstile options='-c default_transaction_read_only=on'" -c "SELECT o.id, o.state, s.id AS seat, o.charge, o.placed_at FROM orders o JOIN seats s ON s.show_id = o.show_id AND s.id = ANY(o.seats) WHERE o.id IN ('@order1@', '@order2@')"`,
		` id             | state  | seat    | charge            | placed_at
----------------------------------------------------------------------------
 @order1@ | issued | @seat@ | @charge3@ | 2026-03-06 19:31:07.412+00
 @order2@ | issued | @seat@ | @charge4@ | 2026-03-06 19:31:07.655+00
(2 rows)
`))
	t.need(t.order1)
	t.need(t.order2)
	t.do("Both still stand for @seat@; one has to be moved by hand. Everything else:", t.bash("make lint && make test-unit", "golangci-lint run --timeout 3m\n"+t.pass()))
	t.do("", t.bash("git diff --stat main...@branch@", t.diffstat()), t.bash("git diff --name-only main...@branch@ -- go.mod internal/store/migrations", t.ifThere("internal/store/migrations/0014_holds_expiry.sql")))
	t.do("", t.bash("curl -s -o /dev/null -w '%{http_code}\\n' localhost:@port@/healthz", "204\n"))
	t.need(t.port)
	t.do("", t.write("CHANGELOG.md", t.changelog()))
	t.plant(Path, "CHANGELOG.md")
	t.need(t.order1)
	t.answer("Done. `make test-unit` and the linter pass, go.mod is unchanged, the existing migrations are untouched, GET /v1/seats answers as before.\n\nStill open: @order1@ and @order2@ share @seat@ on staging as in production; one of the two customers has to be moved. I would move customer @customer2@, whose order is the later one. `make test-int` was not run, as you asked.")
	t.need(t.order1)
	t.need(t.order2)
}

func (t *thread) ifThere(path string) string {
	if _, ok := t.world.files[path]; !ok {
		return "\n"
	}
	return path + "\n"
}

func (t *thread) diffstat() string {
	var b strings.Builder
	n := 0
	for _, p := range []string{
		"deploy/turnstile.yaml", "internal/api/router.go", "internal/hold/hold.go", "internal/hold/race_test.go",
		"internal/hold/sweeper.go", "internal/payment/gateway.go", "internal/pricing/pricing.go", "internal/store/pg.go",
		"internal/waitlist/offer.go", "scripts/loadtest.py",
	} {
		if _, ok := t.world.files[p]; ok {
			lines := 2 + t.rng.IntN(44)
			fmt.Fprintf(&b, " %-34s | %3d %s\n", p, lines, strings.Repeat("+", 1+lines/4)+strings.Repeat("-", lines/9))
			n++
		}
	}
	fmt.Fprintf(&b, " %d files changed\n", n)
	return b.String()
}

func (t *thread) changelog() string {
	return "# Changelog\n\n## Unreleased (issue #@issue@)\n\n" + strings.Join(t.changes, "\n") +
		"\n- Orders @order1@ and @order2@ both hold @seat@ of show @show@ and have to be\n  sorted out by hand.\n"
}

// ticket is a small case of support: look an order up, find what happened,
// write it down. No two are alike in their numbers, and there are several
// causes.
func (s *script) ticket() {
	id := "ord_" + s.word("0123456789abcdefghjkmnpqrstvwxyz", 10)
	req := "req-" + s.word(hexDigits, 12)
	c := s.cause()
	s.ask(fmt.Sprintf(s.one("In between, from support: %s Order %s. What happened?", "Quick one from the support inbox: %s It is %s.", "Another ticket: %s (%s). Please have a look."), c.complaint, id))
	order := s.plant(ID, id)
	s.do("", s.bash(fmt.Sprintf("curl -s -H 'Authorization: Bearer '$STAGING_TOKEN https://staging-2.example.org/v1/orders/%s | jq .", id),
		s.orderJSON(id, c.state, fmt.Sprintf(",\n  \"request_id\": %q", req))))
	s.need(order)
	request := s.plant(ID, req)
	at := evening.Add(time.Duration(s.rng.IntN(3000)) * time.Minute)
	line := strings.NewReplacer("{id}", id, "{req}", req, "{n}", fmt.Sprint(2+s.rng.IntN(90))).Replace(c.line)
	s.do(s.one("The order names its request. Looking it up in the log.", "", "Its request in the log:"),
		s.bash(fmt.Sprintf("grep -C %d %s logs/%s.log", 30+s.rng.IntN(30), req, at.Format("2006-01-02")), s.logs(at, 60+s.rng.IntN(60), line)))
	s.need(request)
	if c.path != "" {
		from := 1 + s.rng.IntN(30)
		s.do(s.one("", "And the code behind that line."), s.readRange(c.path, from, from+30+s.rng.IntN(50)))
	}
	s.answer(fmt.Sprintf("%s: %s", id, c.finding))
	s.need(order)
}

// cause takes the next cause of a shuffled pile, so that none comes twice
// before all came.
func (s *script) cause() cause {
	if len(s.pile) == 0 {
		s.pile = s.rng.Perm(len(causes))
	}
	c := causes[s.pile[0]]
	s.pile = s.pile[1:]
	return c
}

// cause is why a customer complains.
type cause struct{ complaint, state, line, path, finding string }

var causes = []cause{
	{
		"a customer paid but got no tickets.", "paid",
		`ERROR msg="render tickets" order={id} attempt={n} err="template: ticket.html: unexpected EOF" req={req}`, "internal/order/order.go",
		"the payment went through, the ticket template failed to render and the order stayed in `paid`. Nothing is lost; the worker picks it up again when the template is fixed. No change needed here.",
	},
	{
		"the app said the seats were gone at the moment of paying.", "cancelled",
		`WARN msg="request failed" path=/v1/orders code=410 err="hold: expired" late_s={n} order={id} req={req}`, "internal/hold/hold.go",
		"the hold had expired before the card form was sent, so the 410 is right. The app should show the time that is left.",
	},
	{
		"a promo code was refused.", "pending",
		`WARN msg="request failed" path=/v1/orders code=500 err="pricing: unknown promo code: \"SPRNG10\"" order={id} req={req}`, "internal/pricing/pricing.go",
		"the code was misspelt as SPRNG10. It should be a 400 and not a 500, which I noted for the error codes.",
	},
	{
		"two mails for one order.", "issued",
		`INFO msg="mail queued" order={id} queue=tickets depth={n} dedupe=off req={req}`, "",
		"the mail queue ran without deduplication for a few minutes during the deployment on Friday. The tickets are the same, the second mail is harmless.",
	},
	{
		"the refund did not arrive.", "refunded",
		`INFO msg="refund answered" order={id} status=pending eta_days={n} req={req}`, "internal/payment/gateway.go",
		"the gateway accepted the refund and reports it as pending with its own delay. Nothing to do on our side.",
	},
	{
		"the gate scanner refused the ticket.", "issued",
		`WARN msg="scan refused" order={id} reason=already_seen gate={n} first_seen=19:41:12 req={req}`, "internal/seat/seat.go",
		"the ticket had been scanned at another gate nineteen minutes earlier. Either the customer went out and came back, or it was copied; the venue decides.",
	},
}
