"""Testbench of the relay store: packets that come while others are sent on."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Push packets that have room, and send on those that are offered."""
    drawing = moods(random, 100, load=(0.1, 0.7, 1.0), gap=(0.0, 0.5), send=(0.01, 0.5, 1.0), reset=(0.0, 0.003))
    while True:
        rst, left, room, offered, sending, sizes = 0, 0, 0, False, 0, []
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if not left and room and chance(random, mood["load"]):
                left = random.randint(2, config.router.packet_limit)
                sizes.append(left)
            push = int(left > 0 and chance(random, 1 - mood["gap"]))
            taken = int(offered and not sending and chance(random, mood["send"]))
            pop = int(sending > 0 and chance(random, mood["send"]))
            outputs = yield {
                "rst": rst,
                "push": push,
                "data": random.getrandbits(config.width),
                "last": int(left == 1),
                "error": chance(random, 0.2),
                "taken": taken,
                "pop": pop,
            }
            left -= push
            sending -= pop
            if taken:
                sending = sizes.pop(0)
            # What is pushed in this cycle is not in the flag yet.
            room = outputs["room"] and not push
            offered = outputs["relay__valid"] and not taken


def watch(inputs, outputs, twin):
    """Name how full the store is, and what meets in a cycle."""
    level, whole = recall(twin, (twin.queue.level, twin.whole)) or (0, 0)
    if inputs["rst"]:
        if level:
            yield "reset"
        return
    if not outputs["room"]:
        yield "no room"
    if whole > 1:
        yield "two packets wait"
    if inputs["push"] and inputs["pop"]:
        yield "push and pop"
    if inputs["push"] and inputs["last"] and inputs["taken"]:
        yield "one comes as one is taken"
    if inputs["pop"] and outputs["relay__last"]:
        yield "sent"
    if level == twin.config.relay_shape.depth:
        yield "full"


BENCH = Bench(
    unit="adapter.relay_store:RelayStore",
    stimulus=stimulus,
    events=("reset", "no room", "two packets wait", "push and pop", "one comes as one is taken", "sent", "full"),
    watch=watch,
)
