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
# `-q` quotes the words for the shell that gets them, because a path may contain spaces.
# shellcheck disable=SC2016
seq 0 "$((shards - 1))" | parallel -q --termseq TERM,10000,KILL,25 "$@" --joblog "$folder/parallel.log" --resume-failed \
    exec sh -c 'exec "$0" match --config "$1" --shard "$2" --out "$3.jsonl" --quiet > "$3.log" 2>&1' \
    "${REFEREE:-referee}" "$config" "{}/$shards" "$folder/shard-{}" || echo "parallel ended with status $?: some shards are not complete" >&2
"${REFEREE:-referee}" report "$folder"/shard-*.jsonl
