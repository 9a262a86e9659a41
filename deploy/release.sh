#!/usr/bin/env bash
# Builds what a release has into a folder: deploy/release.sh VERSION [OUT] [OS/ARCH...]
# By default for Linux and macOS on amd64 and arm64. An archive a system, with man pages,
# completions, licences and a list of modules (CycloneDX); .deb and .rpm for Linux; SHA256SUMS.
# The same commit and Go give the same archives.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?usage: deploy/release.sh VERSION [OUT] [OS/ARCH...]}
out=${2:-dist}
targets=("${@:3}")
[ ${#targets[@]} -gt 0 ] || targets=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64)
nfpm=${NFPM:-go run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} CGO_ENABLED=0
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
module=$(go list -m)
trap 'rm -rf "$work"' EXIT

echo "man pages and completions"
go build -trimpath -buildvcs=true -ldflags "-X $module/cmd/crawl/internal/version.release=$version" -o "$work/host" ./cmd/crawl
"$work/host" man "$work/share"
gzip -9n "$work"/share/man1/*.1

for target in "${targets[@]}"; do
  os=${target%/*} arch=${target#*/}
  echo "$os $arch"
  stage=$work/crawl-$version-$os-$arch
  mkdir -p "$stage"
  GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=true -ldflags "-s -w -X $module/cmd/crawl/internal/version.release=$version" -o "$stage/crawl" ./cmd/crawl
  cp -r "$work/share/man1" "$work/share/completions" README.md LICENSE THIRD-PARTY-NOTICES.txt CHANGELOG.md "$stage"
  go run ./deploy/sbom "$stage/crawl" "$version" >"$stage/sbom.cdx.json"
  if [ "$os" = linux ]; then
    mkdir -p "$stage/systemd"
    cp deploy/systemd/* "$stage/systemd"
  fi
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$work" -cf - "$(basename "$stage")" |
    gzip -9n >"$out/crawl-$version-$os-$arch.tar.gz"
  if [ "$os" = linux ]; then
    sed -e "s|\${VERSION}|$version|g; s|\${ARCH}|$arch|g; s|\${STAGE}|$stage|g" deploy/nfpm.yaml >"$work/nfpm.yaml"
    for kind in deb rpm; do
      $nfpm package --config "$work/nfpm.yaml" --packager $kind --target "$out"
    done
  fi
done
cd "$out"
sha256sum -- *.tar.gz $(ls -- *.deb *.rpm 2>/dev/null) >SHA256SUMS
ls -l
