"""A twin's step between units, which names what is in bundles without them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from cubecast.golden.collective.contract.bundles import bare, bundled, ports
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["by_bundles"]

Step = Callable[[Any, Inputs], Outputs]


def by_bundles(*names: str) -> Callable[[Step], Step]:
    """Return a decorator of ``step``: what goes in and comes out has its names in these bundles.

    The twin's ``given`` is what went in in the last cycle, by these names.

    Parameters
    ----------
    names : str
        Bundles of the unit; an output that is in several belongs to the first.
    """

    def decorate(step: Step) -> Step:
        @functools.wraps(step)
        def wrapped(self: Any, inputs: Inputs) -> Outputs:
            self.given = bare(inputs)
            return bundled(step(self, self.given), ports(self.config, *names))

        return wrapped

    return decorate
