#!/usr/bin/env bash
# Packs the crates that are published, and installs the programs from the packed crates alone, with an empty
# home; then plays a match and opens the window.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}

# In the order in which they need each other. A new one belongs here and into RELEASING.md.
crates="lodestone-game lodestone-engine lodestone-solver referee-statistics referee-core referee referee-rules referee-chess referee-serve"
published=$(cargo metadata --no-deps --format-version 1 | grep -o '"publish":null' | wc -l)
[ "$published" = "$(wc -w <<<"$crates")" ] || fail "$published crates are published, but this script has: $crates"
# shellcheck disable=SC2086
cargo package --quiet --allow-dirty --no-verify --target-dir "$work/packed" $(printf -- '-p %s ' $crates)

mkdir "$work/home" "$work/empty"
for crate in $crates; do
    tar -xzf "$work/packed/package/$crate"-[0-9]*.crate -C "$work"
    # Each takes the others from here, as the registry does not have them yet.
    path=$(echo "$work/$crate"-[0-9]*)
    printf '[patch.crates-io.%s]\npath = "%s"\n' "$crate" "$path" >>"$work/home/config.toml"
done
apart() {
    (cd "$work/empty" && exec env -i HOME="$work/home" CARGO_HOME="$work/home" CARGO_TARGET_DIR="$work/target" \
        RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" PATH="$work/home/bin:$PATH" "$@")
}
for crate in lodestone-engine lodestone-solver referee referee-chess referee-serve; do
    apart cargo install --quiet --path "$work/$crate"-[0-9]*
done
for program in lodestone lodestone-solver referee referee-chess referee-serve; do
    [ "$(apart which $program)" = "$work/home/bin/$program" ] || fail "$program is not installed"
done
apart referee match lodestone random --games 2 --each st=0.1 timemargin=5000 --openings random:2 --quiet \
    --strict
apart timeout -s INT 10 referee serve >"$work/address" || [ $? = 124 ] || fail "referee serve does not run"
grep -q '^http://127.0.0.1:.*/?key=' "$work/address" || fail "referee serve prints $(cat "$work/address")"
echo "installed from packed crates: $(apart referee --version)"
