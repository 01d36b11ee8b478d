package main

import (
	"os"
	"strings"
	"testing"
)

// A command that is printed has every flag that leads it to the same database, and no
// password.
func TestPrintedCommandsLeadToTheDatabase(t *testing.T) {
	std := newStreams(nil, nil, nil)
	d := &database{streams: std}
	a := &app{threads: &threads{database: d}, modelTable: &modelTable{std: std}}
	root := commands(a)
	d.db, d.blobs, d.key, d.whose = "postgres://ann:pass@h/d?sslmode=require&password=pass", "a b", "k", "t"
	name := invoked(os.Args[0])
	for text, want := range map[string]string{
		"precis doctor says":                     name + " doctor --db 'postgres://ann@h/d?sslmode=require' --blobs 'a b' --key k --tenant t says",
		"precis db copy FROM TO":                 name + " db copy --blobs 'a b' --key k FROM TO",
		"precis key new k makes one":             name + " key new k makes one",
		"precis key rotate adds":                 name + " key rotate --key k adds",
		"precis compact FILE":                    name + " compact --db 'postgres://ann@h/d?sslmode=require' --blobs 'a b' --key k --tenant t FILE",
		"another precis is writing: --db x":      "another precis is writing: --db x",
		"update precis, or precis policy show X": "update precis, or " + name + " policy show X",
	} {
		if got := a.asInvoked(root, text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
	if said := a.asInvoked(root, "precis doctor"); strings.Contains(said, "pass") {
		t.Errorf("%q tells the password", said)
	}
}

// Whatever holds a password in the URL of a database, it is left out of what is printed.
func TestPrintedDatabaseHasNoPassword(t *testing.T) {
	for path, want := range map[string]string{
		"a b.db":                                            "a b.db",
		"postgres://ann@h/d":                                "postgres://ann@h/d",
		"postgres://ann:secret@h/d":                         "postgres://ann@h/d",
		"postgres://h/d?a=b&password=secret":                "postgres://h/d?a=b",
		"postgres://h/d?sslkey=k&sslpassword=secret":        "postgres://h/d?sslkey=k",
		"postgres://h/d?password=sec;ret":                   "postgres://h:5432/d",
		"postgres://h/d?password=sec%zzret&sslmode=require": "postgres://…",
		"postgres://ann:sec%zzret@h/d":                      "postgres://…",
	} {
		if got := withoutPassword(path); got != want {
			t.Errorf("%s is printed as %s, want %s", path, got, want)
		}
	}
}
