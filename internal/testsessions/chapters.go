package testsessions

import (
	"fmt"
	"time"
)

// clock finds that the sweeper compares times of different zones.
func (t *thread) clock() {
	t.ask(t.one("Good. Next item: support says seats of expired holds come back an hour late since the clocks changed on the staging host.",
		"Thanks. Next: expired holds give their seats back far too late on staging, about an hour."))
	t.do("", t.read("internal/hold/sweeper.go"), t.read("internal/store/migrations/0011_holds.sql"), t.read("docs/adr/0004-hold-expiry.md"))
	t.do("`expires_at` is `timestamp` without a zone, and `sweepOnce` passes local time. The decision record says comparisons are made in UTC by the application, and `m.now` exists for that.",
		t.edit("internal/hold/sweeper.go", "m.store.Expired(ctx, time.Now().Local())", "m.store.Expired(ctx, m.now().UTC())"),
		t.edit("internal/hold/hold.go", "	if h.ExpiresAt.Before(m.now()) {", "	if !h.ExpiresAt.After(m.now().UTC()) {"))
	t.do("", t.edit("internal/hold/hold.go", "		ExpiresAt: m.now().Add(m.ttl),", "		ExpiresAt: m.now().UTC().Add(m.ttl),"))
	t.do("A test with a clock that is not in UTC.", t.write("internal/hold/sweeper_test.go", sweeperTest))
	t.do("", t.tests("./internal/hold", t.ok("hold", "TestPlace", "TestPlaceTaken", "TestExpired", "TestPlaceOnce", "TestSweepInAnotherZone")))
	t.do("", t.bash("make test-unit", t.pass()))
	t.answer("The sweeper compared local time with a column that has no zone. It now uses the manager's clock in UTC, as ADR 4 asks. `internal/hold/sweeper_test.go` runs it in a zone one hour off.")
	t.plant(Path, "internal/hold/sweeper_test.go")
	t.changed("- Seats of expired holds come back in time, whatever the host's time zone.")
}

// longer changes the constraint on how long a hold lives.
func (t *thread) longer() {
	t.ask(`Correction to rule 6, legal came back to us: a hold lives @ttl2@ minutes from now on, not @ttl@. Everywhere please, docs and deployment too. Keep the tests honest, no sleeping in tests.`)
	t.replace(t.ttl, t.plant(Constraint, "a hold lives @ttl2@ minutes from now on, not @ttl@"))
	t.changed("- Holds live @ttl2@ minutes (they lived @ttl@).")
	t.plant(Constraint, "no sleeping in tests")
	t.do("Looking for every place that says @ttl@ minutes.", t.grep(`\b@ttl@ ?(m\b|min|\*)`, ""))
	t.do("", t.read("internal/config/config.go"), t.read("deploy/turnstile.yaml"))
	t.do("", t.edit("internal/config/config.go", "@ttl@ * time.Minute", "@ttl2@ * time.Minute"),
		t.edit("deploy/turnstile.yaml", `value: "@ttl@m"`, `value: "@ttl2@m"`),
		t.edit("docs/adr/0004-hold-expiry.md", "A hold lives @ttl@ minutes.", "A hold lives @ttl2@ minutes (it was @ttl@ until March 2026)."))
	t.do("", t.edit("README.md", "held for @ttl@ minutes", "held for @ttl2@ minutes"))
	t.do(t.one("The README words it differently.", "Not that wording. Let me look."), t.grep("minutes while they pay", "README.md"))
	t.do("", t.edit("README.md", "@ttl@ minutes while they pay", "@ttl2@ minutes while they pay"))
	t.do("", t.bash("make test-unit", t.pass()))
	t.do("The tests pass because they build their own manager with @ttl@ minutes. They should not pin a number that is configuration.",
		t.edit("internal/hold/hold_test.go", "	m := NewManager(st, seat.NewMap(st), @ttl@*time.Minute)", "	m := NewManager(st, seat.NewMap(st), testTTL)"),
		t.edit("internal/hold/hold_test.go", "got != @ttl@*time.Minute {", "got != testTTL {"),
		t.edit("internal/hold/hold_test.go", "m.now().Add(@ttl@*time.Minute + time.Second)", "m.now().Add(testTTL + time.Second)"),
		t.edit("internal/hold/hold_test.go", "func newTestManager(", "// testTTL is any duration: what holds live in production is configuration.\nconst testTTL = 5 * time.Minute\n\nfunc newTestManager("))
	t.do("", t.tests("./internal/hold ./internal/config", t.ok("hold", "TestPlace", "TestPlaceTaken", "TestExpired", "TestPlaceOnce")+"ok  \texample.org/turnstile/internal/config\t0.041s\n"))
	t.answer("Holds live @ttl2@ minutes in the default config, the deployment, the README and ADR 4. The tests use their own duration now, so the next change touches no test.")
}

