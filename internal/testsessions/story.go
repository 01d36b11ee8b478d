package testsessions

import "strings"

const systemPrompt = `You are a coding agent working in the repository of turnstile, a ticket-booking service written in Go.

- Work in small steps: look, change, test. Read a file before you edit it.
- Use the tools; do not ask the user to run commands that you can run.
- Say briefly what you are about to do and what you found. Do not repeat file contents.
- The repository root is /srv/src/turnstile, the branch is @branch@.
- Never push, never touch production. The staging host is staging-2.example.org.`

// story writes about n messages: the main thread, support tickets in between
// until it is long enough, and a wrap-up that needs what was said long before.
func (s *script) story(n int) {
	st := &thread{script: s}
	st.begin()
	chapters := []func(){
		st.race, st.clock, st.longer, st.migration, st.doubleCharge, st.rounding,
		st.conflict, st.loadTest, st.waitlist, st.lint, st.settlement, st.newFee,
	}
	const end = 22 // the wrap-up's messages, about
	per := (n - len(s.messages) - end) / len(chapters)
	for i, c := range chapters {
		until := n - end - (len(chapters)-1-i)*per
		if len(s.messages)+per/2 > until {
			continue
		}
		c()
		for len(s.messages) < until-6 {
			s.ticket()
		}
	}
	st.finish()
}

// thread holds what the main story remembers from chapter to chapter: facts by
// their index.
type thread struct {
	*script
	ttl, migrations      int
	order1, order2, port int
	changes              []string // lines of the changelog
}

func (t *thread) begin() {
	t.ask(`Hi, @user@ here. On Friday evening two customers were sold the same seat for show @show@: orders @order1@ and @order2@ both have @seat@. Issue #@issue@.

Please find out how that can happen, fix it, and then work through the rest of the list in the issue (I will paste the items one by one).

Ground rules for this branch:
1. Do not edit existing files under internal/store/migrations, and do not add new ones without asking me.
2. The JSON of GET /v1/seats must not change, the mobile app up to 4.2 parses it field by field.
3. No new dependencies.
4. Run ` + "`make test-unit`" + `, never ` + "`make test-int`" + `: the integration tests hit the shared staging database.
5. Money is integer cents everywhere, no floats.
6. A hold lives @ttl@ minutes. Marketing prints that number on the tickets page.`)
	for _, rule := range []string{
		"The JSON of GET /v1/seats must not change, the mobile app up to 4.2 parses it field by field.",
		"No new dependencies.",
		"Run `make test-unit`, never `make test-int`: the integration tests hit the shared staging database.",
		"Money is integer cents everywhere, no floats.",
	} {
		t.plant(Constraint, rule)
	}
	t.migrations = t.plant(Constraint, "Do not edit existing files under internal/store/migrations, and do not add new ones without asking me.")
	t.ttl = t.plant(Constraint, "A hold lives @ttl@ minutes.")
	t.order1, t.order2 = t.plant(ID, "@order1@"), t.plant(ID, "@order2@")
	t.plant(ID, "@seat@")

	t.do("I'll start with the layout of the repository and the README.", t.list("."), t.read("README.md"))
	t.port = t.plant(Number, ":@port@")
	t.plant(Number, "@lock@")
	t.plant(ID, "@bucket@")
	t.do("", t.read("Makefile"), t.read("go.mod"))
	t.plant(Command, "make test-unit")
	t.do("The booking path goes from the API through hold.Manager to the store. Reading it from the middle outwards.",
		t.list("internal/hold"), t.read("internal/hold/hold.go"))
	t.do(t.one("Now the cache that Place trusts, and the SQL under it.", "Place asks the seat map first, so that is next, with the SQL."),
		t.read("internal/seat/map.go"), t.read("internal/store/pg.go"))
	t.do("", t.read("internal/hold/hold_test.go"), t.read("internal/hold/fake_test.go"))
}

// changed adds a line to the changelog of the end.
func (t *thread) changed(line string) { t.changes = append(t.changes, line) }

