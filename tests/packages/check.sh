#!/usr/bin/env bash
# Makes the files of a release, looks into each, installs the Debian package in a clean root and a wheel
# in an empty environment, plays there, and removes them without a trace.
#   check.sh [PROFILE]   `dev` by default, which compiles fastest; `built` takes the files that
#                        scripts/dist has made
# The clean root needs root and debootstrap; as root on Debian, it installs what is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."

step() { printf -- '-- %s (%s s)\n' "$*" "$SECONDS"; }
fail() {
    echo "FAILED: $*"
    exit 1
}
# A file $1 must contain the text $2.
has() { grep -qF -- "$2" "$1" || fail "$1 lacks: $2"; }

for tool in x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64 zip:zip unzip:unzip xz:xz-utils \
    file:file qemu-aarch64-static:qemu-user-static debootstrap:debootstrap; do
    command -v "${tool%%:*}" >/dev/null || missing+=" ${tool##*:}"
done
if [ -n "${missing:-}" ]; then
    # shellcheck disable=SC2086
    (apt-get update && apt-get install -y --no-install-recommends $missing) >/dev/null 2>&1 || true
fi
for tool in x86_64-w64-mingw32-gcc zip unzip xz file; do
    command -v $tool >/dev/null && continue
    echo "SKIPPED: $tool is not installed and cannot be installed"
    exit 0
done
if ! rustup target add x86_64-unknown-linux-musl x86_64-pc-windows-gnu >/dev/null 2>&1; then
    echo "SKIPPED: the standard library for musl or Windows is not installed and cannot be downloaded"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

dist=$PWD/target/release-files
if [ "${1:-}" = built ]; then
    [ -s "$dist/SHA256SUMS" ] || fail "no files in $dist; run scripts/dist first"
else
    # The profile `dev` compiles fastest without optimisation, and packs fastest without symbols.
    CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_STRIP=true scripts/dist --profile "${1:-dev}"
fi

step "the contents"
(cd "$dist" && sha256sum --quiet -c SHA256SUMS)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
name=lodestone-$version
deb=$dist/lodestone_$version-1_amd64.deb
tar -xzf "$dist/$name-x86_64-linux.tar.gz" -C "$work"
unzip -q "$dist/$name-x86_64-windows.zip" -d "$work"
dpkg-deb -c "$deb" >"$work/deb"
linux=$work/$name-x86_64-linux
windows=$work/$name-x86_64-windows
for program in lodestone lodestone-solver referee referee-chess referee-serve; do
    LC_ALL=C ldd "$linux/$program" 2>&1 | grep -qE 'statically linked|not a dynamic' || fail "$program is not static"
    "$linux/$program" --version | tee "$work/version"
    # The server calls itself `referee`.
    has "$work/version" "${program%-serve} $version"
    [ "$program" = referee-chess ] || has "$work/version" "($(git rev-parse HEAD | cut -c1-12), x86_64-unknown-linux-musl)"
    for file in "$linux/$program" "$windows/$program.exe"; do
        ! grep -qaF -e "$PWD" -e "$HOME/.cargo" "$file" || fail "$file has a path of this machine"
    done
    [ "$(head -c 2 "$windows/$program.exe")" = MZ ] || fail "$program.exe is no program for Windows"
    has "$work/deb" " ./usr/bin/$program"
    [[ $program != @(lodestone-solver|referee-chess) ]] || continue
    has "$linux/man/$program.1" ".TH $program 1"
    [ "$program" != referee-serve ] || continue
    bash -n "$linux/completions/$program.bash"
    for path in ./usr/share/man/man1/$program.1.gz \
        ./usr/share/bash-completion/completions/$program ./usr/share/zsh/vendor-completions/_$program \
        ./usr/share/fish/vendor_completions.d/$program.fish; do
        has "$work/deb" " $path"
    done
