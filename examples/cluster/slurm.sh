#!/bin/sh
# Plays a match as an array of a Slurm cluster, then reports on it.
#   slurm.sh SHARDS MATCH.toml FOLDER
# FOLDER is on a file system that all nodes share. The same command again resumes the match:
# a shard that is complete ends at once. Prints the numbers of the two jobs.
set -eu
shards=$1 config=$2 folder=$3
here=$(dirname "$0")
mkdir -p "$folder"
array=$(sbatch --parsable --array="0-$((shards - 1))" "$here/shard.sbatch" "$shards" "$config" "$folder")
# `afterok` would wait for ever after one failed task. The report names what is missing.
report=$(sbatch --parsable --dependency="afterany:$array" --job-name=lodestone-report --open-mode=truncate \
    --output="$folder/report.txt" --wrap="exec '${REFEREE:-referee}' report '$folder'/shard-*.jsonl")
echo "$array $report"
