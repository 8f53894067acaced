#!/usr/bin/env bash
# Builds a wheel with the programs.
#   python/build.sh PROGRAMS PLATFORM OUT
# PROGRAMS is the folder of an unpacked archive, or one with the programs alone; PLATFORM is the last
# part of the wheel's name. Needs hatchling in the Python of `$PYTHON`, by default `python3`.
set -euo pipefail
programs=$(cd "$1" && pwd)
out=$(mkdir -p "$3" && cd "$3" && pwd)
cd "$(dirname "$0")/.."

# A copy, because the licences must lie in the folder of the project.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/python"
cp Cargo.toml "$work"
cp -r python/{pyproject.toml,hatch_build.py,README.md,referee} LICENSE-* "$work/python"
[ ! -e "$programs/LIBRARIES.txt" ] || cp "$programs/LIBRARIES.txt" "$work/python"
cd "$work/python"
LODESTONE_PROGRAMS=$programs LODESTONE_PLATFORM=$2 "${PYTHON:-python3}" -m hatchling build -t wheel -d "$out"