done
for folder in "$linux" "$windows"; do
    for file in README.md LICENSE-MIT LICENSE-APACHE LIBRARIES.txt manual/index.html manual/your-bot.html; do
        [ -s "$folder/$file" ] || fail "$folder/$file is missing"
    done
    # Each crate in the programs has its licence there, and is in the bill of materials.
    for package in referee-chess referee-serve; do
        cargo tree --locked -p $package -e normal --target x86_64-unknown-linux-musl --prefix none --format '{p}' |
            cut -d' ' -f1 | sort -u >"$work/crates"
        while read -r crate; do
            has "$dist/$package-$version.cdx.json" "\"name\": \"$crate\""
            [[ $crate == @(referee*|lodestone-engine|lodestone-game) ]] || has "$folder/LIBRARIES.txt" "==== $crate v"
        done <"$work/crates"
    done
done
has "$work/deb" ./usr/share/doc/lodestone/html/index.html
for file in copyright changelog.gz changelog.Debian.gz; do
    has "$work/deb" ./usr/share/doc/lodestone/$file
done
echo "$(wc -l <"$work/crates") crates in the programs"
tar -tzf "$dist/$name-source.tar.gz" >"$work/source"
for file in Cargo.lock build.rs referee/src/main.rs game/.cargo_vcs_info.json; do
    has "$work/source" "$name/$file"
done

step "the wheels"
# uv knows which names every system accepts, twine what a package index asks for.
tools=$work/tools/bin
if ! python3 -m venv "$work/tools" || ! "$tools/pip" install --quiet uv twine; then
    echo "SKIPPED: python3 has no venv, or uv and twine cannot be downloaded"
    tools=""
