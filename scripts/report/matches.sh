#!/usr/bin/env bash
# Play the matches of docs/report/assignment.md and summarise them in docs/report.
#
#   bash scripts/report/matches.sh ENGINES GAMES
#
# ENGINES is the folder that ablations.py filled, GAMES a folder for the result files.
# Set CONCURRENCY to the number of games at a time (default 1): at most one a core,
# since most matches have a time limit. A match that was interrupted resumes.
# QUICK=1 tries the script: two fast games a pairing, summarised in GAMES/report.
set -euo pipefail
cd "$(dirname "$0")/../.."
engines=$(cd "$1" && pwd)
mkdir -p "$2"
games=$(cd "$2" && pwd)
concurrency=${CONCURRENCY:-1}
report=docs/report
pick() { echo "$1"; } # pick FULL QUICK: one of the two values
if [ -n "${QUICK:-}" ]; then
    report=$games/report
    mkdir -p "$report"
    pick() { echo "$2"; }
fi
cargo build --release --quiet --workspace
referee=target/release/referee

play() { # play NAME ARGUMENTS...
    local name=$1
    shift
    "$referee" match "$@" --concurrency "$concurrency" --affinity --quiet --out "$games/$name.jsonl"
    "$referee" report --json "$games/$name.jsonl" >"$report/$name.json"
}
reduced() { # reduced PREFIX NAME...: settings of reduced engines
    local prefix=$1 name
    shift
    for name; do printf '%s\n' --engine "cmd=$engines/$prefix$name" "name=$name"; done
}
bot=(--engine cmd=python3 args=examples/bot.py name=bot)

# Each reduced engine against the full one. Node limits, so the machine does not matter.
mapfile -t cave < <(reduced "" full used rows lines waiting zugzwang threats tempo hidden network counted nothing)
play ablation-magnetic-cave --format gauntlet "${cave[@]}" \
    --each nodes=$(pick 20000 100) st=60 option.Contempt=0 --games $(pick 214 2) --openings random:4 --seed 15
mapfile -t gridlock < <(reduced "" full && reduced g- room spare private nothing)
play ablation-gridlock --variant gridlock --format gauntlet "${gridlock[@]}" \
    --each nodes=$(pick 20000 100) st=60 --games $(pick 108 2) --openings random:2 --seed 15

# Lodestone, the reference players and the example bot: a round robin. The margin is
# for a busy machine; it does not extend the time that an engine is given.
each=(--each st=$(pick 0.1 0.02) timemargin=2000 --games $(pick 20 2))
play tournament-magnetic-cave --engine cmd=lodestone --engine cmd=plain --engine cmd=groups --engine cmd=squares \
    --engine cmd=random "${bot[@]}" "${each[@]}" --openings random:4 --seed 16
play tournament-gridlock --variant gridlock --engine cmd=lodestone --engine cmd=plain --engine cmd=mobility \
    --engine cmd=random "${bot[@]}" "${each[@]}" --openings random:2 --seed 16

# The assignment's conditions: the empty board, 3 seconds a move.
play assignment-magnetic-cave --format gauntlet --engine cmd=lodestone --engine cmd=groups --engine cmd=squares \
    --each st=$(pick 3 0.1) timemargin=$(pick 50 2000) --games 2 --seed 15

python3 scripts/report/plots.py "$games" --data "$report"
