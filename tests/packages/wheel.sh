#!/usr/bin/env bash
# Installs a wheel in an empty environment, plays there, and removes it without a trace; then the same
# programs through pipx and uv.
#   wheel.sh WHEEL [PYTHON]     PYTHON is `python3` by default
set -euo pipefail
manual=$(realpath "$(dirname "$0")/../../docs/python.md")
wheel=$(realpath "$1")
python=${2:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/games"

fail() {
    echo "FAILED: $*"
    exit 1
}
# Runs a command with an empty home, and nothing of this machine but the system's programs.
apart() {
    (cd "$work/games" && exec env -i HOME="$work/home" PATH="$work/venv/bin:/usr/bin:/bin" LANG=C.UTF-8 \
        PYTHONDONTWRITEBYTECODE=1 "$@")
}
# Without folders: pip leaves empty ones.
list() { (cd "$work/venv" && find . ! -type d | sort); }

"$python" -m venv "$work/venv"
list >"$work/before"
apart pip install --quiet --no-index "$wheel"
list >"$work/installed"
grep -q share/man/man1/referee.1 "$work/installed" || fail "the man pages are missing"
version=$(basename "$wheel" | cut -d- -f2)
for program in lodestone lodestone-solver referee; do
    [ "$(apart which $program)" = "$work/venv/bin/$program" ] || fail "$program is not in the environment"
    apart $program --version | tee "$work/version"
    grep -q "^$program $version" "$work/version" || fail "$program is not version $version"
done
# The module finds the programs of its environment, also if that is not on the path.
apart PATH=/usr/bin:/bin "$work/venv/bin/python" -c 'import referee; referee.Engine("lodestone").quit()'
apart PATH=/usr/bin:/bin "$work/venv/bin/python" -m referee --version | grep -q "^referee $version" ||
    fail "python -m referee does not run the program"
# The commands of the manual: a bot of ten lines and a game of one's own, with their matches and pages.
sed -n '/^```sh$/,/^```$/{/^```/!p}; /^```console/,/^```$/s/^\$ //p' "$manual" >"$work/session"
apart sh -e "$work/session" >"$work/output" 2>&1 || fail "$(cat "$work/output")"
grep -q '</html>' "$work/games/sticks.html" || fail "the page is not complete"
# The margin is for a busy machine: these matches check that the programs work.
game=(--games 2 --each st=0.1 timemargin=5000 --openings random:2 --quiet --strict)
apart referee match squares lodestone "${game[@]}" --out players.jsonl
apart referee new-bot python bot >/dev/null
apart referee match bot random "${game[@]}" --out bot.jsonl
apart referee report players.jsonl bot.jsonl --html page.html >/dev/null
grep -q '</html>' "$work/games/page.html" || fail "the page is not complete"
# It serves until it is interrupted.
apart timeout -s INT 10 referee serve >"$work/address" || [ $? = 124 ] || fail "referee serve does not run"
grep -q '^http://127.0.0.1:.*/?key=' "$work/address" || fail "referee serve prints $(cat "$work/address")"
apart pip uninstall --quiet --yes referee
list | diff "$work/before" - || fail "the removed wheel left something"
[ -z "$(ls -A "$work/home")" ] || fail "files in the home of the user"
echo "$(diff "$work/before" "$work/installed" | grep -c '^>') files were installed and removed"

# Both need no index for a wheel without dependencies.
if python3 -m venv "$work/tools" && "$work/tools/bin/pip" install --quiet pipx uv; then
    apart PIP_NO_INDEX=1 "$work/tools/bin/pipx" install --quiet "$wheel"
    apart "$work/home/.local/bin/referee" --version
    apart PIP_NO_INDEX=1 "$work/tools/bin/pipx" run --spec "$wheel" referee --version
    apart "$work/tools/bin/uvx" --offline --from "$wheel" referee --version
else
    echo "SKIPPED: pipx and uv cannot be downloaded"
fi
