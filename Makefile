# Everything here needs only Go, but for what is marked.
GO ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: all build test race lint cross fuzz mutation images proof rigs soak interop bench demo clean

all: build test

build:            ## the command line, in bin/
	$(GO) build -o bin/actorstore ./cmd/actorstore

demo:             ## messages through the pipeline, a kill -9, and all of them back
	$(GO) run ./cmd/actorstore demo

test:             ## the tests of all packages
	$(GO) test ./...

race:             ## the same under the race detector, with invariants compiled in
	$(GO) test -race -tags invariants ./...

lint:             ## vet, staticcheck, formatting
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt:"; gofmt -l $$(git ls-files '*.go'); exit 1; }

cross:            ## the other platforms compile, tests included
	GOOS=linux GOARCH=arm64 $(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=freebsd GOARCH=amd64 $(GO) vet ./...
	GOOS=windows GOARCH=amd64 $(GO) vet ./...

# A count, not a time: a target that is stopped by the clock while it is slow is
# reported as failed ("context deadline exceeded") though nothing was found.
FUZZTIME ?= 50000x
fuzz:             ## every fuzz target for FUZZTIME
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
	  done; \
	done

mutation:         ## planted bugs: the tests must find every one
	$(GO) run ./tests/mutation

IMAGES ?= 20000
CASES ?= 5000
PANICS ?= $(CASES)
SEED ?= 1
LEDGER ?= $(CURDIR)/tests/ledger.csv
images:           ## crash images, damage, kills, failing calls: what CI runs of the proof beside the tests
	$(GO) test -count=1 -timeout 60m ./tests/crash -images $(IMAGES) -recuts $$(($(IMAGES)/10)) -damage $$(($(IMAGES)/4)) -tails $$(($(IMAGES)/4)) -kills $$(($(IMAGES)/40)) -seed $(SEED) -ledger $(LEDGER)
	$(GO) test -count=1 -timeout 60m ./tests/fault -run Sweep -fault.cases $(CASES) -fault.seed $(SEED) -fault.ledger $(LEDGER)

proof: images     ## that, simulated stores and dying actors
	$(GO) test -count=1 -timeout 60m ./tests/sim -sim.seeds $$(($(IMAGES)/5)) -sim.seed $$(($(SEED)*100000)) -sim.ledger $(LEDGER)
	$(GO) test -count=1 -timeout 60m ./storetest -run 'TestPanics|TestSeeds' -panics $(PANICS) -seeds $(PANICS) -seed $(SEED)00000

rigs:             ## real power cuts, failing disks and full disks; root, Debian
	sh tests/fault/install.sh
	ACTORSTORE_ROOT_RIGS=1 $(GO) test -count=1 -timeout 60m ./tests/fault $(RIGFLAGS)

soak:             ## proof, over and over with new seeds, until interrupted
	@seed=$$(date +%s); while true; do seed=$$((seed+1)); $(MAKE) -s proof SEED=$$seed || exit 1; done

interop:          ## both ways against Apache RocketMQ; installs a JDK and Maven (Debian, root)
	sh tests/interop/install.sh
	ACTORSTORE_INTEROP=1 $(GO) test -count=1 -timeout 20m -parallel 4 ./tests/interop

bench:            ## beside a mutex log and Apache RocketMQ; a quiet machine, a JDK and Maven
	sh tests/interop/install.sh
	$(GO) run ./tests/bench
	$(GO) run ./tests/bench -recover -runs 3
	$(GO) test -run '^$$' -bench Scan -cpu 2 ./recoverer

clean:
	rm -rf bin tests/interop/java/target
