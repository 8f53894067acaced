#!/usr/bin/env bash
# Builds the programs for Windows, and runs their library tests and the tests for every system under
# Wine. Needs the target x86_64-pc-windows-gnu, mingw and wine64.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=x86_64-pc-windows-gnu
work=$(mktemp -d)
wine=/usr/lib/wine/wine64
# A new folder for Wine, without its messages and without a debugger after a crash.
export WINEPREFIX=$work/prefix WINEDEBUG=-all WINEDLLOVERRIDES="winedbg.exe=d;mscoree=d;mshtml=d"
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$wine
# The build takes longer than the tests. Only the engine is optimised, below, in programs and in tests.
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0
export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_TEST_OPT_LEVEL=0
# The processes of this Wine whose names match the pattern.
processes() {
    for process in $(grep -lzF "WINEPREFIX=$WINEPREFIX" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
        [[ $(cat "/proc/$process/comm" 2>/dev/null) == $1 ]] && echo "$process"
    done
    return 0
}
# A process of Wine that is killed while it starts can wait for ever, with our output open.
end_wine() {
    /usr/lib/wine/wineserver64 -k || true
    for process in $(processes 'wine*') $(processes '*.exe'); do
        kill -9 "$process" || true
    done
    rm -rf "$work"
}
trap end_wine EXIT

started=$SECONDS
# A fault of a program fails twice. Wine itself fails, or waits for ever, now and then on a busy
# machine.
twice() { timeout -k 10 1200 "$@" || { echo "-- once more"; timeout -k 10 1200 "$@"; }; }
took() { echo "-- $1: $((SECONDS - started)) s"; started=$SECONDS; }

"$wine" wineboot --init >/dev/null 2>&1
# Programs of Rust take random numbers from a library that Wine has only from 9.0 on.
if [ ! -e "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" ]; then
    cat >"$work/bcryptprimitives.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
    return SystemFunction036(data, (ULONG)size);
}
C
    x86_64-w64-mingw32-gcc -shared -O2 \
        -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$work/bcryptprimitives.c" -ladvapi32
fi
took "a folder for Wine"

# Always all packages, so that the features of their dependencies stay the same.
all=(--target $target -p lodestone-game -p lodestone-engine -p lodestone-solver -p referee-core -p referee -p fuzz)
for package in lodestone-game lodestone-engine lodestone-solver; do
    all+=(--config profile.dev.package.$package.opt-level=1 --config profile.test.package.$package.opt-level=1)
done
cargo build "${all[@]}" --example zoo
cargo test "${all[@]}" --lib --test every_system --no-run
took "build"
twice cargo test "${all[@]}" --lib
echo "-- not run: fitting, which has no library, and fuzz/tests/corpus.rs, whose targets need pipes of Unix"
took "library tests"
twice cargo test "${all[@]}" --test every_system -- --test-threads 4
# An engine that starts children must not leave one.
for _ in $(seq 60); do
    left=$(processes zoo.exe)
    [ -n "$left" ] || break
    sleep 1
done
[ -z "$left" ] || { echo "FAILED: processes of the zoo survived: $left"; exit 1; }
took "real processes"
