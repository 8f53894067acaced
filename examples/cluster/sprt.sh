#!/bin/sh
# Plays a sequential test as a Slurm array, and cancels the array once the test is decided.
#   sprt.sh SHARDS MATCH.toml FOLDER "elo0=0 elo1=5" [SECONDS]
# The match is played without `--sprt`; its `games` are the upper limit. A job beside the array asks
# every SECONDS (60) what the test decides. Prints the numbers of both jobs; the answer is in
# FOLDER/sprt.txt.
set -eu
shards=$1 config=$2 folder=$3 test=$4 seconds=${5:-60}
here=$(dirname "$0")
mkdir -p "$folder"
# The array waits until the other job is in the queue. Otherwise that job could wait for a free core
# until the array has ended.
array=$(sbatch --parsable --hold --array="0-$((shards - 1))" "$here/shard.sbatch" "$shards" "$config" "$folder")
watch=$(sbatch --parsable --job-name=lodestone-sprt --open-mode=truncate --output="$folder/sprt.txt" \
    "$here/sprt-watch.sh" "$array" "$folder" "$test" "$seconds")
scontrol release "$array"
echo "$array $watch"
