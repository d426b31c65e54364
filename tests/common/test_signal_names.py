"""Signals have the names of their variables, by the source text, whatever the version of Python."""

import importlib
import re

import pytest
from amaranth import Module, Signal, tracer

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.instance import collect
from cubecast.systems import system_of, units


def test_names_are_those_of_the_variables():
    """Of every kind of assignment that hardware is written with, over several lines too; others have none."""
    box = Module()
    first, second = Signal(), Signal(2)
    box.third = fourth = Signal()
    many = [Signal(), Signal(3)]
    table = {key: Signal() for key in range(2)}
    (fifth, [sixth]) = Signal(), [Signal()]
    chosen = Signal() if first is not None else None
    given: Signal = Signal.like(
        second,
        init=1,
    )
    assert [signal.name for signal in (first, second, fourth, fifth, sixth)] == [
        *("first", "second", "third", "fifth", "sixth")
    ]
    assert {signal.name for signal in many} == {"many"} and {signal.name for signal in table.values()} == {"table"}
    assert (chosen.name, given.name) == ("chosen", "given")
    assert Signal(name="other").name == "other"
    assert [Signal()][0].name == "$signal"


def test_without_source_amaranth_finds_what_it_can():
    """Code that is in no file has the names that its bytecode tells."""
    found = {}
    exec("from amaranth import Signal\nalone = Signal()\n", found)
    assert found["alone"].name == "alone"
    with pytest.raises(tracer.NameNotFound):
        tracer.get_var_name(1)


@pytest.mark.parametrize(
    ("unit", "config"),
    [
        ("self-test", Config(dim=2)),
        ("self-test", Config(dim=2, policy="ordered", fault_tolerant=False)),
        ("packet-router", PacketConfig(dim=2, link="serial")),
        ("packet-router", PacketConfig(dim=2, routing="fixed", fault_tolerant=False)),
        ("crosspoint-router", CrosspointConfig(dim=3)),
        ("collective-node", CollectiveConfig(router=Config(dim=2, source_field=True))),
    ],
)
def test_no_signal_is_without_a_name(unit, config):
    """In no module of the design: what has no variable has its name given."""
    system, made = units()[unit]
    assert system is system_of(config)
    module, _, name = made.component.partition(":")
    with collect() as modules:
        modules.convert(getattr(importlib.import_module(module), name)(config, **made.extra), "top")
    text = str(modules)
    assert len(re.findall(r"^ *wire .*\\\w+", text, re.M)) > 1000
    assert re.findall(r"^ *wire .*\\\$\S+", text, re.M) == []
