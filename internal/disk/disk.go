// Package disk tells how much room there is on a disk.
//
// Use: Free. Law: it changes nothing. Promise: errors.ErrUnsupported where the system
// does not say.
package disk
