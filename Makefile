# Everything here needs only Go, but for what is marked.
GO ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: all build test race lint cross fuzz mutation images proof rigs soak interop bench demo cover clean

all: build test

build:            ## the command line, in bin/
	$(GO) build -o bin/actorstore ./cmd/actorstore

demo:             ## messages through the pipeline, a kill -9, and all of them back
	$(GO) run ./cmd/actorstore demo

test:             ## the tests of all packages
	$(GO) test ./...

race:             ## the same and a tenth of the images, with the race detector and invariants
	$(GO) test -race -tags invariants $$($(GO) list ./... | grep -v /tests/crash)
	$(GO) test -race -tags invariants -timeout 20m ./tests/crash -images 2000 -recuts 200 -damage 60 -tails 40 -kills 50

lint:             ## vet, staticcheck, formatting
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt:"; gofmt -l $$(git ls-files '*.go'); exit 1; }

cross:            ## the other platforms compile, tests included
	GOOS=linux GOARCH=arm64 $(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=freebsd GOARCH=amd64 $(GO) vet ./...
	GOOS=windows GOARCH=amd64 $(GO) vet ./...

FUZZTIME ?= 30
fuzz:             ## every format for about FUZZTIME seconds
	@.ci/fuzz $(FUZZTIME)

ROOMS = ./commitlog/... ./consumequeue ./indexsvc ./dispatch ./flusher ./reader ./retention ./recoverer ./repair
cover:            ## statements of the core rooms that their own tests reach, in percent
	@out=$$(mktemp) && $(GO) test -count=1 -coverprofile=$$out -coverpkg=$$($(GO) list $(ROOMS) | grep -vE 'test|invariant' | paste -sd,) $(ROOMS) >$$out.log || { grep -v coverage: $$out.log; exit 1; }; \
	awk 'NR>1 {n[$$1]=$$2; hit[$$1]+=$$3} END {for (b in n) {r=b; sub("/[^/]*:.*", "", r); all[r]+=n[b]; if (hit[b]) met[r]+=n[b]} \
		for (r in all) printf "%5.1f %s\n", 100*met[r]/all[r], r}' $$out | sort -k2; rm -f $$out $$out.log

mutation:         ## planted bugs: the tests must find every one
	$(GO) run ./tests/mutation

IMAGES ?= 20000
CASES ?= 5000
PANICS ?= $(CASES)
# Each rig takes its seeds from a million times SEED on, so another SEED gives other
# cases throughout, as long as there are at most 4 million IMAGES, a million PANICS.
SEED ?= 1
LEDGER ?= $(CURDIR)/tests/ledger.csv
images:           ## crash images (IMAGES of SYNC_FLUSH power cuts), damage, kills, failing calls: what CI runs of the proof
	$(GO) test -count=1 -timeout 60m ./tests/crash -images $(IMAGES) -recuts $$(($(IMAGES)/10)) -damage $$(($(IMAGES)/4)) -tails $$(($(IMAGES)/4)) -kills $$(($(IMAGES)/20)) -seed $(SEED)000000 -ledger $(LEDGER)
	$(GO) test -count=1 -timeout 60m ./recoverer -run ManyDamages -damages $(IMAGES) -damages.seed $(SEED)000000
	$(GO) test -count=1 -timeout 60m ./tests/fault -run Sweep -fault.cases $(CASES) -fault.seed $(SEED) -fault.ledger $(LEDGER)

proof: images     ## that, simulated stores and dying actors
	$(GO) test -count=1 -timeout 60m ./tests/sim -sim.seeds $$(($(IMAGES)/5)) -sim.seed $(SEED)000000 -sim.ledger $(LEDGER)
	$(GO) test -count=1 -timeout 60m ./storetest -run 'TestPanics|TestSeeds' -panics $(PANICS) -seeds $(PANICS) -seed $(SEED)000000

rigs:             ## real power cuts, block images, failing and full disks, files cut short; root, Debian
	sh tests/fault/install.sh
	ACTORSTORE_ROOT_RIGS=1 $(GO) test -count=1 -timeout 60m -v ./tests/fault -run '^Test(PowerCut|BlockImages|RealFsyncgate|DiskFull|Truncated)$$' -fault.seed $(SEED) -fault.ledger $(LEDGER) $(RIGFLAGS)

# A round takes more than a second, so a soak that begins behind another one begins
# with a larger SEED than the other one has come to.
SOAKFUZZ ?= 10
soak:             ## proof, rigs (root, Linux) and fuzz, over and over with new seeds, until interrupted
	@rigs=rigs; if [ "$$(id -u)" != 0 ] || [ "$$(uname)" != Linux ]; then rigs=; fi; \
	seed=$$(date +%s); while true; do seed=$$((seed+1)); \
		[ -n "$$rigs" ] || printf '\n*** NOT ROOT ON LINUX: this soak leaves out power cuts, block images,\n*** failing writeback, full disks and truncated files (make rigs)\n\n' >&2; \
		echo "soak: SEED=$$seed"; \
		$(MAKE) -s proof $$rigs SEED=$$seed && $(MAKE) -s fuzz FUZZTIME=$(SOAKFUZZ) || exit 1; \
	done

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
