# `make help` lists what there is.
GO ?= go
# SQLite is C translated to Go, and took most of the race detector's time. What it works on lies
# outside Go's heap, where the detector does not look; its locks are those of modernc.org/libc,
# where it does. Its package holds no generic code that others share.
RACE = -race -gcflags=modernc.org/sqlite/lib=-race=false
TARGETS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# A step prints its name, and at its end the seconds that it took.
define step
@begin=$$(date +%s); echo "== $@"; \
if ( $(1) ); then echo "== $@: $$(($$(date +%s) - begin)) s"; else echo "== $@: FAILED after $$(($$(date +%s) - begin)) s"; exit 1; fi
endef

.DEFAULT_GOAL := help
.PHONY: help demo test format vet unit race-short lint vulnerabilities race conformance web web-check browser pictures cross snapshot snapshot-short man build bench bench-short clients adapters soak hostile fuzz mutations scale bench-scale

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## compact the example session to 32k tokens, into compacted.json
	@rm -f demo.db*
	@$(GO) build -o bin/precis ./cmd/precis
	@bin/precis compact examples/session.jsonl --budget 32k --db demo.db --out compacted.json
	@echo "the compacted request is in compacted.json; the commands above run as they stand here" >&2

test: format vet unit race-short ## what a change must pass: format, vet, all tests, a short race job

format: ## is every file formatted
	$(call step,files=$$($(GO) tool gofumpt -l $$(git ls-files '*.go')) && { [ -z "$$files" ] || { echo "gofumpt would change:"; echo "$$files"; false; }; })

vet: ## go vet
	$(call step,$(GO) vet ./...)

unit: ## all tests of the module
	$(call step,$(GO) test ./...)

race-short: ## the race detector over the packages that share state and build fast
	$(call step,$(GO) test $(RACE) -short ./thread ./event ./hook ./recall ./strategy ./store/memory ./summary/... ./upstream ./transport ./internal/limits ./internal/exchange)

lint: ## staticcheck, go-errorlint, bodyclose; vet of the other modules
	$(call step,$(GO) tool staticcheck ./... && $(GO) tool go-errorlint ./... && .ci/bodyclose && for m in bench conformance inspect/browsertest; do (cd $$m && $(GO) vet ./...) || exit 1; done)

vulnerabilities: ## known vulnerabilities of what the module uses, if their database can be reached
	$(call step,.ci/vulnerabilities)

# The packages that take longest come first, so that the others run beside them.
race: ## the race detector over all packages, short tests
	$(call step,$(GO) test $(RACE) -short -timeout 30m ./proxy ./cmd/precis . ./...)

# A module of its own, so that the SDKs stay out of go.mod.
conformance: ## requests and answers against the providers' schemas and SDKs
	$(call step,cd conformance && $(GO) mod download && $(GO) vet ./... && $(GO) test ./...)

# Modules of their own, too. Not in CI where their frameworks are not downloaded yet: they
# are large.
adapters: ## the adapters of agent frameworks against their real agent loops
	$(call step,for m in adapters/*/; do echo "$$m"; (cd $$m && $(GO) mod download && $(GO) vet ./... && $(GO) test ./...) || exit 1; done)

web: ## build the inspector's page from inspect/web into inspect/dist; needs Node
	$(call step,cd inspect/web && npm ci --no-audit --no-fund && npm run build)

web-check: ## are the built files those of the sources
	$(call step,cd inspect/web && npm ci --no-audit --no-fund && npx tsc --noEmit && rm -rf ../../bin/dist && npx vite build --outDir ../../bin/dist && diff -r ../dist ../../bin/dist)

browser: ## the inspector in a real browser
	$(call step,.ci/chromium && cd inspect/browsertest && $(GO) mod download && $(GO) vet ./... && CI=1 $(GO) test ./...)

pictures: ## make the pictures of docs/inspector.md anew
	mkdir -p docs/inspector && cd inspect/browsertest && PRECIS_PICTURES=$(CURDIR)/docs/inspector $(GO) test -run 'TestPictures|TestPhoneWidth' -count=1 .

cross: ## build for every platform, without cgo
	$(call step,for t in $(TARGETS); do echo "build $$t"; CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build -ldflags "-s -w" -o /dev/null ./cmd/precis || exit 1; done)

snapshot-short: ## what a release publishes for this machine's platform, into dist; tested, not published
	$(call step,.ci/snapshot short)

snapshot: ## the same for every platform
	$(call step,.ci/snapshot)

man: ## the manual pages, into bin/man, from the commands' own help
	$(GO) run ./cmd/precis man bin/man

# Not in CI: it needs the npm registry and 1.5 GB.
clients: ## drive real agents and SDKs through the proxy; writes the tables of docs/clients.md; ten minutes
	cd clients && $(GO) run . -write ../docs/clients.md

build: ## a small binary, bin/precis
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w" -o bin/precis ./cmd/precis

bench: ## measure everything, peers included; writes the tables of the documents; ten minutes
	cd bench && $(GO) mod download && $(GO) run . -write ../docs/performance.md,../docs/tokens.md
	.ci/chromium && cd inspect/browsertest && PRECIS_MEASURE=1 $(GO) test -count=1 -timeout 30m -run '^TestMeasure$$' .

bench-short: ## the same, once and small, so that it cannot rot
	$(call step,cd bench && $(GO) vet ./... && $(GO) test ./... && $(GO) run . -short)

# A few hundred turns of it are in unit.
SOAK_TURNS ?= 10000
SOAK_SEED ?= 1
soak: ## one thread of 10,000 turns, every law checked on the way; half an hour or more
	$(GO) test -tags invariants . -run '^TestSoak$$' -v -timeout 6h -soak.turns=$(SOAK_TURNS) -soak.seed=$(SOAK_SEED)

# Short forms are in unit. PRECIS_HOSTILE_KILLS=500 and the like set one of the numbers.
hostile: ## attack: kills, damaged files, mutated bodies, sockets, faults, isolation, injection, load; an hour or two
	$(call step,.ci/hostile)

# FUZZ_CACHE=FOLDER keeps what was found interesting there, to be carried to other machines.
FUZZTIME ?= 30s
fuzz: ## every fuzz target for FUZZTIME each; what was found interesting is kept for the next run
	$(call step,FUZZTIME=$(FUZZTIME) .ci/fuzz)

# Their short forms are in unit.
scale: ## nodes, servers and connections killed and cut under load; two minutes
	$(call step,PRECIS_HOSTILE_NODEKILLS=40 PRECIS_HOSTILE_CUTS=200 PRECIS_HOSTILE_SERVERKILLS=6 $(GO) test ./proxy ./store/postgres -run '^Test(NodesKilled|Linearizable.*)$$' -timeout 20m)

bench-scale: ## three nodes over PostgreSQL against one over a file: latencies, throughput, size; five minutes
	PRECIS_SCALE=1000000 $(GO) test ./proxy -run '^TestScale' -v -timeout 2h | sed -n 's/^ *scale[a-z_]*_test.go:[0-9]*: //p'

# A quick few of them are in unit.
mutations: ## small faults, each of which a named test must notice; three minutes
	$(call step,$(GO) test -tags faults -parallel 2 -timeout 30m ./internal/mutation)
