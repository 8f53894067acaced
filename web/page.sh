#!/usr/bin/env bash
# Makes the page, web/dist/lodestone.html: one file with everything in it. Needs Node and
# web/dist/lodestone.wasm.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v node >/dev/null; then
    echo "web/page.sh: Node is not installed; without it there is no page" >&2
    exit 1
fi
node pack.mjs
