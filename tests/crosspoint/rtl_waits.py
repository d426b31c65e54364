"""What the hardware itself says of waits and ways: which flags heads heed, what flags cover, where next sets lead."""

# amaranth: UnusedElaboratable=no
from collections.abc import Iterable
from typing import Any

from amaranth.hdl import Module
from amaranth.sim import Simulator

from cubecast.golden.crosspoint.algorithms.packets import Header
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.units import Crosspoint, Port
from cubecast.golden.crosspoint.contract.word import Kind, has_queue
from cubecast.rtl.crosspoint.input import Input
from cubecast.rtl.crosspoint.next_set import NextSet
from cubecast.rtl.crosspoint.output import Output
from cubecast.rtl.crosspoint.run_end import RunEnd

__all__ = ["covers_of", "heeded_by", "ways_of"]

FLAGS = ("ready", "ready_up")


def heeded_by(config: CrosspointConfig) -> dict[tuple[int, int], frozenset[str]]:
    """Return by queue (i, j) the flags without which the output of link j keeps its head back; none: it goes."""
    m, found = Module(), {}
    outputs = [Output(Port(router=config, port=j)) for j in range(config.dim)]
    m.submodules += outputs

    async def look(ctx: Any) -> None:
        """Let one head at a time ask, with all flags but one."""
        for j, output in enumerate(outputs):
            for k, i in enumerate(output.inputs):
                ctx.set(output.i[k].ne, 1)
                ctx.set(output.i[k].push, 1)
                kept = set()
                for flag in FLAGS:
                    for name in FLAGS:
                        ctx.set(getattr(output, name), name != flag)
                    kept |= {flag} if not ctx.get(output.head) else set()
                for name in FLAGS:
                    ctx.set(getattr(output, name), 1)
                assert ctx.get(output.head), "a head with all flags must go"
                found[i, j] = frozenset(kept)
                ctx.set(output.i[k].ne, 0)

    _run(m, look)
    return found


def covers_of(config: CrosspointConfig) -> dict[tuple[int, str], frozenset[int]]:
    """Return by input j and flag the outputs k whose queue (j, k) has to have room for it."""
    m, found = Module(), {}
    inputs = [Input(Port(router=config, port=j)) for j in range(config.dim)]
    m.submodules += inputs

    async def look(ctx: Any) -> None:
        """Take the room of one queue at a time."""
        every = (1 << config.ports) - 1
        closed: dict[tuple[int, str], set[int]] = {(j, flag): set() for j in range(config.dim) for flag in FLAGS}
        for k in (None, *range(config.ports)):
            for enter in inputs:
                ctx.set(enter.room, every if k is None else every ^ 1 << k)
            await ctx.tick()
            for j, enter in enumerate(inputs):
                for flag in FLAGS:
                    if k is None:
                        assert ctx.get(getattr(enter, flag)), "with room everywhere all flags are set"
                    elif not ctx.get(getattr(enter, flag)):
                        closed[j, flag].add(k)
        found.update({place: frozenset(these) for place, these in closed.items()})

    _run(m, look, clocked=True)
    return found


def ways_of(
    config: CrosspointConfig, headers: Iterable[Header]
) -> tuple[dict[Header, list[int]], set[tuple[int, int, int]]]:
    """Follow headers from node 0 by the run ends and next sets alone.

    Return by header the nodes that it is delivered to, an entry for each delivery, and every (i, j, k): a head in queue
    (i, j) went on into queue (j, k).
    """
    m, n = Module(), config.dim
    places = [(i, j) for i in range(config.ports) for j in range(n) if has_queue(config, i, j)] + [(n, n)]
    units = {(i, j): NextSet(Crosspoint(router=config, input=i, output=j)) for i, j in places}
    m.submodules += units.values()
    for (i, j), unit in units.items():
        if i >= j:
            m.submodules[f"run_end_{i}_{j}"] = end = RunEnd(unit.config)
            m.d.comb += [getattr(end, name).eq(getattr(unit, name)) for name in ("r1", "r2", "kind")]
            m.d.comb += [unit.over.eq(end.over), unit.turns.eq(end.turns)]
    found, steps = {}, set()

    async def look(ctx: Any) -> None:
        """Take each header through the cube."""

        def next_of(place: tuple[int, int], header: Header) -> tuple[list[int], Header]:
            unit, (_, j) = units[place], place
            for name, value in (("r1", header.r1), ("r2", header.r2), ("kind", header.kind), ("data", header.bitmap)):
                ctx.set(getattr(unit, name), value)
            push, bitmap = ctx.get(unit.push), header.bitmap
            if header.kind == Kind.BITMAP and j < config.bitmap_dims:
                bitmap = bitmap >> (1 << j) & (1 << (1 << j)) - 1
            after = Header(header.kind, ctx.get(unit.left_r1), ctx.get(unit.left_r2), bitmap)
            return [k for k in range(config.ports) if push >> k & 1], after

        for header in headers:
            found[header] = there = []
            todo = [(0, n, k, header) for k in next_of((n, n), header)[0]]
            for node, i, j, head in todo:
                further, left = next_of((i, j), head)
                behind = node ^ 1 << j
                steps.update((i, j, k) for k in further)
                there += [behind] * (n in further)
                todo += [(behind, j, k, left) for k in further if k < n]

    _run(m, look)
    return found, steps


def _run(m: Module, look: Any, clocked: bool = False) -> None:
    """Run a testbench to its end."""
    simulator = Simulator(m)
    if clocked:
        simulator.add_clock(1e-6)
    simulator.add_testbench(look)
    simulator.run()
