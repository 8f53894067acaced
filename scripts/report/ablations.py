#!/usr/bin/env python3
"""Build one engine per part of the evaluation, each without that part.

    python3 scripts/report/ablations.py --out DIR [--only NAME,…] SAMPLES…

SAMPLES are files of `fitting games`. Every engine is built from the last commit,
in target/ablation: the constants of the part become 0, the committed weights are
fitted on to the samples without the part, and `lodestone` is built with them and
copied to DIR/NAME. The engine `full` is fitted on in the same way with all parts; it
is the one to compare with. `docs/report/assignment.md` has the results.
"""

import argparse
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CAVE = "src/game/magnetic_cave/evaluation.rs"
GRIDLOCK = "src/game/gridlock/evaluation.rs"
WEIGHTS = "src/game/magnetic_cave/weights.bin"
LINES, TEMPO = ["LINE_VALUES"], ["TEMPO"]
WAITING, ZUGZWANG = ["WAITING_CELL", "SHARED_CELL"], ["WON_ZUGZWANG"]


@dataclass
class Engine:
    """What an engine goes without."""

    constants: list = field(default_factory=list)  # set to 0 in `file`
    without: str = ""  # parts for `fitting fit --without`
    weights: str = "fit"  # or "blank", or "committed"
    file: str = CAVE


ENGINES = {
    # Magnetic Cave
    "full": Engine(),
    "used": Engine(weights="committed"),
    "rows": Engine(without="rows"),
    "lines": Engine(LINES, "threes,twos"),
    "waiting": Engine(WAITING, "waiting"),
    "zugzwang": Engine(ZUGZWANG, "zugzwang"),
    "threats": Engine(WAITING + ZUGZWANG, "waiting,zugzwang"),
    "tempo": Engine(TEMPO, "side-to-move,empty-cells"),
    "hidden": Engine(without="hidden"),
    "counted": Engine(without="counted"),
    "network": Engine(weights="blank"),
    "nothing": Engine(LINES + WAITING + ZUGZWANG + TEMPO, weights="blank"),
    # Gridlock
    "g-room": Engine(["ROOM"], weights="committed", file=GRIDLOCK),
    "g-spare": Engine(["SPARE_MOVE"], weights="committed", file=GRIDLOCK),
    "g-private": Engine(["PRIVATE_ROOM"], weights="committed", file=GRIDLOCK),
    "g-nothing": Engine(["ROOM", "SPARE_MOVE", "PRIVATE_ROOM"], weights="committed", file=GRIDLOCK),
}


def set_to_zero(source: Path, constants: list) -> None:
    """Replace every number in the values of these constants by 0."""
    text = source.read_text()
    for name in constants:
        value = re.compile(rf"(const {name}: [^=]* = )(.*?)(;\n)", re.DOTALL)
        text, count = value.subn(lambda m: m[1] + re.sub(r"\d+", "0", m[2]) + m[3], text)
        if count != 1:
            raise SystemExit(f"{source}: expected one constant {name}, found {count}")
    source.write_text(text)


def build(name: str, samples: list, out: Path, target: Path) -> None:
    engine = ENGINES[name]
    source = target / "ablation"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    # -m: all files count as new, since cargo compares times and not contents.
    subprocess.run(["tar", "-xm", "-C", source], input=archive.stdout, check=True)
    set_to_zero(source / engine.file, engine.constants)

    def cargo_build(package):
        words = ["cargo", "build", "--release", "--quiet", "-p", package, "--target-dir", target]
        subprocess.run(words, cwd=source, check=True)

    def fitting(*words):
        cargo_build("fitting")
        subprocess.run([target / "release/fitting", *words, "--out", source / WEIGHTS], check=True)

    if engine.weights == "fit":
        without = ["--without", engine.without] if engine.without else []
        fitting("fit", *samples, "--from", ROOT / WEIGHTS, "--rate", "0.02", *without)
    elif engine.weights == "blank":
        fitting("blank")
    cargo_build("lodestone-engine")
    shutil.copy(target / "release/lodestone", out / name)
    print(f"{name}: {out / name}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", nargs="*", type=Path, metavar="SAMPLES", help="files of `fitting games`")
    parser.add_argument("--out", required=True, type=Path, help="folder for the engines")
    parser.add_argument("--only", metavar="NAME,…", help="build only these: " + ", ".join(ENGINES))
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else list(ENGINES)
    for name in names:
        if name not in ENGINES:
            parser.error(f"no engine `{name}`; there are {', '.join(ENGINES)}")
        if ENGINES[name].weights == "fit" and not arguments.samples:
            parser.error(f"`{name}` needs samples; `fitting games` makes them")
    arguments.out.mkdir(parents=True, exist_ok=True)
    samples = [path.resolve() for path in arguments.samples]
    for name in names:
        build(name, samples, arguments.out, (ROOT / "target").resolve())


if __name__ == "__main__":
    main()
