"""Netlist: a unit with a number of bugs planted by Yosys, of which an input selects one, and what can be proven of it.

Yosys' pass ``mutate`` changes one bit at one port of a cell: a constant in its place, its inverse, or its inverse
while another bit of that port is 0 or 1.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from cubecast.options.usage import ToolError
from cubecast.tb.harness import yosys
from cubecast.tb.harness.modules import Ports
from cubecast.tb.harness.presets import preset

__all__ = [
    "OWN",
    "SELECT",
    "TOP",
    "TRANSLATED",
    "WIDTH",
    "Answer",
    "Mutant",
    "connected",
    "difference",
    "made",
    "module_of",
    "moved",
    "other_cells",
    "own_cells",
    "placed_in",
    "plant",
    "planted",
    "rtlil_of",
    "surrounding",
    "taken_out",
    "translated",
]

TOP = "top"

SELECT = "mutsel"
"""Name of the input that says which mutant the design is; 0: none."""

WIDTH = 16
"""Its width in bits."""

MOST = (1 << WIDTH) - 1

SPARE = 1
"""For each mutant as many more are listed, for those that are left out."""

LEFT_OUT = r"-port (?:CLK|ARST|SRST|EN|Q|clk)\b"
"""No mutants at clocks, and at ports of memories that must be constant; nor behind registers, which ``mutate`` deprives
of their initial values. Those at ``D``, and before the enables of memories, remain."""

TRANSLATED = ["proc -noopt", "opt_expr", "opt_clean"]
"""Registers and multiplexers; what the parameters make constant within a module is no place for a mutant."""

READ = ["read_rtlil top.il", f"hierarchy -top {TOP}", *TRANSLATED]

LEFT = ["flatten", "opt_expr", "opt_clean", "tee -q -o left.txt select -list c:*"]
"""The names of all cells that constants from other modules leave, too."""

OWN = "own.il"
"""The unit's own module, with what it places taken out: outputs of that are inputs, its inputs outputs."""

BETWEEN = "___"
"""Between the name of what is taken out and that of its port."""

TAKEN_OUT = [
    *("read_rtlil mutated.il", f"expose -evert -sep {BETWEEN} {TOP}/t:*", f"hierarchy -top {TOP}"),
    *(f"write_rtlil {OWN}", "write_verilog -noattr own.v"),
]

AROUND = "surroundings"
"""Module that looks at the ports of another one: its inputs, ``unit__<port>``, are all of them."""

INSIDE = r"^ *wire (?:width (\d+) )?input \d+ +\\inside__(\S+)$"
"""Its further inputs: registers of the other one."""

OWN_INPUT = r"^ *wire .*output \d+ +\\same__(\S+)$"
"""Its outputs that say while an input of the other one has to be the same for original and mutant."""

OF_CLOCK = ("clk", "rst")
"""Ports of a module that its unit does not name."""

MITER = [
    *("read_rtlil mutated.il", f"read_rtlil {AROUND}.il", "read_verilog -formal miter.v", "hierarchy -top miter"),
    *("proc -noopt", "flatten", "memory -nomap"),
    *("memory_map", "opt", "async2sync", "dffunmap", "techmap", "setundef -undriven -init -zero", "opt -full"),
    *("simplemap", "dffunmap", "opt_clean", "aigmap", "delete t:$scopeinfo", "write_aiger -I -L -zinit miter.aig"),
]
"""Original and mutant beside each other, in gates; a register without a first value, as of a memory's port, has 0."""

CARRIER = """\
design -reset
read_verilog carrier.v
simplemap
abc -script solve.abc
"""
"""ABC is called for a design that has nothing to do with the question, and ends without a result for it."""

MERGED = ("scorr", "scorr -c\nfold")
"""Registers that are always equal become one, without assumptions and with them, which become part of the question."""

SOLVE = """\
read_aiger miter.aig
{merged}
write_aiger reduced.aig
pdr -T {seconds}
write_status status.txt
"""
"""Then property-directed reachability, from the reset state."""

SOLVE_FURTHER = """\
read_aiger reduced.aig
dprove -b -j -p
write_status status.txt
"""
"""What that does not answer: equal wires by induction over up to four cycles, the logic being rewritten in between."""

LEAVES = ("reduced.aig", "status.txt")
"""Files that a question leaves: what is left of it, and the answer."""


