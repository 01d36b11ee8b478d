package main

// app holds what the commands need: streams, the database, the thread a command is
// about, and what is known of models.
type app struct {
	*threads
	*modelTable
	ran bool // the command line was understood
}
