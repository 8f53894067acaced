#!/bin/sh
# Plays rounds of a ladder in parts, with GNU parallel, or as arrays of a Slurm cluster if SLURM is set.
#   ladder.sh PARTS ROUNDS DIR FILE.jsonl [OPTIONS OF LADDER…]
# DIR and FILE.jsonl are on a file system that all machines share. The same command again goes on.
set -eu
parts=$1 rounds=$2 folder=$3 file=$4
shift 4
REFEREE=${REFEREE:-referee}
export REFEREE
last=$((parts - 1))
for _ in $(seq "$rounds"); do
    # Takes new submissions, and adds the games of the parts to the file.
    "$REFEREE" ladder "$folder" --out "$file" --games 0 --quiet "$@" >/dev/null
    if [ -n "${SLURM:-}" ]; then
        # shellcheck disable=SC2016 # Slurm sets the number of the task.
        printf '#!/bin/sh\nexec "$REFEREE" ladder "$@" --shard "$SLURM_ARRAY_TASK_ID/%s"\n' "$parts" >"$file.sbatch"
        sbatch --wait --array="0-$last" --job-name=lodestone-ladder --output="$file.log" --open-mode=append \
            --signal=B:TERM@60 "$file.sbatch" "$folder" --out "$file" --quiet "$@"
    else
        seq 0 "$last" | parallel -q --termseq TERM,10000,KILL,25 \
            "$REFEREE" ladder "$folder" --out "$file" --quiet "$@" --shard "{}/$parts"
    fi
done
"$REFEREE" ladder "$folder" --out "$file" --games 0 --quiet "$@"