// race finds the double sale: the check and the insert are not one step.
func (t *thread) race() {
	t.do("`Place` checks `seats.Free` before it takes `m.mu`, and the UPDATE in `Insert` does not look at the seat's status. Two customers can pass the check together. Let me see what the log says about Friday.",
		t.bash("grep -C 20 -e @order1@ -e @order2@ -e seat=@seat@ logs/2026-03-06.log", t.logs(evening, 88,
			`INFO msg=request method=POST path=/v1/holds show=@show@ status=201 customer=@customer1@ seats=1 seat=@seat@ dur=41ms req=@req@
INFO msg=request method=POST path=/v1/holds show=@show@ status=201 customer=@customer2@ seats=1 seat=@seat@ dur=39ms req=req-5f0c11d2a9e4`,
			`INFO msg=request method=POST path=/v1/orders status=201 order=@order1@ customer=@customer1@ dur=612ms`,
			`INFO msg=request method=POST path=/v1/orders status=201 order=@order2@ customer=@customer2@ dur=588ms`)))
	t.plant(ID, "@req@")
	t.need(t.order1)
	t.do("Both holds were answered 201 within the same moment. That is the race. First a test that shows it.",
		t.write("internal/hold/race_test.go", raceTest))
	t.plant(Path, "internal/hold/race_test.go")
	t.do("", call{tool: "run_tests", args: object{"packages", "./internal/hold", "run", "TestPlaceOnce", "count", 20}, out: t.world.fill(strings.ReplaceAll(raceOutput, "{line}", t.line("internal/hold/race_test.go", "t.Fatalf")))})
	t.plant(Failure, "seat @seat@ was held 3 times")
	t.raceFixed()
}

// raceFixed closes the race, with a slip on the way.
func (t *thread) raceFixed() {
	t.do("Reproduced: several winners for one seat. The check has to happen under the lock, and the database has to refuse as well, because there are @replicas@ replicas.",
		t.edit("internal/hold/hold.go", `	free, err := m.seats.Free(ctx, show, ids)
	if err != nil {
		return Hold{}, err
	}
	if !free {
		return Hold{}, seat.ErrTaken
	}
	h := Hold{
		Token: newToken(), ShowID: show, CustomerID: customer, Seats: ids,
		ExpiresAt: m.now().Add(m.ttl),
	}
	m.mu.Lock()
	defer m.mu.Unlock()
`, `	m.mu.Lock()
	defer m.mu.Unlock()
	free, err := m.seats.Free(ctx, show, ids)
	if err != nil {
		return Hold{}, err
	}
	if !free {
		return Hold{}, seat.ErrTaken
	}
	h := Hold{
		Token: newToken(), ShowID: show, CustomerID: customer, Seats: ids,
		ExpiresAt: m.now().Add(m.ttl),
	}
`))
	t.do("", t.edit("internal/store/pg.go", `			if _, err := tx.Exec(ctx,
				`+"`UPDATE seats SET status = 'held', hold_token = $1 WHERE show_id = $2 AND id = $3`"+`,
				h.Token, h.ShowID, id); err != nil {
				return err
			}
`, `			tag, err := tx.Exec(ctx,
				`+"`UPDATE seats SET status = 'held', hold_token = $1 WHERE show_id = $2 AND id = $3 AND status = 'free'`"+`,
				h.Token, h.ShowID, id)
			if err != nil {
				return err
			}
			if tag.RowsAffected() == 0 {
				return fmt.Errorf("%w: %s", seat.ErrTaken, seatID)
			}
`))
	t.do("", t.tests("./internal/hold ./internal/store", `# example.org/turnstile/internal/store
`+t.at("internal/store/pg.go", "seatID")+`: undefined: seatID
FAIL	example.org/turnstile/internal/store [build failed]
ok  	example.org/turnstile/internal/hold	1.204s
FAIL
`))
	t.plant(Failure, "undefined: seatID")
	t.do(t.one("A slip: the loop variable is `id`.", "The loop variable is called `id`, my mistake."), t.edit("internal/store/pg.go", "seat.ErrTaken, seatID)", "seat.ErrTaken, id)"))
	t.do("", t.bash("make test-unit", t.pass()))
	t.answer("The double sale is closed twice over: `Place` checks and inserts under one lock, and the UPDATE only takes a seat that is still free, so a second replica gets `seat.ErrTaken`. `internal/hold/race_test.go` fails without either. Unit tests pass.")
	t.changed("- A seat can no longer be held twice. The check and the hold are one step, in the\n  process and in the database.")
	t.plant(Decision, "the UPDATE only takes a seat that is still free")
}
