// Package notices holds the licences of what is linked into the program.
//
// Use: Text. Law: it is generated from the modules that the command imports, on every
// system that it is built for; its test says when it is not. Promise: each licence stands
// word for word, once, with the modules that it is of.
package notices

import _ "embed" // the text

//go:embed notices.txt
var text string

// Text returns all notices.
func Text() string { return text }
