package contradict

import "testing"

// SPEC: B20. What a user forbids ends with a permission or a word that takes it back, both about the same thing: not with
// a narrower ban, a question, a condition, what others say, or work that shares words with it.
func TestBansAreLiftedByTheUserAlone(t *testing.T) {
	for _, c := range []struct {
		old, now string
		want     bool
	}{
		{"Never push to main.", "You may push to main now.", true},
		{"Never push to main.", "Forget what I said about the push to main.", true},
		{"Never push to main.", "The rule on the push to main no longer holds.", true},
		{"Don't edit config.yaml.", "It is fine to edit config.yaml.", true},
		{"Never touch the table ledger_1, except to add a column.", "You may touch the table ledger_1 now.", true},
		{"Never push to main.", "You may not push to main on Fridays.", false},
		{"Never push to main.", "You can not push to main either.", false},
		{"Never push to main.", "The server push to main fails, change the port to 8080.", false},
		{"Never touch src/db.go.", "You can touch src/db.go once Bob agrees.", false},
		{"Never touch src/db.go.", "You can touch src/db_test.go.", false},
		{"Never email customers.", "You may email Bob at bob@x.com.", false},
		{"Never drop the table ledger_1.", "Drop the table ledger_2.", false},
		{"Never drop the table ledger_1.", "Drop the table ledger_1 from the docs page.", false},
		{"Never drop the table ledger_1.", "Who said that you can drop the table ledger_1?", false},
		{"Never drop the table ledger_1.", "Why do you think you can drop the table ledger_1?", false},
		{"Never drop the table ledger_1.", "Why do you think you can drop the table ledger_1? You can't.", false},
		{"Never push to main.", "Are you no longer able to push to main?", false},
		{"Never drop the table ledger_1.", "I don't think you may drop the table ledger_1.", false},
		{"Never drop the table ledger_1.", "If Bob says you can drop the table ledger_1, tell me.", false},
		{"Never drop the table ledger_1.", "It is wrong to drop the table ledger_1.", false},
		{"Never drop the table ledger_1.", "Stop trying to drop the table ledger_1!", false},
		{"Never touch the table ledger_1, except to add a column.", "Stop changing the table ledger_1.", false},
		{"Don't edit config.yaml.", "Alice told me you can edit config.yaml now.", false},
		{"Don't edit config.yaml.", "The agent says you can edit config.yaml.", false},
	} {
		now, old := Parse(c.now, 2), Parse(c.old, 1)
		if sure, score := replaces(&now, &old); (sure || score > 0) != c.want {
			t.Errorf("%q ends %q: %t", c.now, c.old, !c.want)
		}
	}
}