CELL = r"^((?:  attribute \\src [^\n]*\n)?)  cell (\S+) (\S+)\n(.*?)^  end$"
"""A cell with its sources, kind, name and all else."""


class Mutant(NamedTuple):
    """One bug.

    Parameters
    ----------
    number : int
        What selects it.
    what : str
        Options of ``mutate`` that plant it.
    sources : tuple of str
        Lines of Python that the place comes from, ``rtl/<system>/<unit>.py:<line>``.
    left : bool
        Whether the cell is still there when constants go from module to module; where not, no input can show it.
    """

    number: int
    what: str
    sources: tuple[str, ...]
    left: bool

    @property
    def module(self) -> str:
        """The module that it is in."""
        return module_of(self.what)


class Answer(NamedTuple):
    """Whether original and mutant can be told apart: ``same``, ``differs`` in cycle ``depth``, or ``open``."""

    verdict: str
    depth: int | None = None


def made(component: str, config: Any, extra: Mapping[str, Any], presets: Mapping[str, int] | None = None) -> Any:
    """Return a unit, ``"package.module:Class"``, as it is for a lockstep run."""
    module, _, attribute = component.partition(":")
    unit = getattr(importlib.import_module(module), attribute)
    return (preset(unit, presets) if presets else unit)(config, **extra)


def placed_in(component: str, config: Any, extra: Mapping[str, Any]) -> Callable[[str], Any]:
    """Return a function from the name of a module of a unit to what it is made of: class, parameters and extra."""
    instance = importlib.import_module("cubecast.rtl.common.instance")
    with instance.collect() as modules:
        modules.convert(made(component, config, extra), TOP)
    found: Callable[[str], Any] = modules.unit
    return found


def rtlil_of(component: str, config: Any, extra: Mapping[str, Any], presets: Mapping[str, int] | None = None) -> str:
    """Return the netlist that a unit's Verilog for a lockstep run is made of; arguments as of :func:`made`."""
    instance = made(component, config, extra, presets)
    return str(importlib.import_module("cubecast.rtl.common.verilog").netlist(instance, TOP))


def translated(rtlil: str, folder: Path) -> str:
    """Return a netlist as mutants are planted in it."""
    (folder / "top.il").write_text(rtlil)
    _yosys([*READ, "write_rtlil read.il"], folder)
    return (folder / "read.il").read_text()


def own_cells(rtlil: str, module: str) -> dict[str, tuple[str, ...]]:
    """Return the cells of a module by name, in their order, with kind, parameters and sources; units have none."""
    found = {}
    for sources, kind, name, rest in _cells(rtlil, module):
        own = kind.startswith("$")
        found[name] = (kind, sources, *sorted(re.findall(r"^    parameter (.*)$", rest, re.M))) if own else ()
    return dict(sorted(found.items(), key=lambda cell: _numbered(cell[0])))


def other_cells(one: Mapping[str, tuple[str, ...]], other: Mapping[str, tuple[str, ...]]) -> dict[str, str] | None:
    """Return which cells of a module are those of another one, as Yosys takes their names; None: they are not."""
    if list(one.values()) != list(other.values()):
        return None
    return {mine.removeprefix("\\"): its.removeprefix("\\") for mine, its in zip(one, other, strict=True)}


def moved(mutant: str, module: str, other: str, cells: Mapping[str, str]) -> str:
    """Return a mutant of a module as one of another module, whose cells have other names."""
    there = mutant.replace(f"-module {module} ", f"-module {other} ")
    return re.sub(r"(?<=-cell )\S+", lambda cell: cells[cell[0].removeprefix("\\")], there)


def module_of(mutant: str) -> str:
    """Return the module that a mutant is in."""
    return mutant.partition("-module ")[2].partition(" ")[0]


def connected(rtlil: str, module: str) -> frozenset[tuple[str, str]]:
    """Return the ports that the cells of a module have, each with the cell, without backslashes."""
    return frozenset(
        (name.removeprefix("\\"), port)
        for _, _, name, rest in _cells(rtlil, module)
        for port in re.findall(r"^    connect \\(\S+)", rest, re.M)
    )


def _cells(rtlil: str, module: str) -> list[tuple[str, ...]]:
    """Return the cells of a module: sources, kind, name and all else."""
    found: list[tuple[str, ...]] = re.findall(CELL, _body(rtlil, module), re.M | re.S)
    return found


