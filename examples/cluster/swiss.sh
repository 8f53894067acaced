#!/bin/sh
# Plays a Swiss tournament as a chain of Slurm arrays, one for each round, and reports on it.
#   swiss.sh SHARDS ROUNDS MATCH.toml FOLDER
# Each round is paired by the files of the rounds before it. A round with missing games stops the
# chain: its successors end with an error that names them. Run the same command again to resume.
set -eu
shards=$1 rounds=$2 config=$3 folder=$4
here=$(dirname "$0")
mkdir -p "$folder"
set --
for round in $(seq 1 "$rounds"); do
    # Words for sbatch: none in the first round.
    array=$(sbatch --parsable "$@" --array="0-$((shards - 1))" "$here/shard.sbatch" "$shards" "$config" "$folder" \
        --round "$round" --previous "$folder")
    set -- --dependency="afterany:$array"
done
report=$(sbatch --parsable "$@" --job-name=lodestone-report --open-mode=truncate --output="$folder/report.txt" \
    --wrap="exec '${REFEREE:-referee}' report '$folder'/shard-*.jsonl")
echo "$array $report"
