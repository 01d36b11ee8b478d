// Package browsertest tests the inspector's page in a real browser.
//
// Use: go test in this folder, with Chromium installed (.ci/chromium does that). Law:
// the stores are made by the real engine. Promise: every panel and action is used as a
// person uses it, a console error or a request to another host fails the test, and the
// pictures of docs/inspector.md are made here.
package browsertest