def _body(rtlil: str, module: str) -> str:
    """Return the text of a module."""
    begin = rtlil.index(f"\nmodule \\{module}\n")
    return rtlil[begin : rtlil.index("\nend\n", begin)]


def _numbered(name: str) -> list[tuple[int, str]]:
    """Return the name of a cell as text and numbers in turn, for cells in the order in which they are made."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def plant(rtlil: str, count: int, seed: int, folder: Path, *, own: bool = False) -> tuple[list[Mutant], str]:
    """Plant mutants, spread evenly over sources, cells and wires; return them and the Verilog that has all of them.

    Parameters
    ----------
    rtlil : str
        The netlist, with sources.
    count : int
        How many; a small design may have fewer places.
    seed : int
        Chooses them.
    folder : Path
        Gets ``mutated.il``, which :func:`difference` reads.
    own : bool
        In the unit's own module only: at its cells, and at the ports of the units that it places.

    Raises
    ------
    ToolError
        Yosys did not do it.
    """
    (folder / "top.il").write_text(rtlil)
    asked = (1 + SPARE) * count
    where = f"-module {TOP} " if own else ""
    listed = f"mutate -list {asked} -seed {seed} {where}-o mutants.txt t:$meminit_v2 %n"
    _yosys([*READ, "write_rtlil read.il", listed, *LEFT], folder)
    left = {line.partition("/")[2] for line in (folder / "left.txt").read_text().splitlines()}
    mutants = mutants_of((folder / "mutants.txt").read_text(), left)
    # Where a design has few places, the list goes from one to the next.
    chosen = sorted(Random(seed).sample(range(len(mutants)), min(count, len(mutants))))
    mutants = [mutants[place]._replace(number=number) for number, place in enumerate(chosen, 1)]
    if not mutants:
        raise ToolError("the design has no place for a mutant")
    return mutants, planted(mutants, folder)


def planted(mutants: Sequence[Mutant], folder: Path) -> str:
    """Plant these mutants in what :func:`translated` left in a folder; return the Verilog that has all of them."""
    commands = [f"mutate -ctrl {SELECT} {WIDTH} {mutant.number} {mutant.what}" for mutant in mutants]
    _yosys(["read_rtlil read.il", *commands, "write_rtlil mutated.il", "write_verilog -noattr mutated.v"], folder)
    return (folder / "mutated.v").read_text()


def mutants_of(listed: str, left: set[str]) -> list[Mutant]:
    """Return what Yosys lists, without doubles and what is left out.

    Parameters
    ----------
    listed : str
        Its lines.
    left : set of str
        Names of the cells of the flattened design.
    """
    found: dict[str, Mutant] = {}
    for line in listed.splitlines():
        head, _, rest = line.partition(" -src ")
        what = re.sub(r" -wire(?:bit)? \S+", "", head.removeprefix("mutate ")).strip()
        cell = re.search(r"-cell (\S+)", what)
        if cell is None or what in found or re.search(LEFT_OUT, what.replace("\\", "")):
            continue
        sources = re.findall(r"\b((?:rtl|tests)/\w+/\w+\.py:\d+)", rest)
        inner = cell[1].removeprefix("\\")
        there = any(name == cell[1] or name.endswith(f".{inner}") for name in left)
        found[what] = Mutant(len(found) + 1, what, tuple(sources), there)
    return list(found.values())


def taken_out(folder: Path) -> str:
    """Write the unit's own module alone, for :func:`difference`; return its Verilog. The folder is that of a plant."""
    _yosys(TAKEN_OUT, folder)
    return (folder / "own.v").read_text()


