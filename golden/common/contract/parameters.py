"""Parameter sets: checks with their messages, derived defaults, and the way to plain values and back.

Every check raises ``ValueError`` with one line: the parameter's name, what is allowed, and its value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Self

__all__ = [
    "DERIVED",
    "CubeParameters",
    "NodeParameters",
    "Parameters",
    "boolean",
    "integer",
    "one_of",
    "plain",
    "store_plain",
    "width_or_none",
]

DERIVED = -1
"""Marks a parameter whose default follows from others."""


def plain(value: Any) -> Any:
    """Return a value with NumPy's numbers and arrays as Python's, and what is iterable, but no text, as tuples."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    return tuple(plain(member) for member in value)


def store_plain(values: Any) -> None:
    """Make all fields of a frozen dataclass plain; for ``__post_init__``."""
    for field in dataclasses.fields(values):
        object.__setattr__(values, field.name, plain(getattr(values, field.name)))


def integer(name: str, value: object, low: int, high: int) -> int:
    """Return ``value`` if it is an integer from ``low`` to ``high``, else raise ``ValueError``."""
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} must be an integer from {low} to {high}, not {value!r}")
    return value


def boolean(name: str, value: object) -> None:
    """Raise ``ValueError`` unless ``value`` is a bool."""
    if type(value) is not bool:
        raise ValueError(f"{name} must be True or False, not {value!r}")


def one_of(name: str, value: object, allowed: Iterable[str]) -> None:
    """Raise ``ValueError`` unless ``value`` is one of the words ``allowed``."""
    allowed = tuple(allowed)
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")


def width_or_none(name: str, value: object, allowed: Iterable[int]) -> None:
    """Raise ``ValueError`` unless ``value`` is one of the widths ``allowed``, of which 0 stands for none."""
    allowed = tuple(allowed)
    if type(value) is not int or value not in allowed:
        shown = ", ".join(str(each or "none (0)") for each in allowed)
        raise ValueError(f"{name} must be one of {shown}, not {value!r}")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters:
    """A parameter set; a subclass is a frozen dataclass and checks everything in ``__post_init__``.

    A field with the metadata ``"part"``, a class, is a parameter set itself; its parameters stand beside the others in
    plain values. One with ``"later"`` came later than designs that exist, and is not in their Verilog unless it has
    another value than the default: neither in names of modules nor in comments.
    """

    @property
    def label(self) -> str:
        """What tells a unit's Verilog modules with different such parameters apart; empty: a design has one set."""
        return ""

    def derive(self, name: str, value: int) -> None:
        """Give a parameter that is :data:`DERIVED` its value; for ``__post_init__``."""
        given = getattr(self, name)
        if type(given) is int and given == DERIVED:
            object.__setattr__(self, name, value)

    def to_json(self) -> dict[str, Any]:
        """Return all parameters, those of parts among them, as plain values."""
        values: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            values |= value.to_json() if isinstance(value, Parameters) else {field.name: value}
        return values

    def later(self) -> dict[str, Any]:
        """Return the parameters that came later, those of parts among them, by name; None: the default."""
        values: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Parameters):
                values |= value.later()
            elif field.metadata.get("later"):
                values[field.name] = None if value == field.default else value
        return values

    @classmethod
    def names(cls) -> frozenset[str]:
        """Return the names of all parameters, those of parts among them."""
        parts = {field.name: field.metadata.get("part") for field in dataclasses.fields(cls)}
        own = (name for name, kind in parts.items() if kind is None)
        return frozenset(own).union(*(kind.names() for kind in parts.values() if kind is not None))

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """Make a parameter set of what :meth:`to_json` gave; unknown and missing names raise ``ValueError``."""
        known = cls.names()
        for name in values:
            one_of("parameter name", name, sorted(known))
        given: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            kind = field.metadata.get("part")
            if kind is not None:
                given[field.name] = kind.from_json({name: values[name] for name in values if name in kind.names()})
            elif field.name in values:
                given[field.name] = values[field.name]
            elif field.default is field.default_factory is dataclasses.MISSING:
                raise ValueError(f"{field.name} must be given, not left out: it has no default")
        return cls(**given)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CubeParameters(Parameters):
    """A parameter set of a node of a hypercube, or of a unit in it.

    Parameters
    ----------
    dim : int
        Dimension n of the hypercube.
    """

    dim: int

    @property
    def nodes(self) -> int:
        """Number of nodes, N = 2**n."""
        return 1 << self.dim

    @property
    def ports(self) -> int:
        """Ports of a router: n links and the local port, whose index is n."""
        return self.dim + 1

    @property
    def local(self) -> int:
        """Index of the local port (LOCAL = n)."""
        return self.dim


@dataclasses.dataclass(frozen=True, kw_only=True)
class NodeParameters(Parameters):
    """A parameter set of a node that has something beside its router.

    Parameters
    ----------
    router : CubeParameters
        Parameters of the router; a subclass says of which.
    """

    router: CubeParameters

    def check_router(self, kind: type[CubeParameters], where: str, **least: int) -> None:
        """Raise ``ValueError`` unless the router is of a kind, and these of its parameters are large enough.

        Parameters
        ----------
        kind : class
            What ``router`` must be.
        where : str
            What needs it, in words.
        least : int
            The least values.
        """
        if not isinstance(self.router, kind):
            raise ValueError(f"router must be a {kind.__name__}, not {self.router!r}")
        for name, low in least.items():
            value = getattr(self.router, name)
            if value < low:
                raise ValueError(f"{name} must be at least {low} in a node with {where}, not {value!r}")

    @property
    def dim(self) -> int:
        """Dimension n of the hypercube."""
        return self.router.dim

    @property
    def nodes(self) -> int:
        """Number of nodes, N = 2**n."""
        return self.router.nodes