// migration asks for an index, which the user's first rule forbids.
func (t *thread) migration() {
	t.do("While I was in the SQL: the sweeper's query has no index to work with. Checking the plan on a copy of the data.",
		t.bash(`psql turnstile_copy -c "EXPLAIN ANALYZE SELECT token FROM holds WHERE expires_at < now() ORDER BY expires_at LIMIT 500"`, fmt.Sprintf(`                                  QUERY PLAN
-------------------------------------------------------------------------------
 Limit  (cost=21733.90..21735.15 rows=500 width=36) (actual time=%d.8..%d.9 rows=500 loops=1)
   ->  Sort  (cost=21733.90..21998.14 rows=105695 width=36)
         Sort Key: expires_at
         Sort Method: top-N heapsort  Memory: 64kB
         ->  Seq Scan on holds  (cost=0.00..16467.20 rows=105695 width=36)
               Filter: (expires_at < now())
               Rows Removed by Filter: 211
 Planning Time: 0.3 ms
 Execution Time: %d.1 ms
(9 rows)
`, 180+t.rng.IntN(60), 240+t.rng.IntN(30), 272+t.rng.IntN(40))))
	t.answer("The sweep scans the whole table every 20 seconds. An index on `holds (expires_at)` would fix it, but that is a new migration and you asked me not to add any without asking. May I add one?")
	t.ask("Yes, good catch. You may add one new migration, number 0014, created concurrently. The existing ones stay as they are, that part of the rule stands.")
	now := t.plant(Constraint, "You may add one new migration, number 0014, created concurrently. The existing ones stay as they are")
	t.replace(t.migrations, now)
	t.do("", t.list("internal/store/migrations"))
	t.do("", t.write("internal/store/migrations/0014_holds_expiry.sql", `-- +turnstile no-transaction
-- The sweeper asks for expired holds every 20 seconds.
CREATE INDEX CONCURRENTLY IF NOT EXISTS holds_expires_at ON holds (expires_at);
`))
	t.plant(Path, "internal/store/migrations/0014_holds_expiry.sql")
	t.changed("- An index for the sweeper's query (migration 0014).")
	t.do("", t.grep("no-transaction", "internal/store"), t.bash("git status --short internal/store/migrations", "?? internal/store/migrations/0014_holds_expiry.sql\n"))
	t.answer("Added `0014_holds_expiry.sql`; it runs outside a transaction because of CONCURRENTLY. 0011 to 0013 are untouched.")
}

