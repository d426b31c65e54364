"""Testbench of the join: operands that come late or do not belong together, a link that stalls, stops in the middle."""

import functools
from collections import deque

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench
from cubecast.tb.reduction.operators import Operators, saturated
from cubecast.tb.reduction.words import NOTHING, Operands, shown

__all__ = ["BENCH"]

SOURCES = ("own", "a", "b")
"""Queues before the join."""

NAMES = {"own": "member", "a": "has_a", "b": "has_b"}
"""Queue to the input that says whether it is used."""


def stimulus(random, config):
    """Offer operands in the configurations that there are, and change them while the unit does not run."""
    drawing = moods(
        random,
        80,
        own=(0.05, 0.5, 1.0),
        a=(0.05, 0.5, 1.0),
        b=(0.05, 0.5, 1.0),
        taken=(0.1, 0.6, 1.0),
        wrong=(0.0, 0.0, 0.2),
        error=(0.0, 0.2),
        stop=(0.0, 0.01),
        reset=(0.0, 0.004),
    )
    while True:
        used = {name: random.getrandbits(1) for name in SOURCES}
        operands, heads = Operands(random, config, SOURCES), dict.fromkeys(SOURCES)
        operators, gone = Operators(config), {name: deque() for name in SOURCES}
        rst, left = 0, -1
        while not rst and left:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if left < 0 and chance(random, mood["stop"]):
                left = random.randint(4, 12) + config.stage_shape.depth * bool(config.operator_latency)
            left -= left > 0
            change = {"rst": rst, "running": int(left < 0), "o__taken": chance(random, mood["taken"])}
            change |= {"member": used["own"], "has_a": used["a"], "has_b": used["b"]}
            for name in SOURCES:
                if heads[name] is None and chance(random, mood[name]):
                    heads[name] = operands.next(name, mood["wrong"]) | {"error": chance(random, mood["error"])}
                change |= shown(name, {"ne": int(heads[name] is not None), **(heads[name] or NOTHING)})
            outputs = yield change | operators.next()
            operators.saw(outputs)
            for name in SOURCES:
                if outputs[f"{name}__pop"]:
                    gone[name].append(heads[name]["data"])
                    heads[name] = None
            if operators.pipes and outputs["o__valid"] and change["o__taken"]:
                words = [gone[name].popleft() for name in SOURCES if change[NAMES[name]]]
                wanted = functools.reduce(functools.partial(saturated, config.width), words)
                assert outputs["o__data"] == wanted, f"{outputs['o__data']:x} leaves, not {wanted:x}"


def watch(inputs, outputs, twin):
    """Name configurations whose words leave, what is waited for, and what is wrong."""
    used = tuple(name for name in SOURCES if inputs[NAMES[name]])
    held = recall(twin, not outputs["empty"])
    if inputs["rst"]:
        if held:
            yield "reset"
        return
    if not inputs["running"]:
        if not outputs["empty"]:
            yield "stopped with words inside"
        return
    if outputs["o__valid"]:
        yield f"{used} {'leave' if inputs['o__taken'] else 'wait'}"
        if outputs["o__error"]:
            yield "error"
    yield from (f"{used}, {name} is late" for name in SOURCES if outputs[f"wait_{name}"])
    if outputs["mismatch"]:
        yield f"{used} differ"
    if len(used) == 3 and outputs["own__pop"] and outputs["b__pop"] and inputs["o__taken"] and outputs["o__valid"]:
        yield "a word in each stage moves"


def events(config, extra, options):
    """Return all configurations with each of their operands late."""
    sets = [tuple(name for place, name in enumerate(SOURCES) if chosen >> place & 1) for chosen in range(1, 8)]
    found = ["reset", "stopped with words inside", "error", "a word in each stage moves"]
    for used in sets:
        found += [f"{used} leave", f"{used} wait"]
        if len(used) > 1:
            found += [f"{used} differ", *(f"{used}, {name} is late" for name in used)]
    return tuple(found)


BENCH = Bench(
    unit="reduction.join:Join",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
