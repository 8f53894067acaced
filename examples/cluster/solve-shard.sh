#!/bin/sh
# Proves one part of the openings of a board: a task of a Slurm array, or a job of GNU parallel.
#   sbatch --array=0-7 solve-shard.sh 8 PLIES FOLDER --width W --height H --connect K [--hash MB]
#   seq 0 7 | parallel -q env SHARD={} sh solve-shard.sh 8 PLIES FOLDER --width W …
# The same command again continues. A part that is complete ends at once.
#SBATCH --job-name=lodestone-solve
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=24:00:00
# After a failure of its node, the task runs again and continues from its answers.
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x-%A_%a.log
set -eu
shards=$1 plies=$2 folder=$3
shift 3
# The number of shards is an argument: SLURM_ARRAY_TASK_COUNT counts only the tasks of this
# submission.
part=$folder/part-${SLURM_ARRAY_TASK_ID:-$SHARD}
if [ -e "$part.certificate" ]; then exit; fi
mkdir -p "$folder"
exec "${LODESTONE_SOLVER:-lodestone-solver}" solve "$@" --plies "$plies" --shard "${SLURM_ARRAY_TASK_ID:-$SHARD}/$shards" \
    --checkpoint "$part.answers" --certificate "$part.certificate" >"$part.txt"
