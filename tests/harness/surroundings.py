"""Surroundings of a unit: which inputs it is given where it is placed, and when each of its outputs is looked at."""

from amaranth.hdl import Assert, Assume, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.rtl.common.amaranth_private import only_for_ports
from tests.harness.inside import opened
from tests.harness.spec import Spec, drive

__all__ = ["KeptSpec", "Surroundings", "beside"]


class Surroundings(wiring.Component):
    """Look at all ports of a unit, and say whether they are as its neighbours keep to; a subclass says it in ``say``.

    The statement is about ports, not about what is inside, so that it can be proven of those who place the unit;
    ``proven`` names the tests that do, and those of what ``kept`` says of registers.

    Parameters
    ----------
    unit : Component
        The unit, for its ports and parameters.

    Ports
    -----
    unit : in
        The ports of the unit, in either direction.
    allowed : out
        The neighbours may do this in this cycle.
    counts : out
        A bit for each output of the unit: a neighbour depends on it in this cycle; 1 where nothing is said.
    same : out
        A bit for each of ``answers``: it is the answer to something that is looked at; where it is 0, nothing is known
        of it, and original and mutant are given different ones.
    inside : in
        Registers of the unit.
    kept : out
        They are as they always are.
    """

    answers: tuple[str, ...] = ()
    """Inputs of the unit that depend on its outputs, in the same cycle."""

    proven: tuple[str, ...]
    """Tests of what is stated, ``<file>::<function>``."""

    def __init__(self, unit):
        only_for_ports(unit)
        self.of = unit
        seen, counts = _turned(unit.signature)
        super().__init__(
            {
                "unit": Out(seen),
                "allowed": Out(1, init=1),
                "counts": Out(counts),
                "same": Out(wiring.Signature({name: Out(1, init=1) for name in self.answers})),
                "inside": Out(wiring.Signature({name: In(width) for name, width in self.widths().items()})),
                "kept": Out(1, init=1),
            }
        )

    def widths(self):
        """Return the registers of the unit that ``kept`` is about, with their widths."""
        return {}

    def elaborate(self, platform):
        """Say it."""
        m = Module()
        self.say(m, self.unit, self.counts)
        return m

    def say(self, m, unit, counts):
        """Drive ``allowed``, ``kept``, and of ``counts`` what is not always 1."""
        raise NotImplementedError


def _turned(signature):
    """Return a signature with all ports in one direction, and one with a bit that is 1 for each output."""
    seen, counts = {}, {}
    for name, member in signature.members.items():
        if member.is_signature:
            its, counting = _turned(member.signature)
            seen[name], counts[name] = Out(its).array(*member.dimensions), Out(counting).array(*member.dimensions)
        else:
            seen[name] = In(member.shape).array(*member.dimensions)
            if member.flow == Out:
                counts[name] = Out(1, init=1).array(*member.dimensions)
    return wiring.Signature(seen), wiring.Signature(counts)


def beside(m, name, stated, component):
    """Put stated surroundings beside a unit of a specification, as a submodule of this name; return them."""
    looker = stated(component)
    m.submodules[name] = opened(looker)
    ports = zip(looker.unit.signature.flatten(looker.unit), component.signature.flatten(component), strict=True)
    m.d.comb += [Value.cast(seen).eq(Value.cast(port)) for (_, _, seen), (_, _, port) in ports]
    return looker


class KeptSpec(Spec):
    """The registers of a unit are as its surroundings say, if its inputs are.

    Parameters
    ----------
    config : configuration
        Parameters of the unit.
    unit : class
        The design; a broken one must be refuted.
    stated : class
        What is around it.
    """

    def __init__(self, config, unit, *, stated):
        self.stated = stated
        super().__init__(config, unit)

    def elaborate(self, platform):
        """Put both beside each other."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        looker = beside(m, "around", self.stated, dut)
        for name in looker.widths():
            m.d.comb += getattr(looker.inside, name).eq(self.register(name))
        m.d.comb += [Assume(looker.allowed), Assert(looker.kept)]
        return m
