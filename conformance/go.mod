module github.com/seed-3db51b0e/precis/conformance

go 1.26.0

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/seed-3db51b0e/precis v0.0.0
	golang.org/x/text v0.42.0
)

// No package of these is imported: package schema reads their files. go mod
// tidy would drop them.
require (
	github.com/anthropics/anthropic-sdk-go v1.84.0
	github.com/openai/openai-go/v3 v3.95.0
)

replace github.com/seed-3db51b0e/precis => ../
