"""Targets of ``cubecast synth``: what a design is made of there, and the devices that it is placed on."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from cubecast.tb.harness.netlists import GENERIC
from cubecast.tb.measure.cell_library import OSU035, SYNTH, Library
from cubecast.tb.measure.synthesis import DEVICES, FAMILIES, NARROW

__all__ = ["MARGIN", "TARGETS", "Part", "Target"]

MARGIN = 0.15
"""Part by which a placed design may fill more LUTs than :meth:`Target.occupied` says: ends of carry chains, above all.

Of the routers that `make bench` placed on an ECP5 it was -0.6 to 14 %, the registers around them included.
"""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Part:
    """A device that a design is placed on.

    Parameters
    ----------
    options : tuple of str
        What nextpnr is told of it.
    luts, blocks : int
        How many LUTs and block memories it has.
    pins : str
        Constraints file for the five pins of the harness; empty where nextpnr chooses them itself.
    """

    options: tuple[str, ...]
    luts: int
    blocks: int
    pins: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Target:
    """A family of devices, or a way to count where there is none.

    Parameters
    ----------
    title : str
        What it is, for help texts.
    synth : str
        Yosys' script from a design that has been read to a netlist, with ``{top}`` for the name of its top module.
    kinds : mapping
        What is counted (``lut``, ``gate``, ``ff``, ``lutram``, ``bram``, ``carry``) to the patterns of its cells, and
        how often each of them counts.
    logic : str
        Selection without the cells at which a path begins and ends, where no device is placed.
    nextpnr : str
        Which nextpnr; empty: none, area and depth only.
    parts : mapping
        Devices by name, the smallest first.
    speeds : tuple of int
        Speed grades, the slowest first.
    used : mapping
        What is counted to what nextpnr's report calls it.
    takes : mapping
        What is counted to how many LUTs of a device nextpnr fills with one of it, where there are devices.
    shapes : mapping
        A kind of memory to the numbers of words and of bits that one of it can hold, where estimates need them.
    library : Library
        The cells, where the target is a chip and no device.
    narrow : str
        What Yosys' pass is told to leave out functions of several LUTs and the multiplexers between them; empty where
        it makes none.
    """

    title: str
    synth: str
    kinds: Mapping[str, Mapping[str, int]]
    logic: str = ""
    nextpnr: str = ""
    parts: Mapping[str, Part] = dataclasses.field(default_factory=dict)
    speeds: tuple[int, ...] = ()
    used: Mapping[str, str] = dataclasses.field(default_factory=dict)
    takes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    shapes: Mapping[str, tuple[tuple[int, int], ...]] = dataclasses.field(default_factory=dict)
    library: Library | None = None
    narrow: str = ""

    def script(self, top: str, *, wide: bool = True) -> str:
        """Return :attr:`synth` for a top module, with or without functions of several LUTs."""
        return self.synth.format(top=top).rstrip() + ("" if wide else self.narrow)

    def count(self, cells: Mapping[str, int]) -> dict[str, int]:
        """Return how much of each kind a design takes, of the number of its cells by type."""
        return {
            kind: sum(
                number * times
                for pattern, times in patterns.items()
                for cell, number in cells.items()
                if re.fullmatch(pattern, cell)
            )
            for kind, patterns in self.kinds.items()
        }

    def occupied(self, counted: Mapping[str, int]) -> int:
        """Return how many LUTs of a device a design fills at least, of how much of each kind it takes."""
        return sum(each * counted[kind] for kind, each in self.takes.items())

    def memory(self, kind: str, bits: int, depth: int) -> int:
        """Return how many of a kind of memory hold so many words of so many bits; 0 where that is not known."""
        return min((-(-depth // words) * -(-bits // width) for words, width in self.shapes.get(kind, ())), default=0)


def _kinds(family: str) -> dict[str, dict[str, int]]:
    """Return what the measurements count of a family."""
    names = {"luts": "lut", "ffs": "ff", "ram": "lutram", "blocks": "bram"}
    return {names[kind]: {pattern: 1} for kind, pattern in FAMILIES[family][1].items()}


def _gowin(part: str, family: str, luts: int, blocks: int, pins: str) -> Part:
    """Return a part of Gowin, whose pins have to be named: those of :data:`PORTS`, one after the other."""
    lines = "".join(f'IO_LOC "{port}" {pin};\n' for port, pin in zip(PORTS, pins.split(), strict=True))
    return Part(options=("--device", part, "--vopt", f"family={family}"), luts=luts, blocks=blocks, pins=lines)


BLOCKS = {"25k": 56, "45k": 108, "85k": 208, "hx8k": 32}
"""Block memories of the devices."""

PLACED = {
    name: Part(options=(f"--{name}", "--package", device.package), luts=device.luts, blocks=BLOCKS[name])
    for name, device in DEVICES.items()
}
"""Devices that the measurements place on, too."""

PORTS = ("clk", "rst", "data", "load", "result")
"""Pins of the harness."""

TARGETS = {
    "ecp5": Target(
        title="Lattice ECP5, placed and routed",
        synth=FAMILIES["ecp5"][0],
        kinds={
            "lut": {"LUT4": 1, "CCU2C": 2},
            "ff": {"TRELLIS_FF": 1},
            "lutram": {"TRELLIS_DPR16X4": 1},
            "bram": {"DP16KD|PDPW16KD": 1},
            "carry": {"CCU2C": 1},
        },
        nextpnr="ecp5",
        parts={name: PLACED[name] for name in ("25k", "45k", "85k")},
        speeds=(6, 7, 8),
        used={"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "bram": "DP16KD"},
        # Four LUTs hold the words, and the slice with the port that writes them has no use for its own two.
        takes={"lut": 1, "lutram": 6},
        shapes={"lutram": ((16, 4),), "bram": ((512, 36), (1024, 18), (2048, 9), (4096, 4), (8192, 2), (16_384, 1))},
        narrow=NARROW,
    ),
    "ice40": Target(
        title="Lattice iCE40, placed and routed",
        synth=FAMILIES["ice40"][0],
        kinds={**_kinds("ice40"), "carry": {"SB_CARRY": 1}},
        nextpnr="ice40",
        parts={"hx8k": PLACED["hx8k"]},
        used={"lut": "ICESTORM_LC", "bram": "ICESTORM_RAM"},
        takes={"lut": 1},
    ),
    "gowin": Target(
        title="Gowin GW1NR-9 and GW2A-18, placed and routed",
        synth="synth_gowin -top {top}",
        kinds={
            "lut": {"LUT[1-4]": 1, "ALU": 1},
            "ff": {r"DFF\w*": 1},
            "lutram": {r"RAM16\w+": 1},
            "bram": {r"(SP|SDP|DP|ROM|pROM|DPX|SPX|SDPX|pROMX)9?B?|DPX9B|SDPX9B": 1},
            "carry": {"ALU": 1},
        },
        nextpnr="himbaechel-gowin",
        parts={
            "gw1nr-9": _gowin("GW1NR-LV9QN88PC6/I5", "GW1N-9C", 8_640, 26, "52 25 26 27 28"),
            "gw2a-18": _gowin("GW2A-LV18PG256C8/I7", "GW2A-18", 20_736, 46, "H11 T10 T3 T2 L16"),
        },
        used={"lut": "LUT4", "ff": "DFF", "bram": "BSRAM"},
        # A tile with one has no other logic.
        takes={"lut": 1, "lutram": 8},
        narrow=NARROW,
    ),
    "xilinx": Target(
        title="Xilinx 7 series, area and depth: there is no open router for it here",
        synth=FAMILIES["xilinx"][0],
        kinds={**_kinds("xilinx"), "carry": {"CARRY4": 1}},
        logic="* t:FD* %d t:RAM* %d t:SRL* %d",
        narrow=NARROW,
    ),
    "generic": Target(
        title="6-input LUTs of no device, area and depth; memories are left as they are",
        synth=GENERIC,
        kinds={"lut": {r"\$lut": 1}, "ff": {r"\$_\w*DFF\w*": 1}},
        logic="* t:$mem* %d",
    ),
    "osu035": Target(
        title=f"standard cells of 0.35 um, area and clock rate before placement (Debian: {OSU035.packages})",
        synth=SYNTH,
        kinds={"gate": {r"(?!DFF|LATCH|\$)\w+": 1}, "ff": {r"DFF\w+": 1}},
        library=OSU035,
    ),
}
"""Targets by name."""