// SPEC: L21, B2. What a newer statement replaces, and what it must leave alone.
func TestReplaces(t *testing.T) {
	for _, c := range []struct {
		old, now string
		want     bool
	}{
		{"The API port is 8080.", "The API port is 9090.", true},
		{"The API port is 8080.", "Change the API port to 9090.", true},
		{"The API port is 8080.", "Can you change the API port to 9090?", true},
		{"The API port is 8080.", "When you deploy, can you change the API port to 9090?", true},
		{"The API port is 8080.", "What if we change the API port to 9090?", false},
		{"The API port is 8080.", "Why is the API port 9090?", false},
		{"The API port is 8080.", "The log says the API port is now 9090, why?", false},
		{"The API port is 8080.", "¿Por qué el API port is 9090?", false},
		{"The API port is 8080.", "The API port becomes 9090.", true},
		{"The API port is 8080.", "Use 9090 for the API port.", true},
		{"We agreed on an export batch size of 656.", "The export batch size becomes 615.", true},
		{"The export batch size of 656 is what we agreed on.", "The export batch size is 615.", true},
		{"The limit for uploads is 5 MB.", "Change the limit from 5 to 7.", true},
		{"Keep the limit at 5.", "change the limit from 5 to 7", true},
		{"timeout=30", "timeout=45", true},
		{"timeout: 30", "Set the timeout to 45.", true},
		{"Use Postgres for the storage.", "Actually, use SQLite for the storage instead.", true},
		{"Use Postgres for the storage.", "Use SQLite instead of Postgres.", true},
		{"We deploy to Frankfurt.", "We no longer deploy to Frankfurt.", true},
		{"Use tabs for indentation.", "Actually, use spaces for indentation.", true},
		{"Never push to main.", "You can push to main now.", true},
		{"Python 3.9 is the version we support.", "The version we support is now 3.11.", true},
		{"The deadline is Friday.", "The deadline moved to Monday.", true},
		{"The owner is Alice.", "The owner is Bob now.", true},
		{"The nightly job starts at 02:00.", "The nightly job should start at 04:00 instead.", true},
		{"Cap the search page size at 50.", "Correction: the search page size is 80.", true},
		{"The admin page size lands on 850 after comparing.", "The admin page size is 133 now; 850 was too optimistic.", true},
		{"Treat 12 minutes as gospel for the metrics cache TTL.", "Sorry, I misspoke: 93 minutes for the metrics cache TTL.", true},
		{"I have configured the webhook region as eu-south-9.", "The webhook region is us-north-2 now; eu-south-9 was too optimistic.", true},
		{"The mobile port path needs 2448 ms per call.", "The mobile port benchmark now measures 3148 ms instead of 2448 ms.", true},

		{"Nimm immer den Port 8443 dafür.", "Nein, nicht 8443, sondern 9443.", true},
		{"Gebruik altijd poort 8443.", "Nee, niet 8443 maar 9443.", true},
		{"Always use port 8443 for the importer.", "No, not 8443 but 9443.", true},
		{"Nimm immer den Port 8443 dafür.", "Nein, nicht 9443, sondern 9444.", false},

		{"Use certificate A for the payment.", "No, use certificate B.", true},
		{"Please use the gift card ending in 7711 for it.", "No, use the gift card ending in 9034.", true},
		{"I prefer a departure from 10:00 to 15:00.", "Actually, any departure that day is fine.", true},
		{"I'd like the blue one in size M.", "No, I'd like the red one in size M.", true},
		{"Nimm Zertifikat A für die Zahlung.", "Nein, nimm lieber Zertifikat B.", true},
		{"Usa el certificado A para el pago.", "No, mejor usa el certificado B.", true},
		{"Utilise le certificat A pour le paiement.", "Non, utilise plutôt le certificat B.", true},

		{"Use port 8080.", "Use port 9000 from now on.", true},
		{"Use port 8080.", "From now on, use port 9000.", true},
		{"Please use Node 18.", "From here on use Node 20.", true},
		{"Always use port 8080.", "Use port 9000 from now on.", true},

		{"Use port 8080.", "Use port 9000.", false},
		{"Use port 8080 for the API.", "Use port 9000 from now on.", false},
		{"Use port 8080.", "Use port 9000 for the tests from now on.", false},
		{"Never open port 22.", "Never open port 23 from now on.", false},
		{"Use port 8080.", "Also use port 9000 from now on.", false},
		{"Use TypeScript for the client.", "Use ESLint for the client from now on.", false},
		{"Run `make lint` before a commit.", "Run `make test` before a commit from now on.", false},
		{"Use ports 8080 and 8081.", "Use port 9000 from now on.", false},
		{"Close ticket 1234.", "Ignore ticket 1299 from now on.", false},
		{"Use certificate A for the payment.", "No, never share the certificate.", false},
		{"Use certificate A for the payment.", "No problem, certificate A is the one that I have.", false},
		{"Use certificate A for the payment.", "No, the tests use certificate fixtures of Go 1.20 from testdata/certs.", false},
		{"Use certificate A for the payment.", "Use certificate B for the tests.", false},
		{"I prefer a departure from 10:00 to 15:00.", "No, the return is on May 5.", false},
		{"Usa el certificado A para el pago.", "No uses el certificado de prueba.", false},

		{"You may edit db/seeds, the rest stays as it is.", "Leave db/seeds alone after all.", true},
		{"Never touch db/seeds.", "You may edit db/seeds now.", true},
		{"You may change `load_order`.", "Don't touch `load_order` any more.", true},
		{"You may edit db/seeds.", "Never touch files under db/.", false},
		{"You may read db/seeds.", "Never change db/seeds.", false},
		{"You may edit db/seeds.", "Never delete db/seeds.", false},
		{"You may edit db/seeds.", "Also never touch db/seeds on Fridays.", false},
		{"You may change 3 of them.", "Don't touch 3 of them.", false},
		{"Never touch db/seeds and db/schema.", "You can change db/schema.", false},
		{"Never touch db/seeds.", "No need to change db/seeds.", false},
		{"Never touch db/seeds.", "Don't bother to edit db/seeds.", false},
		{"Never touch db/seeds.", "You don't need to edit db/seeds.", false},
		{"Never touch db/seeds.", "If the check is red, you can change db/seeds.", false},
		{"Never touch db/seeds.", "You may edit db/seeds only when I say so.", false},
		{"You may edit db/seeds.", "You may not edit db/seeds.", true},
		{"Never touch db/seeds.", "You may not edit db/seeds.", false},
		{"Never touch db/seeds.", "You can see in db/seeds how the rows change over time.", false},
		{"You can see in db/seeds how the rows change over time.", "Leave db/seeds as it is.", false},
		{"You may edit db/seeds.", "You are not allowed to edit db/seeds.", true},
		{"Never touch db/seeds.", "You are not allowed to edit db/seeds.", false},
		{"You may change `load_order`.", "Never change `load_order` in the release branch.", false},
		{"Never touch db/seeds.", "You can change db/schema but leave db/seeds alone.", false},
		{"Never edit `config.yml` by hand.", "Never edit `config.yml` if you can avoid it.", false},
		{"You may edit db/seeds.", "Leave a note in db/seeds alone.", false},
		{"Never touch db/seeds.", "You may edit the copy of db/seeds.", false},
		{"You may edit db/seeds and db/schema.", "Don't touch db/schema.", false},
		{"Never touch db/seeds.", "You may edit db/seeds again.", true},
		{"Never touch db/seeds.", "Feel free to edit db/seeds.", true},
		{"Never touch db/seeds.", "It's fine to change db/seeds now.", true},

		{"The import retry limit is 5.", "Change the export retry limit to 7.", false},
		{"The import retry limit is 5.", "The export retry limit is 7.", false},
		{"Never deploy on Fridays.", "Never delete the backups.", false},
		{"Don't touch config/a.yml.", "Don't touch config/b.yml.", false},
		{"Never open port 22.", "Never open port 23.", false},
		{"Ticket 1234 is blocked.", "Ticket 1299 is blocked.", false},
		{"Delete branch feature-12.", "Delete branch feature-14.", false},
		{"Use tabs in Makefiles.", "Use spaces in Python files.", false},
		{"The upload service runs with 4 workers.", "The upload service listens on port 8080.", false},
		{"Timeout of 30 seconds for the checkout.", "Retry limit of 5 for the checkout.", false},
		{"Always run the tests before a commit.", "From now on always run the linter before a commit.", false},
		{"The issue is a missing import.", "The issue is a wrong path.", false},
		{"Alice's budget is $500.", "Bob's budget is $700.", false},
		{"Use Ruff for linting.", "Also use Black for formatting.", false},
		{"The p99 latency is 120 ms.", "The timeout is 45 seconds.", false},
		{"Redis must persist its data every 5 minutes.", "Use memcached for the session cache.", false},
		{"Add an endpoint for orders.", "Actually, can the docs mention the new endpoint for users?", false},
	} {
		var l Statements
		now, old := Parse(c.now, 2), Parse(c.old, 1)
		l.Add(old)
		l.Supersede(now, func(int) bool { return true })
		if l.Stands(0) == c.want {
			t.Errorf("%q → %q: superseded %v, want %v\n old %+v\n now %+v", c.old, c.now, !l.Stands(0), c.want, old, now)
		}
	}
}
