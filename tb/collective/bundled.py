"""Testbenches of units between which bundles go: they name what is in bundles without them."""

import functools

from cubecast.golden.collective.contract.bundles import bare, bundled, ports

__all__ = ["by_bundles", "without_bundles"]


def by_bundles(*names):
    """Return a decorator of a stimulus: what it yields and is sent has its names in these bundles.

    Parameters
    ----------
    names : str
        Bundles of the unit; an input that is in several belongs to the first.
    """

    def decorate(stimulus):
        @functools.wraps(stimulus)
        def wrapped(random, config, **options):
            there, driving = ports(config, *names), stimulus(random, config, **options)
            outputs = None
            while True:
                try:
                    change = driving.send(outputs)
                except StopIteration:
                    return
                outputs = bare((yield bundled(change, there)))

        return wrapped

    return decorate


def without_bundles(watch):
    """Let a testbench's ``watch`` see what is in bundles by its names there."""

    @functools.wraps(watch)
    def wrapped(inputs, outputs, twin):
        return watch(twin.given, bare(outputs), twin)

    return wrapped
