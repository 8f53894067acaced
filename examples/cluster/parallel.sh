#!/bin/sh
# Plays a match with GNU parallel on the cores of this machine, then reports on it.
#   parallel.sh SHARDS MATCH.toml FOLDER [OPTIONS OF PARALLEL…]
# The same command again resumes the match: it repeats only the shards that have not ended.
# With `--sshlogin`, the shards run on other machines that share FOLDER.
set -eu
shards=$1 config=$2 folder=$3
shift 3
mkdir -p "$folder"
# A cancelled referee gets ten seconds to save its games. By default it would be 0.35 s.
seq 0 "$((shards - 1))" | parallel --termseq TERM,10000,KILL,25 "$@" --joblog "$folder/parallel.log" --resume-failed \
    exec "${REFEREE:-referee}" match --config "$config" --shard "{}/$shards" --out "$folder/shard-{}.jsonl" --quiet \
    '>' "$folder/shard-{}.log" '2>&1' || echo "parallel ended with status $?: some shards are not complete" >&2
"${REFEREE:-referee}" report "$folder"/shard-*.jsonl
