"""Testbench of the output controller: packets of any length, from a RAM still being written to a sink that stalls."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


class _Sent:
    """The packet under way, as far as the ports tell of it: when the next one may start, and what the RAM holds."""

    def __init__(self):
        self.busy = self.valid = self.last = self.fetched = self.final = False
        self.left = self.word = 0

    def edge(self, inputs, outputs, width):
        """Take the edge of a cycle."""
        ready = inputs["o__ready"]
        ended = inputs["ram_data"] >> width & 1
        move = self.fetched and (not self.valid or ready)
        done = self.valid and self.last and ready
        if inputs["start"]:
            self.left, self.word = inputs["start_length"], 0
        final = self.final or ended
        if outputs["read"]:
            self.final, self.fetched = self.left == 1, True
            self.left, self.word = self.left - 1, self.word + 1
        elif move:
            self.fetched = False
        if move:
            self.last = final
            if ended:
                self.left = 0
        if inputs["start"]:
            self.last = False
        self.valid = bool(inputs["start"] or move or (self.valid and not ready))
        self.busy = bool(inputs["start"] or (self.busy and not done))
        if inputs["stop"] or inputs["rst"]:
            self.__init__()


def stimulus(random, config, rows=5):
    """Start a packet whenever one may start, with the last flit of the one before too.

    The words of some packets are written while they are sent, at any pace; some end early. Stops and resets come in
    every moment.
    """
    drawing = moods(
        random,
        40,
        start=(0.1, 0.5, 1.0),
        short=(0.0, 0.5, 1.0),
        ready=(0.1, 0.6, 1.0),
        written=(0.0, 0.3, 1.0),
        limited=(0.0, 0.0, 0.7),
        early=(0.0, 0.0, 0.2),
        stop=(0.0, 0.0, 0.05),
        wild=(0.0, 0.0, 0.5),
        reset=(0.0, 0.0, 0.02),
    )
    sent = _Sent()
    ram = limited = limit = start = 0
    for mood in drawing:
        ready = chance(random, mood["ready"])
        length = 1 if chance(random, mood["short"]) else random.randint(1, config.max_words)
        free = not sent.busy or (sent.valid and sent.last and ready)
        start = int(free and chance(random, mood["start"]))
        if start:
            limited, limit = chance(random, mood["limited"]), chance(random, 0.3)
        elif limited:
            limit += chance(random, mood["written"])
            limited = int(limit < config.max_words and not chance(random, 0.02))
        change = {
            "rst": chance(random, mood["reset"]),
            "start": start,
            "start_row": random.randrange(rows),
            "start_length": length,
            "start_head": random.getrandbits(config.head_bits),
            "stop": chance(random, mood["stop"]),
            "limited": limited,
            "limit": limit if limited else random.randint(0, config.max_words),
            "ram_data": ram,
            "o__ready": ready,
        }
        if chance(random, mood["wild"]):
            change |= {"limited": chance(random, 0.5), "limit": random.randint(0, config.max_words)}
        outputs = yield change
        sent.edge(change, outputs, config.width)
        if outputs["read"]:
            ram = random.getrandbits(config.width) | chance(random, mood["early"]) << config.width


def watch(inputs, outputs, twin):
    """Name how packets start, stall, wait for words, and end."""
    sent = recall(twin, None) or _Sent()
    ready, valid, last = inputs["o__ready"], outputs["o__valid"], outputs["o__last"]
    ended = inputs["ram_data"] >> twin.config.width & 1
    if inputs["start"]:
        yield "start with the final flit" if sent.busy else "start"
        if outputs["read"]:
            yield "start and read"
        if inputs["start_length"] == 1:
            yield "packet of one word"
        if inputs["stop"]:
            yield "start and stop"
    elif inputs["stop"]:
        yield "stop" if sent.busy else "stop of nothing"
    if inputs["rst"] and sent.busy:
        yield "reset"
    if valid and not ready:
        yield "head stalls" if outputs["o__head"] else "bad flit stalls" if outputs["o__bad"] else "word stalls"
    elif valid:
        kind = "head" if outputs["o__head"] else "bad flit" if outputs["o__bad"] else "final word" if last else "word"
        yield f"{kind} moves"
    elif sent.busy and not sent.fetched:
        yield "nothing to send"
    if not inputs["start"] and sent.left and inputs["limited"] and not (sent.fetched and ended):
        if sent.word == inputs["limit"]:
            yield "the next word is being written"
        elif sent.word < inputs["limit"] and outputs["read"]:
            yield "read before the packet is complete"
    if sent.fetched and ended:
        yield "early end waits" if valid and not ready else "early end"
        if not sent.final:
            yield "early end with words to come"
    if outputs["closing"] and not outputs["done"]:
        yield "closing"
    sent.edge(inputs, outputs, twin.config.width)
    recall(twin, sent)


def events(config, extra, options):
    """Return what can happen with packets of so many words."""
    happen = ["start", "start with the final flit", "start and read", "packet of one word", "start and stop", "stop"]
    happen += ["stop of nothing", "reset", "head stalls", "bad flit stalls", "word stalls", "head moves", "closing"]
    happen += ["bad flit moves", "final word moves", "nothing to send", "the next word is being written", "early end"]
    happen.append("early end waits")
    if config.max_words > 1:
        happen += ["word moves", "read before the packet is complete", "early end with words to come"]
    return tuple(happen)


BENCH = Bench(
    unit="packet.output_controller:OutputController",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"rows": 5},
)
