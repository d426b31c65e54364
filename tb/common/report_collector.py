"""Testbench of the report collector."""

from cubecast.tb.common.patterns import chance, moods
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Report at random from every unit; a report stays until it is taken."""
    valid = [0] * config.units
    for mood in moods(random, 30, report=(0.02, 0.3, 1.0), rst=(0.0, 0.0, 0.05)):
        change = {"rst": chance(random, mood["rst"])}
        for unit in range(config.units):
            if not valid[unit]:
                valid[unit] = chance(random, mood["report"])
                change[f"i__{unit}__valid"] = valid[unit]
                change[f"i__{unit}__reason"] = random.randrange(1, 16)
                change[f"i__{unit}__destination"] = random.getrandbits(config.dim)
        outputs = yield change
        for unit in range(config.units):
            valid[unit] &= not outputs[f"i__{unit}__ready"]


def watch(inputs, outputs, twin):
    """Name ties, and where a report comes from."""
    config = twin.config
    waiting = sum(inputs[f"i__{unit}__valid"] for unit in range(config.units))
    if waiting > 1:
        yield "all at once" if waiting == config.units else "tie"
        if inputs["rst"]:
            yield "reset"
    if outputs["valid"]:
        yield "injection" if outputs["port"] == config.dim else "upper lane" if outputs["lane"] else "link"
    else:
        yield "idle"


BENCH = Bench(
    unit="common.report_collector:ReportCollector",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        ("tie", "all at once", "injection", "link", "idle", "reset") + (("upper lane",) if config.lanes > 1 else ())
    ),
    watch=watch,
    config="cubecast.golden.common.contract.units:Control",
)
