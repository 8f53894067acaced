#!/usr/bin/env bash
# Builds web/dist/: lodestone.wasm, and the page if web/pack.mjs is there.
#
# Needs Rust with the target wasm32-wasip1 (`rustup target add wasm32-wasip1`). `wasm-opt` of
# the package binaryen makes the module smaller; without it the module works as well.
set -euo pipefail
cd "$(dirname "$0")/.."
target=wasm32-wasip1

if ! rustup target list --installed 2>/dev/null | grep -qx "$target" && ! rustup target add "$target"; then
    echo "web/build.sh: the target $target is not installed: rustup target add $target" >&2
    exit 1
fi
# The evaluation of Magnetic Cave needs SIMD; browsers have had it since 2023.
RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+simd128" \
    cargo build -p lodestone-engine --bin lodestone --profile web --target "$target"
mkdir -p web/dist
built=${CARGO_TARGET_DIR:-target}/$target/web/lodestone.wasm
if command -v wasm-opt >/dev/null; then
    # The features that the compiler uses.
    wasm-opt -O3 --enable-simd --enable-bulk-memory --enable-mutable-globals --enable-sign-ext \
        --enable-nontrapping-float-to-int "$built" -o web/dist/lodestone.wasm
else
    echo "web/build.sh: wasm-opt (binaryen) is not installed: the module is larger than it could be" >&2
    cp "$built" web/dist/lodestone.wasm
fi
size=$(gzip -9c web/dist/lodestone.wasm | wc -c)
echo "lodestone.wasm: $(wc -c <web/dist/lodestone.wasm) bytes, $size compressed"
if [ "$size" -gt $((700 * 1000)) ]; then
    echo "web/build.sh: more than 700 kB compressed" >&2
    exit 1
fi
if [ ! -e web/pack.mjs ]; then
    exit
elif command -v node >/dev/null; then
    node web/pack.mjs
else
    echo "web/build.sh: no page, because Node is not installed" >&2
fi
