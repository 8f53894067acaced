"""`python3 -m referee …` runs the program `referee`, also where its folder is not in PATH."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path


def find_program(name: str) -> str:
    """The path of `lodestone` or `referee` in the environment of this Python; any other name as it is."""
    if name not in ("lodestone", "referee"):
        return name
    beside = Path(__file__).absolute().parents[1]  # pip install --target
    places = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    places += [str(beside / "bin"), str(beside / "Scripts"), os.environ.get("PATH", os.defpath)]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        raise FileNotFoundError(f"there is no program {name} in {', '.join(places[:3])}, nor in PATH")
    return found


def main() -> None:
    try:
        command = [find_program("referee"), *sys.argv[1:]]
    except FileNotFoundError as error:
        print(f"{error}; `pip install` of the wheel installs it", file=sys.stderr)
        sys.exit(127)
    if os.name == "posix":
        os.execv(command[0], command)
    sys.exit(subprocess.call(command))


if __name__ == "__main__":
    main()
