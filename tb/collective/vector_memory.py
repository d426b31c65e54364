"""Testbench of the vector memory: reads and writes at random, often of the same word in the same cycle."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Read and write any word, some moods only a few, and now and then beyond the end."""
    most, size = config.max_vector, 1 << config.place_bits
    for mood in moods(random, 40, write=(0.0, 0.3, 1.0), same=(0.0, 0.5, 1.0), few=(0.0, 1.0), beyond=(0.0, 0.2)):
        span = min(3, most) if chance(random, mood["few"]) else most
        write, read = ((size if chance(random, mood["beyond"]) else span) for _ in range(2))
        write, read = random.randrange(write), random.randrange(read)
        yield {
            _address(config): write if chance(random, mood["same"]) else read,
            "write": chance(random, mood["write"]),
            "write_address": write,
            "write_data": random.getrandbits(config.width),
        }


def _address(config):
    """Return what the address of the read port is called."""
    return "read_ahead" if config.reads_ahead else "read_address"


def watch(inputs, outputs, twin):
    """Name how reads meet writes; words are noted from the first write on."""
    written = recall(twin, None) or set()
    most, read, write = twin.config.max_vector, inputs[_address(twin.config)], inputs["write_address"]
    if read < most:
        yield "read" if read in written else "read of a word never written"
        if read == most - 1 and read in written:
            yield "highest word"
    if inputs["write"] and write >= most:
        yield "write beyond the end"
    elif inputs["write"]:
        yield "written again" if write in written else "written"
        yield "read and write of one word" if read == write else "read and write of two words"
        written = written | {write}
    recall(twin, written)


def events(config, extra, options):
    """Return what can happen with so many words."""
    happen = ["read", "read of a word never written", "highest word", "written again", "written"]
    happen += ["read and write of one word"]
    if config.max_vector > 1:
        happen.append("read and write of two words")
    if config.max_vector < 1 << config.place_bits:
        happen.append("write beyond the end")
    return tuple(happen)


BENCH = Bench(
    unit="collective.vector_memory:VectorMemory",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
