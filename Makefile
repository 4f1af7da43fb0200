# make build   bin/flightsrv
# make demo    serves the demo tables, runs three queries through real clients, prints answers and what was read
# make test    every test; ends with "N passed, N failed"
# make bench   compares lanceio with pylance on tables that it makes, and writes bench/RESULTS.md; takes some minutes
# make lint    vet and golangci-lint
GO ?= go
TAGS = duckdb_arrow
GOLANGCI = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
export CGO_ENABLED = 1

.PHONY: build demo test bench lint setup fmt clean

build:
	$(GO) build -tags $(TAGS) -ldflags "-X main.version=$(VERSION)" -o bin/flightsrv ./cmd/flightsrv

setup:
	integration/setup.sh

demo: build setup
	.venv/bin/python integration/demo.py

# -race on all; the integration tests start bin/flightsrv and real clients.
test: build setup
	set -o pipefail; $(GO) test -json -race -tags $(TAGS),assert,integration -timeout 20m ./... | $(GO) run ./internal/testsum

bench: setup
	$(GO) build -trimpath -tags $(TAGS) -o bin/bench ./bench
	.venv/bin/python bench/run.py --write

lint:
	$(GO) vet -tags $(TAGS),integration ./...
	$(GO) run $(GOLANGCI) run --build-tags $(TAGS),integration ./...

fmt:
	gofmt -w $$(git ls-files '*.go')

clean:
	rm -rf bin .venv .cache

SHELL = /bin/bash
