#!/usr/bin/env bash
# peers.sh runs wget2, the programs on colly's queue, the bare loop and gatecrawl in turn on
# the same pages, and prints the median of each and gatecrawl's ratios to them:
#
#	bench/peers.sh                  # 3 rounds, 16 hosts of 2,000 pages
#	ROUNDS=5 PAGES=500 bench/peers.sh
#
# The pages are served by a process of its own on the same machine. A ratio is of one round,
# and the median of these is printed, since a machine's speed changes from round to round.
# CPU is that of the crawler alone, for 1,000 pages. It needs Go, and for wget2 Debian's
# package; without that it is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${ROUNDS:-3} pages=${PAGES:-2000} hosts=16
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go test -c -o "$work/crawl.test" .

# ours NAME BENCHMARK runs a program of BenchmarkCrawl, which has a server process of its own.
ours() {
	GATECRAWL_BENCH_PAGES=$pages "$work/crawl.test" -test.run '^$' -test.benchtime 1x -test.bench "^BenchmarkCrawl\$/^$2$hosts" |
		awk -v name="$1" '/^BenchmarkCrawl\// {
			for (i = 2; i < NF; i++) { if ($(i+1) == "pages/s") s = $i; if ($(i+1) == "cpu-s/1000pages") c = $i; if ($(i+1) == "pages") n = $i }
			print name, s, c, n }'
}

# wget saves what wget2 finds below the seeds, with 64 connections. It follows links alone: it
# would wait for the name of a host that a theme names in <link rel=profile>.
wget() {
	mkfifo "$work/in"
	GATECRAWL_SERVE_HOSTS=$hosts GATECRAWL_SERVE_PAGES=$pages "$work/crawl.test" <"$work/in" >"$work/seeds" &
	local server=$!
	exec 3>"$work/in"
	until grep -q '^$' "$work/seeds" 2>/dev/null; do sleep .1; done
	local domains; domains=$(sed -n 's#^[a-z]*://\([^/:]*\).*#\1#p' "$work/seeds" | sort -u | paste -sd,)
	local TIMEFORMAT='%R %U %S'
	{ time wget2 -q --no-config --recursive --level=inf --max-threads=64 --robots=on --span-hosts --domains="$domains" \
		--follow-tags=a/href --dns-timeout=1 --tries=1 --input-file="$work/seeds" --directory-prefix="$work/saved" >/dev/null 2>"$work/wget.err" || true; } 2>"$work/time"
	awk -v n="$(find "$work/saved" -type f | wc -l)" 'NF == 3 { printf "wget2 %.0f %.4f %d\n", n / $1, ($2 + $3) * 1000 / n, n }' "$work/time"
	exec 3>&-
	wait "$server"
	rm -rf "$work/in" "$work/saved" "$work/seeds"
}

for round in $(seq "$rounds"); do
	{
		command -v wget2 >/dev/null && wget
		ours 'bare loop' BareHTTP
		ours gatecrawl Gatecrawl
		ours 'colly queue program' CollyQueue
		ours 'colly queue program, own set' CollyQueueOwnSet
	} | sed "s/^/$round /" | tee -a "$work/all" >&2
done
command -v wget2 >/dev/null || echo "peers.sh: no wget2 here: apt-get install wget2" >&2

awk '
	function median(list, n,    i, j, x) {
		for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j] < list[j-1]; j--) { x = list[j]; list[j] = list[j-1]; list[j-1] = x }
		return n % 2 ? list[(n+1)/2] : (list[n/2] + list[n/2+1]) / 2
	}
	{
		name = $2; for (i = 3; i <= NF - 3; i++) name = name " " $i
		if (!(name in known)) { known[name] = 1; names[++count] = name }
		speed[name, $1] = $(NF-2); cost[name, $1] = $(NF-1); found[name, $1] = $NF; rounds = $1 > rounds ? $1 : rounds
	}
	END {
		print "| | pages/s | CPU s / 1,000 pages | pages | gatecrawl: pages/s as a multiple | CPU as a multiple |"
		print "| --- | --- | --- | --- | --- | --- |"
		for (k = 1; k <= count; k++) {
			name = names[k]; n = 0
			for (r = 1; r <= rounds; r++) if ((name, r) in speed && speed[name, r] > 0) {
				n++; s[n] = speed[name, r]; c[n] = cost[name, r]; p[n] = found[name, r]
				x[n] = speed["gatecrawl", r] / s[n]; y[n] = cost["gatecrawl", r] / c[n]
			}
			if (n) printf "| %s | %.0f | %.3f | %d | %.2f | %.2f |\n", name, median(s, n), median(c, n), median(p, n), median(x, n), median(y, n)
		}
	}' "$work/all"