// doubleCharge finds a charge that was sent twice, and gives it a key.
func (t *thread) doubleCharge() {
	t.ask("Next item: order @order3@ was charged twice, finance sees @charge1@ and @charge2@ for it. Only one may happen. Do not lower the number of retries, we need them on show days.")
	order := t.plant(ID, "@order3@")
	t.plant(ID, "@charge1@")
	t.plant(Constraint, "Do not lower the number of retries, we need them on show days.")
	t.do("", t.read("internal/payment/gateway.go"), t.read("internal/payment/retry.go"), t.read("internal/order/service.go"))
	t.do(t.one("Now what the log has on that order.", "And the log around it."), t.bash("grep -C 40 @order3@ logs/2026-03-06.log", t.logs(evening.Add(23*time.Minute), 96,
		`INFO msg="charge sent" order=@order3@ attempt=1 timeout=@gwtimeout@s`,
		`WARN msg="charge attempt failed" order=@order3@ attempt=1 err="payment: gateway unavailable: context deadline exceeded (Client.Timeout exceeded while awaiting headers)"`,
		`INFO msg="charge sent" order=@order3@ attempt=2 timeout=@gwtimeout@s`,
		`INFO msg="charge answered" order=@order3@ attempt=2 charge=@charge2@ dur=1904ms`)))
	t.need(order)
	t.plant(Failure, "context deadline exceeded (Client.Timeout exceeded while awaiting headers)")
	t.do("The first attempt timed out on our side after @gwtimeout@ s but went through at the gateway as @charge1@; the retry charged again. The gateway accepts an `Idempotency-Key`. The order's id is the natural key: it is written before the charge.",
		t.edit("internal/payment/gateway.go", "	Card        string `json:\"card\"`\n}", "	Card        string `json:\"card\"`\n	// Key makes a repeated charge the same charge. Required.\n	Key string `json:\"-\"`\n}"),
		t.edit("internal/payment/gateway.go", `		return c.post(ctx, "/charges", body, &out)`, `		return c.post(ctx, "/charges", ch.Key, body, &out)`),
		t.edit("internal/payment/gateway.go", `func (c *Client) post(ctx context.Context, path string, body []byte, out any) error {`, `func (c *Client) post(ctx context.Context, path, key string, body []byte, out any) error {`),
		t.edit("internal/payment/gateway.go", `	req.Header.Set("Content-Type", "application/json")
`, `	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
`))
	t.do("", t.edit("internal/order/service.go", "Currency: o.Currency, Card: card})", "Currency: o.Currency, Card: card, Key: o.ID})"))
	t.do("", t.tests("./internal/payment ./internal/order", `# example.org/turnstile/internal/payment
`+t.at("internal/payment/gateway.go", "body, nil) })")+`: not enough arguments in call to c.post
	have (context.Context, string, []byte, nil)
	want (context.Context, string, string, []byte, any)
FAIL	example.org/turnstile/internal/payment [build failed]
FAIL
`))
	t.plant(Failure, "not enough arguments in call to c.post")
	t.do("`Refund` calls it too, and a refund must not be repeated either. Its key is the charge and the amount.",
		t.edit("internal/payment/gateway.go", `	return c.retry.Do(ctx, func() error { return c.post(ctx, "/refunds", body, nil) })`,
			`	key := fmt.Sprintf("%s-refund-%d", charge, cents)
	return c.retry.Do(ctx, func() error { return c.post(ctx, "/refunds", key, body, nil) })`))
	t.do("", t.write("internal/payment/gateway_test.go", gatewayTest))
	t.do("", t.tests("./internal/payment ./internal/order", t.ok("payment", "TestChargeSendsKey", "TestRetryKeepsKey", "TestDeclinedIsFinal")+t.ok("order", "TestCheckout", "TestTransitions")))
	t.do("", t.grep("Attempts: 4", "internal/payment"))
	t.answer("A charge now carries the order's id as `Idempotency-Key`, so the retry after a timeout is the same charge at the gateway. Retries stay at 4 attempts. Finance should refund @charge1@, the one that @order3@ does not know about.")
	t.need(order)
	t.changed("- Charges and refunds carry an idempotency key, so that a retry after a timeout\n  does not take money twice.")
	t.plant(Decision, "A charge now carries the order's id as `Idempotency-Key`")
}

// rounding replaces a float in the discount.
func (t *thread) rounding() {
	t.ask(t.one("Item 4: with CREW35 some totals are off by one cent.", "Next one: totals with promo codes are sometimes one cent off."))
	t.do("", t.read("internal/pricing/pricing.go"), t.read("internal/pricing/pricing_test.go"))
	t.do("", t.tests("./internal/pricing", `--- FAIL: TestQuote (0.00s)
    `+t.line("internal/pricing/pricing_test.go", "t.Errorf(\"%s: discount")+`: crew: discount 4546, want 4547
    `+t.line("internal/pricing/pricing_test.go", "t.Errorf(\"%s: discount")+`: late, odd cents: discount 499, want 500
FAIL
FAIL	example.org/turnstile/internal/pricing	0.018s
FAIL
`))
	t.plant(Failure, "crew: discount 4546, want 4547")
	t.do("There is a float in `Quote`, against rule 5, and it truncates. Half up in integers: (seats × percent + 50) / 100.",
		t.edit("internal/pricing/pricing.go", "p.Discount = int64(float64(seats) * float64(percent) / 100)", "p.Discount = (seats*percent + 50) / 100"))
	t.do("", t.tests("./internal/pricing", t.ok("pricing", "TestQuote", "TestFormat")))
	t.do("Are there other floats near money?", t.grep(`float64\(`, "internal"))
	t.answer("The discount is computed in integer cents, rounded half up. The only other float64 is the retry's back-off factor, which is a duration.")
	t.changed("- Discounts are computed in integer cents, rounded half up.")
	t.plant(Decision, "The discount is computed in integer cents, rounded half up.")
}
