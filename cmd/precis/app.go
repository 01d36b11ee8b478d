package main

// app is what the commands have: streams, the database, the thread a command is
// about, and what is known of models.
type app struct {
	*threads
	*modelTable
	ran bool // the command line was understood
}
