#!/usr/bin/env bash
# Runs the commands of docs/chess.md with stockfish, fairy-stockfish, python-chess and pyffish, and
# checks their results.
#   engines.sh FOLDER   with the program `referee` of this build in FOLDER
# Installs what is missing where it may, and says SKIPPED where it cannot.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR
export PATH="$work/venv/bin:$build:$PATH:/usr/games" PYTHONDONTWRITEBYTECODE=1

has() { command -v stockfish >/dev/null && command -v fairy-stockfish >/dev/null; }
has || (apt-get update && apt-get install -y --no-install-recommends stockfish fairy-stockfish) >/dev/null 2>&1 || true
has || { echo "SKIPPED: stockfish and fairy-stockfish are not installed and cannot be installed"; exit 0; }
if ! python3 -m venv "$work/venv" || ! pip install --quiet chess pyffish; then
    echo "SKIPPED: python3 has no venv, or chess and pyffish cannot be downloaded"
    exit 0
fi

# The rules and their options end games, faults of engines do not.
no_fault() {
    if grep '"reason"' "$1" | grep -vE '"reason":"(rules|adjudicated)"'; then
        echo "FAILED: an engine lost a game by a fault"
        exit 1
    fi
}

# python-chess plays all moves of a PGN file.
check_pgn() {
    "$work/venv/bin/python3" - "$1" <<'EOF_PY'
import sys
import chess.pgn

with open(sys.argv[1]) as file:
    games = list(iter(lambda: chess.pgn.read_game(file), None))
assert games and not any(game.errors for game in games)
assert all(game.end().ply() - game.ply() == int(game.headers["PlyCount"]) for game in games)
print(f"{len(games)} games as PGN")
EOF_PY
}

# The blocks of the chapter, in a folder as its reader has it. The first is a session: its commands
# begin with `$ `.
sed -n '/^```.* elsewhere$/,/^```$/{/^```/!p}' docs/chess.md | sed -n 's/^\$ //; /^python_chess and/d; p' >"$work/commands"
cp -RL examples "$work"
cd "$work"

# The first match is killed once, and resumed by its own command.
sed '/^referee match --engine/,$d' commands >before
sed -n '/^referee match --engine/,$p' commands >after
sed '1s/^/exec /; /--quiet$/q' after >killed
bash -e before
bash killed >/dev/null &
for ((tries = 0; tries < 600; tries++)); do
    [ ! -f sprt.jsonl ] || [ "$(wc -l <sprt.jsonl)" -lt 4 ] || break
    sleep 0.1
done
kill -9 $!
wait $! || true

bash -e after 2>&1 | tee output
grep -q 'games are in sprt.jsonl already; resuming' output
grep -q '^LLR: .* H1 accepted' output
grep -q 'none differs' output
no_fault sprt.jsonl
no_fault breakthrough.jsonl
grep -q '"detail":"\(checkmate\|threefold repetition\)' sprt.jsonl
referee report sprt.jsonl --rules chess --pgn games.pgn
check_pgn games.pgn

echo "-- Chess960: the option of the rules reaches the engines"
printf '%s\n' 'bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1' 'rkbnnbqr/pppppppp/8/8/8/8/PPPPPPPP/RKBNNBQR w KQkq - 0 1' >960.txt
referee match stockfish fairy-stockfish --each depth=4 st=10 --openings 960.txt --games 4 --quiet \
    --rules examples/rules/python_chess.py option.UCI_Chess960=true --out 960.jsonl --log 960.log engines=on
grep -q 'stockfish > setoption name UCI_Chess960 value true' 960.log
no_fault 960.jsonl
referee verify 960.jsonl --rules examples/rules/python_chess.py option.UCI_Chess960=true
grep -q '^1. Nf3 d5 2. g3 ' first.pgn
# Castling from another square than e1 shows whether both rules know the variant.
printf '%s\n' '[FEN "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNB1KRN w Gkq - 0 1"]' '[SetUp "1"]' '' '1. O-O *' >castled.pgn
for rules in python_chess pyffish_rules; do
    referee match random random --openings castled.pgn --games 2 --max-plies 4 --quiet --out $rules.jsonl --pgn $rules.pgn \
        --rules examples/rules/$rules.py option.UCI_Chess960=true
    [ "$(grep -c '^\[Variant "Chess960"\]' $rules.pgn)" = 2 ] && grep -q '^\[SetUp "1"\]' $rules.pgn && grep -q '^1\. O-O ' $rules.pgn
    check_pgn $rules.pgn
done
