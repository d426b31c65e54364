"""FuseSoC's way to ``cubecast generate``: parameters of a ``generate`` section in, a core with the Verilog out.

FuseSoC calls it in the folder to write into, with the name of a YAML file: ``vlnv`` is the name of the core, and
``parameters`` are ``unit`` and the options of the command. What ``cubecast generate`` refuses is its one line on
standard error, and its status.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

try:
    import yaml
except ModuleNotFoundError:
    # FuseSoC may be in another environment, and cubecast itself does not need it.
    print(f"generator.py: PyYAML must be installed: {sys.executable} -m pip install pyyaml", file=sys.stderr)
    sys.exit(3)

TYPES = {".vlt": "vlt", ".v": "verilogSource", "_wrapper.sv": "systemVerilogSource", "_pkg.vhd": "vhdlSource"}
"""Kinds of files that are sources of the core by their ends; waivers come first, and the wrapper after its unit."""


def known(generate):
    """Return the options of the command: one that it does not have, such as ``multicast``, is not just left out."""
    told = subprocess.run([*generate, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r"--[a-z0-9-]+", told)


def main(path):
    """Generate, and write the core; return the exit status."""
    given = yaml.safe_load(Path(path).read_text())
    asked = dict(given.get("parameters") or {})
    if "unit" not in asked:
        print("generator.py: unit must be given, such as router", file=sys.stderr)
        return 2
    generate = [sys.executable, "-m", "cubecast", "generate"]
    command = [*generate, str(asked.pop("unit")), "-o", ".", "--json"]
    for option, value in asked.items():
        word = f"--{option.replace('_', '-')}"
        if value is not False:
            command += [word, *([] if value is True else [str(value)])]
        elif word not in known(generate):
            print(f"generator.py: {option} must be an option of cubecast generate to be left out", file=sys.stderr)
            return 2
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return done.returncode
    written = [Path(file).name for file in json.loads(done.stdout)["files"]]
    sources = [
        {file: {"file_type": kind}}
        for end, kind in TYPES.items()
        for file in written
        if file.endswith(end) and not file.endswith(f"_inst{end}")
    ]
    core = {
        "name": given["vlnv"],
        "filesets": {"rtl": {"files": sources}},
        "targets": {"default": {"filesets": ["rtl"]}},
    }
    name = given["vlnv"].split(":")[2]
    Path(f"{name}.core").write_text("CAPI=2:\n" + yaml.safe_dump(core, sort_keys=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
