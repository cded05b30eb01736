#!/usr/bin/env bash
# Puts estimator on the path of the steps that follow.
#
#   install.sh FOLDER
#
# One that is on the path already is taken, unless VERSION names a release. A release of REPOSITORY (https://github.com/OWNER/NAME) is
# downloaded into FOLDER and held against its SHA-256; where there is none for this machine, or VERSION is empty, SOURCE is built, a
# folder with this program's source, without what measuring needs.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: install.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)

taken() {
  echo "$1"
  [ -z "${GITHUB_PATH:-}" ] || printf '%s\n' "$folder" >>"$GITHUB_PATH"
  exit 0
}

if [ -z "${VERSION:-}" ] && command -v estimator >/dev/null; then
  echo "estimator is on the path: $(estimator --version)"
  exit 0
fi

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-gnu ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  *) target= ;;
esac

if [ -n "${VERSION:-}" ] && [ -n "$target" ]; then
  archive=estimator-$target.tgz
  from=${REPOSITORY:?say which repository has the release}/releases/download/v${VERSION#v}
  status=0
  code=$(curl --fail --silent --show-error --location --retry 3 --write-out '%{http_code}' --output "$folder/$archive" "$from/$archive") || status=$?
  # Only where there is none another revision's fees may take the place of those that were asked for.
  [ "$status" -eq 0 ] || [ "$code" = 404 ] || { echo "$from/$archive cannot be had (curl: $status, HTTP: ${code:-none})" >&2; exit 1; }
  if [ "$status" -eq 0 ]; then
    # What cannot be held against its checksum is not run, and is no reason to go on with something else.
    curl --fail --silent --show-error --location --retry 3 --output "$folder/$archive.sha256" "$from/$archive.sha256"
    # A last line without its end is a line.
    read -r expected _ <"$folder/$archive.sha256" || true
    [ -n "$expected" ] || { echo "$archive.sha256 holds no checksum" >&2; exit 1; }
    found=$( (sha256sum "$folder/$archive" 2>/dev/null || shasum -a 256 "$folder/$archive") | cut -d ' ' -f 1)
    [ "$expected" = "$found" ] || { echo "$archive has the SHA-256 $found, and $expected is expected" >&2; exit 1; }
    # In a folder of its own or not, it is the file of that name.
    unpacked=$(mktemp -d "$folder/unpacked.XXXXXX")
    tar -xzf "$folder/$archive" -C "$unpacked"
    binary=$(find "$unpacked" -type f -name estimator | head -n 1)
    [ -n "$binary" ] || { echo "$archive holds no estimator" >&2; exit 1; }
    mv "$binary" "$folder/estimator"
    chmod +x "$folder/estimator"
    taken "installed $("$folder/estimator" --version) from $from"
  fi
  echo "no release for $target at $from: building it" >&2
fi

cargo install --locked --quiet --no-default-features --path "${SOURCE:?say where the source is}" --root "$folder/built"
mv "$folder/built/bin/estimator" "$folder/estimator"
taken "built $("$folder/estimator" --version)"
