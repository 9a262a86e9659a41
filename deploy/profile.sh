#!/usr/bin/env bash
# Makes deploy/crawl.pgo anew, the profile by which releases are compiled (go help build, -pgo):
# what a crawl of BenchmarkCrawl's web spends its time on. docs/measurements.md says what it saves.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go test -c -trimpath -o "$work/crawl.test" .
GODEBUG=asyncpreemptoff=1 GATECRAWL_BENCH_PAGES=${PAGES:-900} "$work/crawl.test" -test.run '^$' -test.bench '^BenchmarkCrawl$/^Gatecrawl' \
	-test.benchtime 1x -test.cpuprofile "$work/profile"
mv "$work/profile" deploy/crawl.pgo