fi
shopt -s nullglob
for wheel in "$dist"/*.whl; do
    platform=$(basename "$wheel" .whl | cut -d- -f5)
    echo "$platform"
    # The systems that accept the wheel, and what its programs are.
    case $platform in
    manylinux*x86_64) uv="x86_64-manylinux_2_17 x86_64-unknown-linux-musl" kind='ELF 64-bit .*, x86-64.*, static' ;;
    manylinux*aarch64) uv="aarch64-manylinux_2_17 aarch64-unknown-linux-musl" kind='ELF 64-bit .*, ARM aarch64.*, static' ;;
    win_amd64) uv=x86_64-pc-windows-msvc kind='PE32+ executable (console) x86-64' ;;
    macosx_11_0_x86_64) uv=x86_64-apple-darwin kind='Mach-O 64-bit x86_64 executable' ;;
    macosx_11_0_arm64) uv=aarch64-apple-darwin kind='Mach-O 64-bit arm64 executable' ;;
    *) fail "an unknown platform: $wheel" ;;
    esac
    if [ -n "$tools" ]; then
        for system in $uv; do
            "$tools/uv" pip install --quiet --offline --dry-run --python-platform "$system" --target "$work/x" "$wheel"
        done
        "$tools/twine" check --strict "$wheel" >"$work/twine" || fail "$(cat "$work/twine")"
    fi
    folder=$work/$platform
    unzip -q "$wheel" -d "$folder"
    info=$folder/referee-$version.dist-info
    for file in LICENSE-MIT LICENSE-APACHE LIBRARIES.txt; do
        [ -s "$info/licenses/$file" ] || fail "$wheel lacks $file"
        has "$info/METADATA" "License-File: $file"
    done
    [ -e "$folder/referee/py.typed" ] || fail "$wheel lacks py.typed"
    data=$folder/referee-$version.data
    for program in lodestone lodestone-solver referee referee-chess referee-serve; do
        path=$data/scripts/$program
        [ "$platform" != win_amd64 ] || path+=.exe
        file -b "$path" | grep -q "$kind" || fail "$path: $(file -b "$path")"
        ! grep -qaF -e "$PWD" -e "$HOME/.cargo" "$path" || fail "$path has a path of this machine"
        [[ $platform != macosx* ]] || tests/packages/macho.py "$path"
        [ "$platform" != win_amd64 ] && [[ $program == @(lodestone|referee) ]] || continue
        for path in man/man1/$program.1 bash-completion/completions/$program zsh/site-functions/_$program \
            fish/vendor_completions.d/$program.fish; do
            [ -s "$data/data/share/$path" ] || fail "$wheel lacks $path"
        done
    done
done
native=$(echo "$dist"/*-manylinux*x86_64.whl)
[ -z "$native" ] || tests/packages/wheel.sh "$native"

step "the programs for aarch64, under QEMU"
arm=$dist/$name-aarch64-linux.tar.gz
if [ ! -e "$arm" ] || ! command -v qemu-aarch64-static >/dev/null; then
    echo "SKIPPED: scripts/dist has not made them, or qemu-user-static cannot be installed"
else
    tar -xzf "$arm" -C "$work"
    arm=$work/$name-aarch64-linux
    for program in lodestone referee; do
        qemu-aarch64-static "$arm/$program" --version | tee "$work/version"
        has "$work/version" "$program $version ("
    done
    searched() { "$@" bench 2>&1 | grep '^Nodes searched'; }
    [ "$(searched qemu-aarch64-static "$arm/lodestone")" = "$(searched "$linux/lodestone")" ] || fail "bench differs"
    # QEMU lacks a call with which the referee starts engines, so the other processor's referee runs the match.
    "$linux/referee" match --engine cmd=qemu-aarch64-static args="$arm/lodestone" --engine cmd=random \
        --each st=0.1 timemargin=5000 --games 2 --openings random:2 --quiet --strict --out "$work/arm.jsonl"
    cmp <(qemu-aarch64-static "$arm/referee" report "$work/arm.jsonl") <("$linux/referee" report "$work/arm.jsonl")
fi

step "the package for npm"
for package in "$dist"/*.tgz; do
    tar -xzf "$package" -C "$work"
    for file in index.js index.d.ts lodestone.wasm LIBRARIES.txt; do
        [ -s "$work/package/$file" ] || fail "$package lacks $file"
    done
    has "$work/package/package.json" "\"version\": \"$version\""
    ! grep -qaF -e "$PWD" -e "$HOME/.cargo" "$work/package/lodestone.wasm" || fail "$package has a path of this machine"
done

step "a clean root"
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "SKIPPED: a clean root needs root and debootstrap"
    exit 0
fi
root=$work/root
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
if ! debootstrap --variant=minbase "$codename" "$root" >"$work/debootstrap.log" 2>&1; then
    tail -3 "$work/debootstrap.log"
    echo "SKIPPED: debootstrap cannot make a root here"
    exit 0
fi
# A process list of its own, which ends with all its processes.
inside() { unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" "$@"; }
if ! inside true; then
    echo "SKIPPED: this container does not allow a root of its own"
    exit 0
fi
# Every file with its kind, mode, owner, target and size; the log and the backup of dpkg are left out.
list() {
    (cd "$root" && find . -path ./proc -prune -o ! -path ./var/log/dpkg.log ! -path './var/lib/dpkg/*-old' \
        -printf '%y %m %U:%G %p %l ' -a \( -type f -printf '%s' -o -true \) -printf '\n' | sort)
    sha256sum "$root/var/lib/dpkg/status"
}
list >"$work/before"
step "install, play as root and as nobody, remove"
cp "$deb" "$root/package.deb"
inside dpkg -i /package.deb
rm "$root/package.deb"
inside lodestone --version
for user in 0 65534; do
    # The margin is for a busy machine: this match checks that the programs work.
    inside setpriv --reuid=$user --regid=$user --clear-groups \
        referee match lodestone random --games 2 --each st=0.1 timemargin=5000 --openings random:2 \
        --out "/tmp/games-$user.jsonl" --quiet --strict
    has "$root/tmp/games-$user.jsonl" '"id":2,'
    inside referee report "/tmp/games-$user.jsonl" >/dev/null
    rm "$root/tmp/games-$user.jsonl"
done
list >"$work/installed"
inside dpkg --purge lodestone
list >"$work/after"
diff "$work/before" "$work/after" || fail "the removed package left something"
echo "$(diff "$work/before" "$work/installed" | grep -c '^>') files and folders were installed and removed"
step "done"
