"""Adds the programs of a release to the wheel, for build.sh. Without them, it has only the module."""

import os
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Where the shells look for completions, below the folder of an environment.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/{}",
    "zsh": "share/zsh/site-functions/_{}",
    "fish": "share/fish/vendor_completions.d/{}.fish",
}


class Programs(BuildHookInterface):
    def initialize(self, version, build_data):
        if "LODESTONE_PROGRAMS" not in os.environ:
            return
        folder = Path(os.environ["LODESTONE_PROGRAMS"])
        platform = os.environ["LODESTONE_PLATFORM"]
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        is_windows = platform.startswith("win")
        for name in ("lodestone", "lodestone-solver", "referee", "referee-chess", "referee-serve"):
            program = name + ".exe" if is_windows else name
            # hatchling would leave out a missing file without a word.
            build_data["shared_scripts"][str((folder / program).resolve(strict=True))] = program
        if is_windows:
            return
        data = build_data["shared_data"]
        for page in folder.glob("man/*.1"):
            data[str(page)] = f"share/man/man1/{page.name}"
        for script in folder.glob("completions/*"):
            # Nothing reads those of PowerShell on these systems.
            if script.suffix[1:] in COMPLETIONS:
                data[str(script)] = COMPLETIONS[script.suffix[1:]].format(script.stem)