def difference(
    folder: Path,
    ports: Ports,
    number: int,
    masked: Mapping[str, str],
    *,
    seconds: int = 20,
    top: str = TOP,
    source: str = "mutated.il",
    around: str = "",
) -> Answer:
    """Ask whether any inputs, from the reset state on, make a mutant's outputs differ from the original's.

    Several processes may ask.

    Parameters
    ----------
    folder : Path
        Where :func:`plant` worked.
    ports : Ports
        Those of ``top``.
    number : int
        The mutant.
    masked : dict
        Outputs compared only while the output ``valid`` of the same stream is asserted, or, where there is none, the
        one that stands here; with an empty name always.
    seconds : int
        How long the solver may take.
    top : str
        The module that is asked about: the whole unit, or one that the mutant is in, whose inputs are free then.
    source : str
        The file that it is in; with :data:`OWN` the unit's own module, whatever is placed in it does.
    around : str
        What :func:`surrounding` returns: inputs are such as it allows in every cycle so far, beside the original or
        beside the mutant, and an output is compared while it counts beside either; registers of the original are as
        it says.
    """
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        place = Path(scratch)
        (place / "mutated.il").write_text(text := (folder / source).read_text())
        (place / f"{AROUND}.il").write_text(around)
        seen = [name for _, name in re.findall(INSIDE, around, re.M)]
        if missing := [name for name in seen if not re.search(rf"^ *wire .*\\{name}$", _body(text, top), re.M)]:
            raise ToolError(f"{top} has no {', '.join(missing)}")
        (place / "miter.v").write_text(_miter(top, ports, number, masked, around))
        (place / "carrier.v").write_text("module carrier(input a, input b, output y); assign y = a & b; endmodule\n")
        commands = [MITER[0], *(f"expose {top}/w:{name}" for name in seen), *MITER[1:], CARRIER]
        script = SOLVE.format(seconds=seconds, merged=MERGED[bool(around)])
        answer = _solved(place, commands, script, 300 + 3 * seconds)
        if answer.verdict == "open" and (place / LEAVES[0]).exists():
            further = _solved(place, [CARRIER], SOLVE_FURTHER, seconds)
            # In which cycle they differ, it does not say: it moves registers.
            return further if further.verdict == "same" else answer
        return answer


def _solved(place: Path, commands: Sequence[str], script: str, seconds: int) -> Answer:
    """Return what ABC answers in a folder by a script, Yosys having done what comes before it."""
    (place / "solve.abc").write_text(script)
    (place / "solve.ys").write_text("\n".join(commands))
    try:
        done = yosys.run(["-q", "-s", "solve.ys"], folder=place, timeout=seconds)
    except subprocess.TimeoutExpired:
        return Answer("open")
    except yosys.YosysBroke:
        # What has been asked, and is too deep for the solver's stack, has no answer.
        if (place / "miter.aig").exists():
            return Answer("open")
        raise
    if not (place / "miter.aig").exists():
        raise ToolError(f"Yosys did not make the question:\n{(done.out + done.err)[-2000:]}")
    return _answer(*(file.read_bytes() if (file := place / name).exists() else b"" for name in LEAVES))


def _answer(reduced: bytes, status: bytes) -> Answer:
    """Return what ABC wrote: what is left of the question, and the kind of answer with the frame that shows it."""
    head, _, rest = reduced.partition(b"\n")
    # Nothing is left but an output that is always 0; the solver has no word for that.
    if re.fullmatch(rb"aig \d+ \d+ 0 1 0", head) and rest.startswith(b"0\n"):
        return Answer("same")
    words = status.split()
    if words[:1] == [b"snl_UNSAT"]:
        return Answer("same")
    if words[:1] == [b"snl_SAT"]:
        # Behind the name of the engine: which output of the question, and in which cycle.
        frames = [int(word) for word in words[4:5] if word.isdigit()]
        return Answer("differs", *frames)
    return Answer("open")


def _valid_of(name: str, outputs: Mapping[str, int]) -> str | None:
    """Return the output that says whether another one counts, None if there is none.

    ``o__valid`` for ``o__data``, ``s_axi_rvalid`` for ``s_axi_rdata``, ``valid`` for ``reason`` beside it.
    """
    words = name.split("__")
    names = ["__".join([*words[:count], "valid"]) for count in range(len(words) - 1, 0, -1)]
    names += [f"{channel}valid" for channel in re.findall(r"^(.*_(?:aw|ar|w|r|b|t))[a-z]+$", name)]
    names += ["valid"] * (len(words) == 1)
    return next((found for found in names if found in outputs and found != name), None)


def surrounding(looker: Any) -> str:
    """Return the module that looks at the ports of a unit, a component with ``unit``, ``allowed`` and others."""
    return str(importlib.import_module("cubecast.rtl.common.verilog").netlist(looker, AROUND))


