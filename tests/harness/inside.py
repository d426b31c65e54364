"""Registers and ports inside an elaborated unit, for specifications whose proof needs an invariant on them."""

from amaranth.hdl import Fragment

from cubecast.rtl.common.amaranth_private import assigned

__all__ = ["opened", "register", "unit"]


def opened(component):
    """Elaborate a unit with everything in it, once; the result goes into the specification in its place."""
    return Fragment.get(component, None)


def unit(fragment, *path):
    """Return the component that an opened unit has as a submodule, for its ports."""
    for submodule in path:
        fragment = fragment.find_subfragment(submodule)
    return fragment.origins[0]


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
