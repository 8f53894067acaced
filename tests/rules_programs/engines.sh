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

# The blocks of the chapter, in a folder as its reader has it. The first is a session: its commands
# begin with `$ `.
sed -n '/^```.* elsewhere$/,/^```$/{/^```/!p}' docs/chess.md | sed -n 's/^\$ //; /^python_chess and/d; p' >"$work/commands"
cp -RL examples "$work"
cd "$work"

# The first match is killed once, and resumed by its own command.
sed '/^referee match/,$d' commands >before
sed -n '/^referee match/,$p' commands >after
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
"$work/venv/bin/python3" - <<'EOF_PY'
import chess.pgn

with open("games.pgn") as file:
    games = list(iter(lambda: chess.pgn.read_game(file), None))
assert games and not any(game.errors for game in games)
print(f"{len(games)} games as PGN")
EOF_PY

echo "-- Chess960: the option of the rules reaches the engines"
printf '%s\n' 'bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1' 'rkbnnbqr/pppppppp/8/8/8/8/PPPPPPPP/RKBNNBQR w KQkq - 0 1' >960.txt
referee match stockfish fairy-stockfish --each depth=4 st=10 --openings 960.txt --games 4 --quiet \
    --rules examples/rules/python_chess.py option.UCI_Chess960=true --out 960.jsonl --log 960.log engines=on
grep -q 'stockfish > setoption name UCI_Chess960 value true' 960.log
no_fault 960.jsonl
referee verify 960.jsonl --rules examples/rules/python_chess.py option.UCI_Chess960=true
[ "$(cat 8moves.txt)" = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves g1f3 d7d5 g2g3' ]
# Castling from another square than e1 shows whether the script of the manual knows the variant.
printf '%s\n' 'bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNB1KRN w Gkq - 0 1 moves f1g1' >castled.txt
referee match random random --openings castled.txt --games 2 --max-plies 4 --quiet \
    --rules examples/rules/python_chess.py option.UCI_Chess960=true --out castled.jsonl
python3 to_pgn.py <castled.jsonl >castled.pgn
[ "$(grep -c '^\[Variant "Chess960"\]' castled.pgn)" = 2 ] && grep -q '1\. O-O ' castled.pgn
