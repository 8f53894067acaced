#!/usr/bin/env bash
# Plays one match in eight shards, under GNU parallel and under Slurm, while tasks are killed,
# cancelled and requeued. The results must be those of one process without a fault. A proof of a
# small board in four parts must have the value of one process, and its certificate must be right.
#   check.sh FOLDER   with the programs `referee`, `fitting` and `lodestone-solver` of this build in FOLDER
# Needs Linux, GNU parallel and Slurm; as root on Debian, it installs what is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1")
here=$PWD
examples=$here/examples/cluster
[ "$(uname)" = Linux ] || { echo "SKIPPED: this test needs Linux"; exit 0; }
shards=8

work=$(mktemp -d)
finish() {
    local status=$?
    trap - EXIT INT TERM
    # Their exit statuses do not matter here.
    set +e
    [ -z "${parallel:-}" ] || kill -9 -- "-$parallel" 2>/dev/null
    slurm_stop "$work/slurm"
    kill -9 $(ours) 2>/dev/null
    if [ "$status" != 0 ]; then
        echo "the files of the failed test:"
        ls -l "$work" "$work"/parallel "$work"/slurm-results 2>/dev/null
        tail -n 15 "$work"/*.log "$work"/*results/*.log 2>/dev/null
        tail -n 40 "$work"/*results/*.faults/* 2>/dev/null
    fi
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR
trap 'exit 130' INT
trap 'exit 143' TERM
source tests/cluster/slurm.sh

step() { printf -- '-- %s (%s s)\n' "$*" "$SECONDS"; }
fail() {
    echo "FAILED: $*"
    exit 1
}

# The programs have a path of their own here, so `ours` finds exactly the processes of this test:
# the built-in players are processes of the referee's file.
mkdir "$work/bin"
cp "$build/referee" "$build/fitting" "$build/lodestone-solver" "$work/bin"
export REFEREE=$work/bin/referee LODESTONE_SOLVER=$work/bin/lodestone-solver
ours() { find /proc -maxdepth 2 -name exe -lname "$work/bin/*" 2>/dev/null | cut -d/ -f3; }

# The process of the referee that plays the shard $1 into the folder $2.
referee_of() { pgrep -f "^$work/bin/referee match .*--out $2/shard-$1\.jsonl"; }

# Waits until the command succeeds, at most a minute.
wait_for() {
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        "$@" && return 0
        sleep 0.1
    done
    fail "a minute passed, but not: $*"
}
no_process() { [ -z "$(ours)" ]; }

# Whether the shard $1 in the folder $2 has finished games and is still being played, by the process
# `playing`. The shard may end soon, so the process is looked for first.
is_playing() {
    local games
    playing=$(referee_of "$1" "$2") || return 1
    games=$(played "$1" "$2" 2>/dev/null)
    [ "${games:-0}" -ge 2 ]
}

# How many games the shard $1 has in the folder $2, and in the schedule: its pairs are those whose
# numbers, from 0, have this remainder.
played() { grep -c '"moves"' "$2/shard-$1.jsonl"; }
scheduled() { sed -E 's/.*"pair":([0-9]+).*/\1/' "$work/games" | awk "(\$1 - 1) % $shards == $1" | wc -l; }

# The records of these files without their times, in the order of their ids.
games() { grep -h '"moves"' "$@" | sed -E -e 's/"ms":\[[^]]*\],//' -e 's/,"(started|ended)":"[^"]*"//g' | sort -t: -k2,2n; }

# The numbers of a report, without times and names of files.
numbers() {
    "$REFEREE" report --json "$@" |
        sed -E -e 's/"files":\[[^]]*\]//' -e 's/"(mean_ms|longest_ms)":[^,]*,//g'
}

# Compares the shards in the folder $1 with the match of one process.
same_as_one_process() {
    games "$1"/shard-*.jsonl >"$work/merged"
    cmp "$work/games" "$work/merged" || fail "$1: other games"
    numbers "$1"/shard-*.jsonl >"$work/merged-numbers" || fail "$1: games are missing"
    cmp "$work/numbers" "$work/merged-numbers" || fail "$1: another report"
    echo "$(wc -l <"$work/merged") games, the same as in one process; fingerprint" \
        "$(grep -o '"fingerprint":"[^"]*"' "$work/merged-numbers")"
}

# The board that is proven, with the openings of this number of plies in this number of parts.
board="--width 4 --height 4 --connect 4 --hash 16"
parts=4
plies=3

# The number behind `nodes: ` in the output of `lodestone-solver solve` in the file $1.
nodes() { sed -n 's/^nodes: //p' "$1"; }

# Checks the proof in the folder $1, whose merge printed the file $2, against that of one process. The
# merge takes the answers of the parts, so it searches few positions.
same_proof() {
    local value
    value=$(grep '^value: ' "$work/solve.txt")
    grep -qx "$value" "$2" || fail "$1: another value than $value: $(cat "$2")"
    [ $(($(nodes "$2") * 5)) -lt "$(nodes "$work/solve.txt")" ] || fail "$1: the merge searches again"
    "$LODESTONE_SOLVER" solve --check "$1/all.certificate" >"$work/checked" || fail "$1: a wrong certificate"
    grep -q "^$value 4/4/4/4 x$" "$work/checked" || fail "$1: the certificate proves another value"
    echo "$value, as in one process; $(grep '^checked: ' "$work/checked")"
}

# A course whose submissions play as built-in players, and one that does not start.
mkdir "$work/hand-in"
for player in plain groups squares lodestone broken; do
    mkdir "$work/hand-in/$player"
    printf '#!/bin/sh\nexec %s builtin %s\n' "$REFEREE" "$player" >"$work/hand-in/$player/run"
    chmod +x "$work/hand-in/$player/run"
done
ladder_options="--sandbox=off --each depth=1 timemargin=60000"

# Compares three rounds of a ladder in parts, in the file $1, with those of one process.
same_ladder() {
    games "$1" >"$work/ladder-games"
    cmp "$work/games-of-ladder" "$work/ladder-games" || fail "$1: other games"
    [ "$(grep -o '"id":[0-9]*' "$1" | sort -c -t: -k2,2n 2>&1)" = "" ] || fail "$1: the games are not in order"
    echo "$(wc -l <"$work/ladder-games") games, the same as in one process, in their order"
}

step "a ladder in one process"
"$REFEREE" ladder "$work/hand-in" --out "$work/ladder.jsonl" --games 12 $ladder_options --quiet >"$work/ladder.log" 2>&1
games "$work/ladder.jsonl" >"$work/games-of-ladder"

step "a proof in one process"
"$LODESTONE_SOLVER" solve $board --certificate "$work/solve.certificate" >"$work/solve.txt"

step "the match in one process"
"$REFEREE" match --config tests/cluster/match.toml --out "$work/whole.jsonl" --quiet --concurrency 2 >"$work/whole.log"
games "$work/whole.jsonl" >"$work/games"
numbers "$work/whole.jsonl" >"$work/numbers"
"$work/bin/fitting" games --games 12 --nodes 200 --out "$work/samples" 2>/dev/null
wait_for no_process

missing=()
for tool in parallel munged slurmctld slurmd sbatch; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
if [ "${#missing[@]}" != 0 ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        step "installs ${missing[*]}"
        { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
            parallel munge slurmctld slurmd slurm-client; } >"$work/apt.log" 2>&1 || true
    fi
fi

if ! command -v parallel >/dev/null; then
    echo "SKIPPED: GNU parallel is not installed and cannot be installed"
else
    results="$work/parallel results" # a path may contain a space
    step "GNU parallel: one task is killed, and repeated at once; then all are cancelled"
    # In a process group of its own.
    setsid "$examples/parallel.sh" $shards tests/cluster/match.toml "$results" --jobs 2 --retries 3 \
        >"$work/parallel.log" 2>&1 &
    parallel=$!
    wait_for is_playing 0 "$results"
    killed=$playing
    kill -9 "$killed"
    is_repeated() { is_playing 0 "$results" && [ "$playing" != "$killed" ]; }
    wait_for is_repeated
    wait_for is_playing 2 "$results"
    # SIGHUP would start no new tasks; SIGTERM also cancels those that run.
    pkill -TERM -P "$parallel" -f /parallel
    wait "$parallel" && fail "the cancelled match reports success"
    parallel=
    wait_for no_process
    step "the same command resumes"
    "$examples/parallel.sh" $shards tests/cluster/match.toml "$results" --jobs 2 >"$work/parallel-again.log" 2>&1 ||
        fail "the second run of parallel"
    wait_for no_process
    same_as_one_process "$results"

    step "samples of positions in shards"
    seq 0 3 9 | parallel --jobs 2 "$work/bin/fitting" games --skip {} --games '{= $_ += 3 =}' --nodes 200 \
        --out "$work/samples-{}" 2>/dev/null
    cat "$work"/samples-{0,3,6,9} >"$work/samples-of-shards"
    cmp "$work/samples" "$work/samples-of-shards" || fail "other samples"
    echo "$(wc -l <"$work/samples") samples, the same as in one process"

    step "a ladder in two parts"
    "$examples/ladder.sh" 2 3 "$work/hand-in" "$work/parallel-ladder.jsonl" $ladder_options >"$work/parallel-ladder.log" 2>&1
    same_ladder "$work/parallel-ladder.jsonl"

    step "a proof in $parts parts"
    proof=$work/parallel-proof
    seq 0 $((parts - 1)) |
        parallel --jobs 2 env SHARD={} sh "$examples/solve-shard.sh" $parts $plies "$proof" $board
    sh "$examples/solve-merge.sh" $parts "$proof" $board >"$work/parallel-proof.txt" 2>"$work/parallel-proof.log"
    same_proof "$proof" "$work/parallel-proof.txt"
fi

for tool in munged slurmctld slurmd sbatch; do
    if ! command -v "$tool" >/dev/null; then
        echo "SKIPPED: Slurm ($tool) is not installed and cannot be installed"
        exit 0
    fi
done
if ! slurm_start "$work/slurm"; then
    echo "SKIPPED: a Slurm cluster on the loopback interface does not start here"
    exit 0
fi

results=$work/slurm-results
mkdir "$results"
export SBATCH_OUTPUT=$results/%A_%a.log
state() { squeue --noheader --jobs="$1" --format=%T 2>/dev/null; }
has_ended() { [ -z "$(state "$1" | grep -vE 'COMPLETED|FAILED|CANCELLED|TIMEOUT')" ]; }
step "Slurm: one task is killed, one is cancelled, one is requeued"
read -r array report < <("$examples/slurm.sh" $shards tests/cluster/match.toml "$results")
wait_for is_playing 0 "$results"
kill -9 "$playing"
wait_for is_playing 1 "$results"
scontrol requeue "${array}_1"
wait_for is_playing 2 "$results"
scancel "${array}_2"
wait_for has_ended "$report"
wait_for no_process
cat "$results/report.txt"
scontrol show job "${array}_1" | grep -q 'Restarts=1' || fail "Slurm has not requeued the task"
grep -q '^Missing: ' "$results/report.txt" || fail "the report names no missing games"
for ((shard = 0; shard < shards; shard++)); do
    [ "$(played $shard "$results")" = "$(scheduled $shard)" ] && is_complete=true || is_complete=false
    case $shard in
    0 | 2) $is_complete && fail "shard $shard is complete, although it was killed" ;;
    *) $is_complete || fail "shard $shard is not complete" ;;
    esac
done
step "the same command resumes"
read -r array report < <("$examples/slurm.sh" $shards tests/cluster/match.toml "$results")
wait_for has_ended "$report"
wait_for no_process
same_as_one_process "$results"

step "a proof in $parts parts: an array, and a job that merges them"
proof=$work/slurm-proof
array=$(sbatch --parsable --array=0-$((parts - 1)) "$examples/solve-shard.sh" $parts $plies "$proof" $board)
merge=$(sbatch --parsable --dependency=afterany:$array --output="$work/slurm-proof.txt" \
    --error="$work/slurm-proof.log" --wrap="sh '$examples/solve-merge.sh' $parts '$proof' $board")
wait_for has_ended "$merge"
same_proof "$proof" "$work/slurm-proof.txt"

step "a ladder in two parts"
SLURM=1 "$examples/ladder.sh" 2 3 "$work/hand-in" "$work/slurm-ladder.jsonl" $ladder_options >"$work/slurm-ladder.log" 2>&1
same_ladder "$work/slurm-ladder.jsonl"

step "a sequential test over the shards of an array, which it cancels"
# All shards at the same time: the test takes the pairs in order.
"$REFEREE" match --config tests/cluster/sprt.toml --sprt elo0=0 elo1=5 --out "$work/sprt.jsonl" --quiet \
    --concurrency 2 >/dev/null
read -r array watch < <(SBATCH_PARTITION=shared "$examples/sprt.sh" $shards tests/cluster/sprt.toml \
    "$work/sprt-results" "elo0=0 elo1=5" 1)
wait_for has_ended "$watch"
wait_for has_ended "$array"
wait_for no_process
verdict=$(tail -n 1 "$work/sprt.jsonl")
[ "$(tail -n 1 "$work/sprt-results/sprt.txt")" = "$verdict" ] ||
    fail "the array decides otherwise than one process ($verdict): $(cat "$work/sprt-results/sprt.txt")"
played=$(cat "$work"/sprt-results/shard-*.jsonl | grep -c '"moves"')
limit=$(sed -n 's/^games = //p' tests/cluster/sprt.toml)
[ "$played" -lt "$limit" ] || fail "the array was not cancelled"
echo "the same verdict as in one process: $verdict; $played of $limit games were played"
step "done"
