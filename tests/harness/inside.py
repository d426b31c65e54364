"""Free inputs of a unit, parts that are anything, and what is inside an elaborated one: registers, ports, rows."""

import contextlib

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Const, Fragment, Module, Signal, Value
from amaranth.lib import wiring

from cubecast.rtl.common.amaranth_private import assigned
from cubecast.rtl.common.instance import place

__all__ = ["emptied", "emptying", "equal", "freed", "opened", "register", "row", "unit", "written"]


def opened(component):
    """Elaborate a unit with everything in it, once; the result goes into the specification in its place."""
    return Fragment.get(component, None)


def freed(m, component, still=None):
    """Let every input of a component do what it likes, but for the bits that stay 0: name of an input to their mask."""
    for path, member, signal in component.signature.flatten(component):
        if member.flow == wiring.In:
            moves = ~(still or {}).get("__".join(map(str, path)), 0) & (1 << len(signal)) - 1
            m.d.comb += signal.eq(AnySeq(len(signal)) & moves)


def emptied(component):
    """Return a unit with the ports of another one, whose outputs do what they like.

    ``within`` are its ports as they are behind those to the outside, with gates between them, so that what happens to a
    wire at a port is seen.
    """

    class Emptied(component):
        """Nothing inside."""

        def elaborate(self, platform):
            """Drive the outputs, and let the inputs come in."""
            m = Module()
            self.within = self.signature.create(path=("within",))
            ports = zip(self.signature.flatten(self), self.signature.flatten(self.within), strict=True)
            for (path, member, outer), (_, _, inner) in ports:
                out = member.flow == wiring.Out
                one, other = (inner, outer) if out else (outer, inner)
                gate = Signal(len(one), name="_".join(("gate", *map(str, path))))
                m.d.comb += [gate.eq(~Value.cast(one)), other.eq(~gate)]
                if out:
                    m.d.comb += inner.eq(AnySeq(len(inner)))
            return m

    return Emptied


@contextlib.contextmanager
def emptying(*rooms, kept=()):
    """Let modules of ``rtl`` place units such as are :func:`emptied`, but for those that are kept as they are."""
    before = {room: room.place for room in rooms if hasattr(room, "place")}

    def placed(m, name, unit, *parameters, **extra):
        """Place a unit whose outputs do what they like."""
        return place(m, name, unit if unit in kept else emptied(unit), *parameters, **extra)

    for room in before:
        room.place = placed
    try:
        yield
    finally:
        for room, its in before.items():
            room.place = its


def equal(one, other):
    """Return the assertions that two interfaces are joined: each port of the first one is that of the second."""
    found = []
    for path, _, value in one.signature.flatten(one):
        there = other
        for name in path:
            there = getattr(there, name) if isinstance(name, str) else there[name]
        found.append(Assert(value == there))
    return found


def unit(fragment, *path):
    """Return the component that an opened unit has as a submodule, for its ports; of an emptied one those within."""
    for submodule in path:
        fragment = fragment.find_subfragment(submodule)
    component = fragment.origins[0]
    return getattr(component, "within", component)


def register(fragment, *path):
    """Return a register of an opened unit: the names of the submodules that lead to it, then its own.

    Raises
    ------
    LookupError
        There is not exactly one register of this name.
    """
    *submodules, name = path
    for submodule in submodules:
        fragment = fragment.find_subfragment(submodule)
    found = [signal for signal in assigned(fragment) if signal.name == name]
    if len(found) != 1:
        raise LookupError(f"path must name one register, not {'.'.join(path)} ({len(found)} found)")
    return found[0]


def row(fragment, *path, address):
    """Return a row of a memory of an opened unit, by one more read port: names that lead to it, and a value."""
    for submodule in path:
        fragment = fragment.find_subfragment(submodule)
    data = Signal(fragment._data.shape)
    address = Value.cast(address)[: (fragment._data.depth - 1).bit_length()]
    fragment.read_port(domain="comb", addr=address, data=data, en=Const(1, 1), transparent_for=())
    return data


def written(fragment, *path):
    """Return enable, address and data of the write port of a memory of an opened unit: names that lead to it."""
    for submodule in path:
        fragment = fragment.find_subfragment(submodule)
    (port,) = fragment._write_ports
    return port._en, port._addr, port._data
