"""Testbench of the reassembler: packets of more messages than it has buffers, some that get lost, a node that stalls.

Beside the twin the words themselves are followed: what leaves of a source and path is what came of it, in order, and
in a frame nothing stands between its words, and nothing is missing.
"""

import itertools
from collections import Counter, defaultdict, deque

from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Let messages of several sources come, packet by packet."""
    size, count = config.reassemble_words, config.reassemble
    drawing = moods(
        random,
        60,
        load=(0.3, 1.0),
        senders=(1, count, count + 1, config.nodes),
        lengths=(1, size, 3 * size),
        lost=(0.0, 0.1, 0.5),
        missing=(0.0, 0.0, 0.2, 0.7),
        paths=(0.0, 0.0, 0.5),
        receive=(0.1, 0.7, 1.0),
        reset=(0.0, 0.005),
    )
    while True:
        messages, rst, words, valid, again, book = defaultdict(deque), 0, deque(), 0, False, Book(config)
        numbers = Counter()
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            if not words:
                if not again or random.getrandbits(1):
                    source, path = random.randrange(min(mood["senders"], config.nodes)), 0
                    if config.path_bits and chance(random, mood["paths"]):
                        path = sparse(random, config.path_bits)
                numbers[source] += 1
                while chance(random, mood["missing"]):
                    # One that has not come.
                    numbers[source] += 1
                    messages[source, path] = deque(itertools.islice(messages[source, path], 1, None))
                number = numbers[source] % (1 << config.ordinal_bits)
                words, again = _packet(random, config, source, path, number, messages[source, path], mood)
            valid = valid or chance(random, mood["load"])
            change = {
                "rst": rst,
                "came__valid": valid,
                **{f"came__{name}": value for name, value in words[0].items()},
                "receive__ready": chance(random, mood["receive"]),
            }
            outputs = yield change
            if not rst:
                book.see(change, outputs)
            if valid and outputs["came__ready"]:
                words.popleft()
                valid = 0


def _packet(random, config, source, path, number, message, mood):
    """Return the words of the next packet of a message, and whether it is the last one that comes without an end."""
    if not message:
        count = random.choice((mood["lengths"], random.randint(1, mood["lengths"])))
        data = [random.getrandbits(config.width) for _ in range(count)]
        message += [{"data": word, "last": 0, "error": 0, "first": 0} for word in data]
        message[0]["first"] = message[-1]["last"] = 1
    most = min(len(message), random.randint(1, config.router.packet_limit - 1))
    beside = {"source": source, "path": path, "ordinal": number}
    words = deque(message.popleft() | beside for _ in range(most))
    lost = chance(random, mood["lost"])
    if lost and random.getrandbits(1):
        message.clear()
        return words, not words[-1]["last"]
    if lost:
        # The rest of it comes after an end.
        words[-1] |= {"last": 1, "error": 1}
    return words, False


FIELDS = ("data", "first", "error", "source", "path", "ordinal")
"""What stands beside a word for the node, but for how its frame ends."""


class Book:
    """Words that have come and not left, by source and path, and the frame that is leaving.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """

    def __init__(self, config):
        self.config = config
        self.inside, self.frame, self.length, self.number = defaultdict(deque), None, 0, 0

    def see(self, change, outputs):
        """Take note of a cycle; raise AssertionError if a word is lost, doubled, or stands in another's frame."""
        if outputs["receive__valid"] and change["receive__ready"]:
            word = {name: outputs[f"receive__{name}"] for name in FIELDS}
            key = word["source"], word["path"]
            assert self.frame in (None, key), f"{key} in a frame of {self.frame}"
            assert self.frame is None or self.config.follows(self.number, word["ordinal"]), f"a gap before {word}"
            self.number = word["ordinal"]
            came = self.inside[key].popleft()
            ends = came.pop("last")
            if word["error"] and not came["error"]:
                assert outputs["receive__last"] and self._breaks(word, key, change), f"nothing is missing after {word}"
                came["error"] = ends = 1
            assert word == came, f"{word} left, {came} came"
            last, self.length = outputs["receive__last"], self.length + 1
            assert not (ends or self.length == self.config.reassemble_words) or last, "the frame goes on"
            assert outputs["receive__more"] == (last and not ends), f"more is wrong with {word}"
            self.frame, self.length = (None, 0) if last else (key, self.length)
        if change["came__valid"] and outputs["came__ready"]:
            word = {name: change[f"came__{name}"] for name in ("last", *FIELDS)}
            self.inside[word["source"], word["path"]].append(word)

    def _breaks(self, word, key, change):
        """Return whether the word behind one, which may still be offered, says that something is missing."""
        offered = {name: change[f"came__{name}"] for name in FIELDS}
        behind = self.inside[key][0] if self.inside[key] else offered
        assert (behind["source"], behind["path"]) == key
        return not behind["first"] and not self.config.follows(word["ordinal"], behind["ordinal"])


def watch(inputs, outputs, twin):
    """Name what becomes of messages."""
    keys = {(piece.source, piece.path) for piece in twin.open if piece is not None}
    leaving = len(twin.sent[1].words) if twin.sent else 0
    opened, frames, length = recall(twin, (keys, len(twin.frames), leaving)) or (set(), 0, 0)
    if inputs["rst"]:
        if opened or length:
            yield "reset"
        return
    size = twin.config.reassemble_words
    if inputs["came__valid"]:
        taken = outputs["came__ready"]
        if not taken and (inputs["came__source"], inputs["came__path"]) in opened:
            yield "its end was lost" if inputs["came__first"] else "a gap"
        elif not taken:
            yield "one too many" if len(opened) == twin.count else "waits for a buffer"
        elif inputs["came__last"]:
            yield "ended early" if inputs["came__error"] else "complete"
            if inputs["came__first"]:
                yield "message of a word"
    if len(opened) == twin.count:
        yield "all buffers are open"
    if outputs["receive__valid"]:
        if not inputs["receive__ready"]:
            yield "the node stalls"
        elif outputs["receive__last"]:
            yield f"more {outputs['receive__more']}" + " of a whole buffer" * (length == size)
            if frames:
                yield "frame behind frame"
    if frames > 1:
        yield "two frames wait"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = ["reset", "one too many", "its end was lost", "ended early", "complete", "message of a word"]
    happen += ["all buffers are open", "waits for a buffer", "the node stalls"]
    happen += [f"more {more}{size}" for more in (0, 1) for size in ("", " of a whole buffer")]
    happen += ["a gap"] * bool(config.ordinal_bits)
    happen += ["frame behind frame"] * (config.reassemble > 1) + ["two frames wait"] * (config.reassemble > 2)
    return tuple(happen)


BENCH = Bench(
    unit="adapter.reassembler:Reassembler",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
