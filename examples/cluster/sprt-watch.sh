#!/bin/sh
#SBATCH --cpus-per-task=1
#SBATCH --mem=256M
#SBATCH --time=7-00:00:00
# Asks what a sequential test decides over the shards of a running match, and cancels their Slurm
# array once it is decided.
#   sprt-watch.sh ARRAY FOLDER "elo0=0 elo1=5" [SECONDS]
set -u
array=$1 folder=$2 test=$3 seconds=${4:-60}
while true; do
    is_queued=$(squeue --noheader --jobs="$array" 2>/dev/null)
    # The keys are words of their own.
    # shellcheck disable=SC2086
    ${REFEREE:-referee} report --sprt-decide $test --json "$folder"/shard-*.jsonl
    status=$?
    if [ "$status" = 0 ]; then
        scancel --quiet "$array"
        exit 0
    fi
    # Status 10: not decided yet. Before the first shard has its file, the status is 2.
    if [ -z "$is_queued" ]; then
        echo "the array has ended, and the test is not decided" >&2
        exit "$status"
    fi
    sleep "$seconds"
done
