"""Testbench of the output gateway: many units, one link or the local port."""

from cubecast.golden.multicast.twins.policy import policy_of
from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.traffic import Drain, Source

__all__ = ["BENCH"]


def stimulus(random, config, local=False):
    """Offer messages of random length from every unit; the far side is a set of lanes, or a stalling processor.

    A link is cut in every moment of a message. Mostly the units drop their copies then; some moods they do not, and
    offer what is left of them afterwards.
    """
    units, lanes, strap, policy = config.units, config.lanes, config.policy_facts.gateway, policy_of(config)
    drawing = moods(
        random,
        60,
        load=(0.005, 0.1, 1.0),
        gap=(0.0, 0.3),
        again=(0.05, 1.0),
        advance=(0.3, 1.0),
        cut=(0.0,) if local else (0.0, 0.02, 0.1),
        repair=(0.3, 1.0),
        hostile=(0.0, 0.0, 1.0),
    )
    while True:
        sources = [Source(random, config) for _ in range(units)]
        drain = Drain(random, lanes)
        outputs, rst, cut = {}, 0, 0
        change = {"rst": 0, "ready": (1 << lanes) - 1 if local else 0, "advance": 1}
        told = sparse(random, config.dim) * (not local) if strap.per_dimension else chance(random, 0.5)
        change[strap.name] = told
        while not rst:
            mood = next(drawing)
            cut = not chance(random, mood["repair"]) if cut else chance(random, mood["cut"])
            for unit, source in enumerate(sources):
                values = source.next(outputs.get(f"i__{unit}__ready", 0), mood["gap"])
                names = ("valid", "data", "last", "error")
                change |= {f"i__{unit}__{name}": value for name, value in zip(names, values, strict=True)}
                if cut and not mood["hostile"]:
                    source.words.clear()
                    source.valid = source.inside = 0
                elif not source.words and chance(random, mood["load"]):
                    nowhere = not local and policy.leaves(told, *divmod(unit, lanes)) >= lanes
                    if not nowhere or (mood["hostile"] and chance(random, 0.05)):
                        source.send(_words(random, config))
            if local:
                change["advance"] = chance(random, mood["advance"])
            elif cut:
                drain.cut()
                change["ready"] = sparse(random, lanes) if mood["hostile"] else 0
            elif outputs:
                change["ready"] = drain.next(outputs["valid"], outputs["last"], outputs["lane"], mood["again"])
            change["cut"] = int(cut)
            change["rst"] = rst = chance(random, 0.002)
            outputs = yield change
            change = {}


def _words(random, config):
    """Return a message of random length."""
    length = random.choice((1, 2, random.randint(1, 6)))
    words = [(random.getrandbits(config.width), 0, chance(random, 0.3)) for _ in range(length)]
    return [*words[:-1], (words[-1][0], 1, words[-1][2])]


def watch(inputs, outputs, twin):
    """Name contention, holding until the end, stalls, how lanes change, and what a cut ends."""
    config = twin.config
    locked, cut = recall(twin, (twin.locked, inputs["cut"])) or (False, 0)
    asking = [unit for unit in range(config.units) if inputs[f"i__{unit}__valid"]]
    if inputs["rst"] and asking:
        yield "reset"
    if cut and not inputs["cut"] and asking:
        yield "words after a repair"
    if inputs["cut"]:
        if locked:
            yield "unlocked by a cut"
            if any(inputs[f"i__{unit}__last"] for unit in asking):
                yield "unlocked, perhaps in the last word"
        elif asking:
            yield "cut before the first word"
        return
    if len({_in_lane(config, unit) for unit in asking}) > 1:
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
        if not locked:
            upper = {_in_lane(config, unit) for unit in asking if twin.lane(unit) == outputs["lane"]}
            if len(upper) > 1:
                yield "units of two in-lanes for one lane"
    if inputs["advance"]:
        sent = next(unit for unit in asking if outputs[f"i__{unit}__ready"])
        if not twin.local and outputs["lane"] > _in_lane(config, sent):
            yield "a lane higher"
        if outputs["last"]:
            yield "end" if outputs["waited"] else "end, nobody waits"
            if sent == config.units - 1:
                yield "injection"


def _in_lane(config, unit):
    """Return the lane in which a unit takes messages."""
    return 0 if unit == config.units - 1 else unit % config.lanes


def events(config, extra, options):
    """Return what can happen with so many lanes, on a link or locally."""
    happen = ["contention", "held against others", "held through a gap", "word moves", "end", "end, nobody waits"]
    happen += ["injection", "reset"]
    if config.lanes > 1:
        happen.append("contention of lanes")
    if extra.get("local"):
        return (*happen, "stall")
    happen += ["lane not ready", "words after a repair", "unlocked by a cut", "cut before the first word"]
    happen += ["unlocked, perhaps in the last word"]
    if config.lanes > 1:
        happen += ["upper lane", "a lane higher"]
        if config.policy_facts.gateway.per_dimension:
            happen.append("units of two in-lanes for one lane")
    return tuple(happen)


BENCH = Bench(
    unit="multicast.output_gateway:OutputGateway",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
