"""Testbench of the buffer RAM: writes and reads at random, often of the same word in the same cycle."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config, count=5):
    """Read a word that nobody wrote; then write and read any word of ``count`` rows, some moods only of a few."""
    yield {"read": 1}
    words = 1 << config.word_bits
    drawing = moods(random, 40, write=(0.0, 0.3, 1.0), read=(0.2, 1.0), same=(0.0, 0.5, 1.0), few=(0.0, 1.0))
    for mood in drawing:
        few = chance(random, mood["few"])
        write = (0 if few else random.randrange(count), random.randrange(2) if few else random.randrange(words))
        read = (random.randrange(count), random.randrange(words))
        if chance(random, mood["same"]):
            read = write
        yield {
            "write": chance(random, mood["write"]),
            "write_row": write[0],
            "write_word": write[1],
            "write_data": random.getrandbits(config.width + 1),
            "read": chance(random, mood["read"]),
            "read_row": read[0],
            "read_word": read[1],
        }


def watch(inputs, outputs, twin):
    """Name how reads meet writes; words are noted from the first write on."""
    written, kept = vars(twin).get("noted") or (set(), False)
    read, write = ((inputs[f"{way}_row"], inputs[f"{way}_word"]) for way in ("read", "write"))
    if inputs["read"]:
        yield "read" if read in written else "read of a word never written"
        if inputs["write"]:
            yield "read and write of one word" if read == write else "read and write of two words"
    elif kept:
        yield "data stays"
    if inputs["write"]:
        yield "written again" if write in written else "written"
        if write[1] == (1 << twin.config.word_bits) - 1:
            yield "highest word"
        written = written | {write}
    recall(twin, (written, bool(outputs["data"])))


BENCH = Bench(
    unit="packet.buffer_ram:BufferRam",
    stimulus=stimulus,
    events=(
        *("read", "read of a word never written", "read and write of one word", "read and write of two words"),
        *("data stays", "written", "written again", "highest word"),
    ),
    watch=watch,
    extra={"count": 5},
)
