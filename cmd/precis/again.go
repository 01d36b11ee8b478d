package main

import (
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/term"
	"github.com/seed-3db51b0e/precis/store/postgres"
)

// databaseFlags say where a conversation is kept and whose it is.
const databaseFlags = "db blobs key tenant"

// repeated is the annotation of a command, or of the group that it stands in, with the
// names of the flags that lead it to the database of another run.
const repeated = "repeated"

// repeats says which flags lead commands to the database of another run.
func repeats(flags string, of ...*cobra.Command) []*cobra.Command {
	for _, c := range of {
		c.Annotations = map[string]string{repeated: flags}
	}
	return of
}

// flags writes those of some flags that were given, for a command that is about the same
// database.
func (d *database) flags(names string) (written string) {
	given := map[string]string{"db": withoutPassword(d.db), "blobs": d.blobs, "key": d.key, "tenant": d.whose}
	for _, name := range strings.Fields(names) {
		if given[name] != "" {
			written += " --" + name + " " + term.Quote(given[name])
		}
	}
	return written
}

// withoutPassword is the path of a database as it can stand where others read it: what is
// secret in a URL, which the environment or a file of the user's gives, is left out.
func withoutPassword(path string) string {
	u, err := url.Parse(path)
	if !postgres.IsURL(path) || err != nil {
		return shown(path)
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil { // a password may stand in what cannot be read
		return shown(path)
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	if q.Has("password") || q.Has("sslpassword") {
		q.Del("password")
		q.Del("sslpassword")
		u.RawQuery = q.Encode()
	}
	return u.String()
}

// asInvoked is a text whose commands run as they are printed, on the database and the
// thread that this run is about.
func (th *threads) asInvoked(root *cobra.Command, text string) string {
	var b strings.Builder
	for {
		at := inText.FindStringIndex(text)
		if at == nil {
			return b.String() + text
		}
		b.WriteString(text[:at[0]])
		c, rest := commandIn(root, text[at[1]:])
		if c == root {
			b.WriteString(text[at[0]:at[1]])
		} else {
			b.WriteString(invoked(os.Args[0]) + text[at[1]:len(text)-len(rest)] + th.flagsOf(c, rest))
		}
		text = rest
	}
}

// inText finds the name of this program in a text.
var inText = regexp.MustCompile(`\bprecis\b`)

// commandIn is the command that a text begins with, and the text behind its name.
func commandIn(c *cobra.Command, text string) (*cobra.Command, string) {
	if found := nextWord.FindStringSubmatch(text); found != nil {
		for _, sub := range c.Commands() {
			if sub.Name() == found[1] {
				return commandIn(sub, text[len(found[0]):])
			}
		}
	}
	return c, text
}

var nextWord = regexp.MustCompile(`^ ([a-z]+)\b`)

// flagsOf are the flags of this run that a command in a text needs, but for those that
// the text has already.
func (th *threads) flagsOf(c *cobra.Command, rest string) string {
	clause, _, _ := strings.Cut(clauseEnds.Replace(rest), "\n")
	if strings.Contains(clause, "--help") {
		return ""
	}
	names := ""
	for up := c; up != nil && names == ""; up = up.Parent() {
		names = up.Annotations[repeated]
	}
	names = strings.Join(withoutNamed(strings.Fields(names), clause), " ")
	flags := th.flags(names)
	if th.thread != "" && c.Flags().Lookup("thread") != nil && !strings.Contains(clause, "--thread") {
		flags += " --thread " + term.Quote(th.thread)
	}
	return flags
}

// clauseEnds marks where what is said of a command ends.
var clauseEnds = strings.NewReplacer(",", "\n", ";", "\n", ": ", "\n")

// withoutNamed are the names of flags that a clause does not have.
func withoutNamed(names []string, clause string) (left []string) {
	for _, name := range names {
		if !strings.Contains(clause, "--"+name) {
			left = append(left, name)
		}
	}
	return left
}
