#!/bin/sh
# debiandocs.sh fetches manuals that Debian carries as HTML and unpacks them, one
# folder a manual, so that the gate can be tried on pages that nobody here chose:
#
#	bench/debiandocs.sh ../debiandocs
#	GATECRAWL_DEBIANDOCS=../debiandocs go test -run TestDebianDocs -v .
#	crawl eval ../debiandocs/python3.11-doc --methods gate
#
# It needs apt-get and dpkg-deb, no root, and some 15 MB from a mirror of Debian.
# Nothing is installed. Packages besides the three may be named behind the folder.
set -eu

dir=${1:?usage: debiandocs.sh FOLDER [PACKAGE...]}
shift
[ $# -gt 0 ] || set -- python3-doc sqlite3-doc python-django-doc
for tool in apt-get apt-cache dpkg-deb; do
	command -v "$tool" >/dev/null || { echo "debiandocs.sh: no $tool here: run it on Debian or Ubuntu" >&2; exit 1; }
done
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"

# unpack fetches a package into tree, and finds its HTML: a link to usr/share or what lies there itself. The
# folder that is highest and has an index.html is its root.
unpack() {
	rm -rf ./*.deb tree
	apt-get -q download "$1"
	mkdir tree
	dpkg-deb -x ./*.deb tree
	index=$(find tree/usr/share -name index.html ! -type d | awk '{ print gsub("/", "/"), $0 }' | sort -n | head -n 1 | cut -d ' ' -f 2-)
}

for package; do
	unpack "$package"
	if [ -z "$index" ]; then # python3-doc holds nothing but a dependency on the version of today
		of=$(apt-cache depends "$package" | sed -n 's/^ *Depends: \(.*-doc\)$/\1/p' | head -n 1)
		[ -z "$of" ] || { package=$of && unpack "$package"; }
	fi
	[ -n "$index" ] || { echo "debiandocs.sh: $package has no index.html" >&2; exit 1; }
	rm -rf "${dir:?}/$package"
	cp -RL "$(dirname "$index")" "$dir/$package" 2>/dev/null || true # links to packages that are not here
	rm -rf tree
	echo "$package: $(find "$dir/$package" -name '*.html' | wc -l) pages in $dir/$package"
done
