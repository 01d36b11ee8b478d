# The two commands of the README, and their parts.
GO ?= go
TARGETS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: demo test unit race conformance lint cross bench bench-short build soak faults

# The main job on the example session: compact it to 32k tokens.
demo:
	@rm -f demo.db*
	@$(GO) run ./cmd/precis compact examples/session.jsonl --budget 32k --db demo.db > compacted.json
	@echo "the compacted request is in compacted.json" >&2

# Everything that must hold.
test: lint unit race conformance cross

unit:
	$(GO) test ./...

# The packages that share state, under the race detector.
race:
	$(GO) test -race -short . ./store/... ./token/... ./thread ./strategy ./event ./hook ./recall ./summary/... ./upstream

# Requests against the providers' published schemas; a module of its own, so
# that the SDKs stay out of go.mod.
conformance:
	cd conformance && $(GO) mod download && $(GO) test ./...

lint:
	@files=$$($(GO) tool gofumpt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "gofumpt would change:"; echo "$$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) tool go-errorlint ./...

# Builds without cgo for every platform we ship.
cross:
	@for t in $(TARGETS); do echo "build $$t"; CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build -o /dev/null ./cmd/precis || exit 1; done

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o bin/precis ./cmd/precis

# Everything that is measured, with peers from the package registries; writes the
# tables of the documents. Needs about ten minutes on two idle cores.
bench:
	cd bench && $(GO) mod download && $(GO) run . -write ../docs/performance.md,../docs/tokens.md

# The same, everything once and small, so that it cannot rot.
bench-short:
	cd bench && $(GO) vet ./... && $(GO) test ./... && $(GO) run . -short

# One thread of 10,000 turns, every law checked on the way; a few hundred turns of
# it are in unit. Needs half an hour or more.
SOAK_TURNS ?= 10000
SOAK_SEED ?= 1
soak:
	$(GO) test -tags invariants . -run '^TestSoak$$' -v -timeout 6h -soak.turns=$(SOAK_TURNS) -soak.seed=$(SOAK_SEED)

# Small faults, each of which a named test must notice; a quick few are in unit.
# Needs three minutes on two idle cores.
faults:
	$(GO) test -tags faults -parallel 2 -timeout 30m ./internal/mutation
