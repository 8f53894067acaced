#!/bin/sh
# Merges the parts of solve-shard.sh: the value of the board, and one certificate.
#   solve-merge.sh SHARDS FOLDER --width W --height H --connect K [--hash MB]
# Checks 1000 answers of the certificate at random.
set -eu
shards=$1 folder=$2
shift 2
shard=0
while [ "$shard" -lt "$shards" ]; do
    if [ ! -e "$folder/part-$shard.certificate" ]; then
        echo "part $shard of $shards is missing: $folder/part-$shard.certificate" >&2
        exit 1
    fi
    set -- "$@" --read "$folder/part-$shard.certificate"
    shard=$((shard + 1))
done
"${LODESTONE_SOLVER:-lodestone-solver}" solve "$@" --certificate "$folder/all.certificate"
"${LODESTONE_SOLVER:-lodestone-solver}" solve --check "$folder/all.certificate" --samples 1000
