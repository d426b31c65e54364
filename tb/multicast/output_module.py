"""Testbench of the output module: copy streamers, one per port or fewer."""

from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

WORDS = 32
"""Words of a buffer that copies seldom read to its end."""


def stimulus(random, config):
    """Run one message after the other: launch copies at random moments, let the buffer fill, stall and cut the readers.

    The buffer's words are random. A ``last`` comes early enough that no copy reads beyond the buffer. Links are cut in
    every phase, for one cycle or longer, several at once; a port that is cut may be launched again at once.
    """
    n, m, depth, local = config.dim, config.max_dest, config.buffer_depth, config.local
    types = ["multicast", "broadcast"] + ["listed"] * config.carries_lists
    mood_of = moods(
        random,
        40,
        ready=(0.1, 0.6, 1.0),
        fill=(0.1, 0.5, 1.0),
        launch=(0.2, 1.0, 1.0),
        cut=(0.0, 0.03, 0.2),
        repair=(0.3, 1.0),
    )
    outputs = yield {"address": random.getrandbits(n)}
    cut = 0
    while True:
        kind = random.choice(types)
        k = random.randint(m + 1, config.max_list) if kind == "listed" else config.broadcast_k
        closed = int(chance(random, 0.2) or not config.max_data)
        floor = k if kind == "listed" else 0
        # A copy of a message without payload ends with its header, whatever is in the buffer.
        level = min(depth, floor + random.randint(0, 1))
        if closed and config.source_field:
            closed, level = 0, floor + 1
        closed_error = closed and chance(random, 0.5)
        left = {port for port in range(n) if chance(random, 0.6)} | ({local} if chance(random, 0.7) else set())
        # Of a large buffer some copies read all.
        ends = 0.3 if depth <= WORDS else random.choice((0.3, 0.02))
        rst, quiet = 0, False
        while not rst and not (quiet and not left):
            mood = next(mood_of)
            now = {port for port in left if chance(random, mood["launch"])}
            cut &= ~sum(chance(random, mood["repair"]) << port for port in range(n))
            if chance(random, mood["cut"]):
                cut |= random.choice((1 << random.randrange(n), sparse(random, n)))
            if chance(random, 0.1):
                now |= {port for port in range(n) if cut >> port & 1}
            left -= now
            rows = (sparse(random, m) or 1) if kind == "multicast" else 0
            rst = chance(random, 0.002)
            pushed = int(level < depth and not closed and chance(random, mood["fill"]))
            change = {
                "rst": rst,
                "launch": sum(1 << port for port in now - {local}),
                "launch_local": int(local in now),
                "launch_rows": rows,
                "launch_k": rows.bit_count() if kind == "multicast" else k,
                "skip": k if kind == "listed" else 0,
                "multicast": int(kind == "multicast"),
                "listed": int(kind == "listed"),
                "rows": random.getrandbits(m * n),
                "control": random.getrandbits(n),
                "controls": random.getrandbits(n * n),
                "closed": closed,
                "closed_error": closed_error,
                "level": level,
                "pushed": pushed,
                "cut": cut,
            }
            if rst:
                change["address"] = random.getrandbits(n)
            for reader in range(config.streamers):
                end = outputs[f"pointer__{reader}"] + 2 >= depth
                change[f"word__{reader}__data"] = random.getrandbits(config.width)
                change[f"word__{reader}__last"] = int(end or chance(random, ends))
                change[f"word__{reader}__error"] = chance(random, 0.3)
            for port in range(n + 1):
                change[f"o__{port}__ready"] = chance(random, mood["ready"])
            outputs = yield change
            quiet = outputs["idle"] and not now
            level += pushed


def watch(inputs, outputs, twin):
    """Name how copies meet, stall, wait for data and end, and where they are cut off."""
    config = twin.config
    valid = [outputs[f"o__{port}__valid"] for port in range(config.ports)]
    if sum(valid) == config.ports:
        yield "copies at every port"
    if sum(valid) > 1:
        yield "several copies"
    opened = 0
    for port, offered in enumerate(valid):
        cut, broken = (value >> port & 1 for value in (inputs["cut"], outputs["broken"]))
        moved = inputs[f"o__{port}__ready"]
        if broken:
            yield "broken in a word" if offered else "broken while it waits for data"
            if offered and outputs[f"o__{port}__last"]:
                yield "broken in its last word"
        elif cut and offered:
            opened += 1
            yield "header cut as a word would move" if moved else "header cut"
        elif offered:
            yield "word" if moved else "stall"
            if outputs[f"o__{port}__last"] and moved:
                yield "poisoned" if outputs[f"o__{port}__error"] else "end"
                yield "no payload" if inputs["closed"] else "payload"
                if port == config.local:
                    yield "local copy"
    if outputs["restore_rows"]:
        yield "rows restored"
        if opened > 1:
            yield "rows of several copies restored"
    if outputs["lost"]:
        yield "lost, some copy has come to its control vector" if outputs["committed"] else "lost, none has"
    if opened and inputs["closed"]:
        yield "header of a message without payload cut"
    if inputs["launch"] & inputs["cut"]:
        yield "launch of a port that is cut"
    if outputs["committed"] and inputs["launch"]:
        yield "launch after a control vector"
    if not outputs["idle"] and not outputs["copies"]:
        yield "only the local copy"
    if not outputs["idle"] and not any(valid):
        yield "waiting for data"
    if inputs["launch"] and not outputs["idle"]:
        yield "launch beside a copy"
    if inputs["launch"] & inputs["launch"] - 1:
        yield "several launches"
    if inputs["rst"] and not outputs["idle"]:
        yield "reset"
    if inputs["listed"] and any(valid):
        yield "list"
    if config.shares_streamers:
        yield from _turns(inputs, twin)


def _turns(inputs, twin):
    """Name who waits for a streamer, and how it gets one."""
    noted = recall(twin, (twin.active & ~twin.offers, list(twin.served)))
    if not noted or inputs["rst"]:
        return
    waited, served = noted
    if waited:
        yield "a copy waits"
    if waited & inputs["cut"]:
        yield "dropped while it waits"
    for before, now in zip(served, twin.served, strict=True):
        if now is None or now == before:
            continue
        if waited >> now & 1:
            yield "the next copy after a drop" if inputs["cut"] >> before & 1 else "the next copy after the last word"
        else:
            yield "served at once"


def events(config, extra, options):
    """Return what can happen with these parameters."""
    happen = ["copies at every port", "several copies", "word", "stall", "poisoned", "end", "local copy"]
    happen += ["launch beside a copy", "several launches", "reset", "only the local copy"]
    happen += ["header cut as a word would move", "header cut", "rows restored", "rows of several copies restored"]
    happen += ["lost, some copy has come to its control vector", "lost, none has"]
    happen += ["launch of a port that is cut", "launch after a control vector"]
    if config.max_data:
        happen += ["payload", "waiting for data", "broken while it waits for data"]
    if config.max_data or config.source_field:
        happen += ["broken in a word", "broken in its last word"]
    if not config.source_field:
        happen += ["no payload", "header of a message without payload cut"]
    if config.carries_lists:
        happen.append("list")
    if config.shares_streamers:
        happen.remove("copies at every port")
        happen += ["a copy waits", "dropped while it waits", "served at once"]
        happen += ["the next copy after the last word", "the next copy after a drop"]
    if config.streamers == 1:
        happen.remove("several copies")
        happen.remove("rows of several copies restored")
    return tuple(happen)


BENCH = Bench(
    unit="multicast.output_module:OutputModule",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