def _miter(top: str, ports: Ports, number: int, masked: Mapping[str, str], around: str = "") -> str:
    """Return the design whose only output says that original and mutant of a module differ."""
    inputs = dict(ports.inputs) | ({"clk": 1} if ports.clocked else {})
    own = re.findall(OWN_INPUT, around, re.M)
    inside = {name: int(width or 1) for width, name in re.findall(INSIDE, around, re.M)}
    others = {f"other__{name}": inputs[name] for name in own}
    lines = [f"  input [{width - 1}:0] {name};" for name, width in (inputs | others).items()]
    terms = []
    for name, width in ports.outputs.items():
        lines.append(f"  wire [{width - 1}:0] gold__{name}, gate__{name};")
        valid = (_valid_of(name, ports.outputs) or masked[name] or None) if name in masked else None
        differ = f"gold__{name} != gate__{name}"
        if around:
            lines.append(f"  wire gold_counts__{name}, gate_counts__{name};")
            differ = f"(gold_counts__{name} || gate_counts__{name}) && {differ}"
        terms.append(f"({differ})" if valid is None else f"(gold__{valid} && {differ})")
    for side, selected in (("gold", 0), ("gate", number)):
        given = {name: name for name in inputs}
        for name in own:
            lines.append(f"  wire {side}_same__{name};")
            if side == "gate":
                same = f"gold_same__{name} || gate_same__{name}"
                given[name] = f"gate_given__{name}"
                lines.append(f"  wire [{inputs[name] - 1}:0] {given[name]} = {same} ? {name} : other__{name};")
        wires = [f".{name}({value})" for name, value in given.items()]
        wires += [f".{name}({side}__{name})" for name in ports.outputs]
        for name, width in inside.items():
            lines.append(f"  wire [{width - 1}:0] {side}_inside__{name};")
            wires.append(f".{name}({side}_inside__{name})")
        lines.append(f"  {top} {side} ({', '.join([*wires, f'.{SELECT}({WIDTH}' + chr(39) + f'd{selected})'])});")
        if around:
            lines += _allowed(side, ports, given, own, inside, around)
    # Not one behind the other: a sum of hundreds of terms is as deep as it is long, too deep for a small stack.
    lines.append(f"  assign differ = |{{{', '.join(terms)}}};")
    if around:
        lines.append("  always @* assume ((gold_legal || gate_legal) && gold_kept);")
    names = ", ".join([*inputs, *others, "differ"])
    return "\n".join([f"module miter({names});", "  output differ;", *lines, "endmodule", ""])


def _allowed(
    side: str, ports: Ports, given: Mapping[str, str], own: Iterable[str], inside: Iterable[str], around: str
) -> list[str]:
    """Return the lines that say of one of the two whether its surroundings have allowed everything so far.

    ``given`` are its inputs, ``own`` those of them that need not be the same for both, ``inside`` its registers.
    """
    there = set(re.findall(r"^ *wire .*put \d+ +\\(\S+)$", around, re.M))
    # Of its own a module has these only if something is remembered there.
    joined = {name: name for name in OF_CLOCK if name in given and name in there}
    joined |= {f"unit__{name}": value for name, value in given.items() if name not in OF_CLOCK}
    joined |= {f"unit__{name}": f"{side}__{name}" for name in ports.outputs}
    joined |= {f"counts__{name}": f"{side}_counts__{name}" for name in ports.outputs}
    joined |= {f"same__{name}": f"{side}_same__{name}" for name in own}
    joined |= {f"inside__{name}": f"{side}_inside__{name}" for name in inside}
    joined |= {name: f"{side}_{name}" for name in ("allowed", "kept")}
    if joined.keys() != there:
        raise ToolError(
            f"{AROUND} must have the ports of the unit, and {', '.join(sorted(joined.keys() ^ there))} are others"
        )
    wires = [f".{one}({other})" for one, other in joined.items()]
    lines = [f"  wire {side}_allowed, {side}_kept;", f"  {AROUND} {side}_around ({', '.join(wires)});"]
    if not ports.clocked:
        return [*lines, f"  wire {side}_legal = {side}_allowed;"]
    return [
        *lines,
        f"  reg {side}_left = 0;",
        f"  always @(posedge clk) {side}_left <= {side}_left | ~{side}_allowed;",
        f"  wire {side}_legal = ~{side}_left & {side}_allowed;",
    ]


def _yosys(commands: Sequence[str], folder: Path) -> None:
    """Run commands of Yosys in a folder."""
    (folder / "run.ys").write_text("\n".join([*commands, ""]))
    done = yosys.run(["-q", "-s", "run.ys"], folder=folder)
    if done.status:
        raise ToolError(f"Yosys ended with status {done.status}:\n{(done.out + done.err)[-2000:]}")
