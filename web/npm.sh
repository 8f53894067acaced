#!/usr/bin/env bash
# Makes web/dist/lodestone-engine-VERSION.tgz, the engine as a package for npm.
#   web/npm.sh [FILE…]     FILE is packed, too: LIBRARIES.txt with the licences of the libraries
# Needs npm and web/dist/lodestone.wasm.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# cargo makes the module executable.
install -m 644 web/package/* web/engine-worker.js web/dist/lodestone.wasm protocol.md LICENSE-* "$@" "$folder"
(cd "$folder" && npm pkg set "version=$version")
npm pack --silent --pack-destination web/dist "$folder"
