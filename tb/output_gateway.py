"""Bench of the output gateway: many units, one link or the local port."""

from .lockstep import Bench
from .patterns import chance, moods
from .traffic import Drain, Source

__all__ = ["BENCH"]


def stimulus(random, config, local=False):
    """Offer messages of random length from every unit; the far side is a set of lanes, or a stalling processor."""
    units = config.units
    drawing = moods(random, 100, load=(0.005, 0.1, 1.0), gap=(0.0, 0.3), again=(0.05, 1.0), advance=(0.3, 1.0))
    while True:
        sources = [Source(random, config) for _ in range(units)]
        drain = Drain(random, config.lanes)
        outputs, rst = {}, 0
        change = {"rst": 0, "odd": chance(random, 0.5), "ready": (1 << config.lanes) - 1 if local else 0, "advance": 1}
        while not rst:
            mood = next(drawing)
            for unit, source in enumerate(sources):
                if not source.words and chance(random, mood["load"]):
                    length = random.choice((1, 2, random.randint(1, 6)))
                    words = [(random.getrandbits(config.width), 0, chance(random, 0.3)) for _ in range(length)]
                    source.send([*words[:-1], (words[-1][0], 1, words[-1][2])])
                values = source.next(outputs.get(f"i__{unit}__ready", 0), mood["gap"])
                names = ("valid", "data", "last", "error")
                change |= {f"i__{unit}__{name}": value for name, value in zip(names, values, strict=True)}
            if local:
                change["advance"] = chance(random, mood["advance"])
            elif outputs:
                change["ready"] = drain.next(outputs["valid"], outputs["last"], outputs["lane"], mood["again"])
            change["rst"] = rst = chance(random, 0.002)
            outputs = yield change
            change = {}


def watch(inputs, outputs, twin):
    """Name contention, holding until the end, stalls, and how lanes change."""
    config = twin.config
    asking = [unit for unit in range(config.units) if inputs[f"i__{unit}__valid"]]
    if inputs["rst"] and asking:
        yield "reset"
    if len({0 if unit == config.units - 1 else unit % config.lanes for unit in asking}) > 1:
        yield "contention of lanes"
    if len(asking) > 1:
        yield "contention"
        if outputs["valid"] and twin.locked:
            yield "held against others"
    if not outputs["valid"]:
        if asking:
            yield "held through a gap" if twin.locked else "lane not ready"
        return
    yield "word moves" if inputs["advance"] else "stall"
    if outputs["lane"]:
        yield "upper lane"
    if inputs["advance"] and outputs["last"]:
        yield "end" if outputs["waited"] else "end, nobody waits"
        if outputs[f"i__{config.units - 1}__ready"]:
            yield "injection"


def events(config, extra, options):
    """Return what can happen with so many lanes, on a link or locally."""
    happen = ["contention", "held against others", "held through a gap", "word moves", "end", "end, nobody waits"]
    happen += ["injection", "reset", "stall" if extra.get("local") else "lane not ready"]
    if config.lanes > 1:
        happen.append("contention of lanes")
        if not extra.get("local"):
            happen.append("upper lane")
    return tuple(happen)


BENCH = Bench(
    name="output_gateway",
    component="cubecast.rtl.output_gateway:OutputGateway",
    twin="cubecast.golden.output_gateway:OutputGateway",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
