#!/usr/bin/env bash
# Play the matches of docs/assignment-report.md and summarise them in docs/report.
#
#   bash scripts/report/matches.sh ENGINES GAMES
#
# ENGINES is the folder that ablations.py filled, GAMES a folder for the result files.
# Set CONCURRENCY to the number of games at a time (default 1): at most one a core,
# since most matches have a time limit. A match that was interrupted resumes.
set -euo pipefail
cd "$(dirname "$0")/../.."
engines=$(cd "$1" && pwd)
mkdir -p "$2"
games=$(cd "$2" && pwd)
concurrency=${CONCURRENCY:-1}
cargo build --release --quiet --workspace
referee=target/release/referee

play() { # play NAME ARGUMENTS...
    local name=$1
    shift
    "$referee" match "$@" --concurrency "$concurrency" --affinity --quiet --out "$games/$name.jsonl"
    "$referee" report --json "$games/$name.jsonl" >"docs/report/$name.json"
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
    --each nodes=20000 st=60 option.Contempt=0 --games 214 --openings random:4 --seed 15
mapfile -t gridlock < <(reduced "" full && reduced g- room spare private nothing)
play ablation-gridlock --variant gridlock --format gauntlet "${gridlock[@]}" \
    --each nodes=20000 st=60 --games 108 --openings random:2 --seed 15

# Lodestone, the reference players and the example bot: a round robin. The margin is
# for a busy machine; it gives nobody more time to think.
each=(--each st=0.1 timemargin=2000)
play tournament-magnetic-cave --engine cmd=lodestone --engine cmd=plain --engine cmd=groups --engine cmd=squares \
    --engine cmd=random "${bot[@]}" "${each[@]}" --games 20 --openings random:4 --seed 16
play tournament-gridlock --variant gridlock --engine cmd=lodestone --engine cmd=plain --engine cmd=mobility \
    --engine cmd=random "${bot[@]}" "${each[@]}" --games 20 --openings random:2 --seed 16

# The assignment's conditions: the empty board, 3 seconds a move.
play assignment-magnetic-cave --format gauntlet --engine cmd=lodestone --engine cmd=groups --engine cmd=squares \
    --each st=3 timemargin=50 --games 2 --seed 15

python3 scripts/report/plots.py "$games"
