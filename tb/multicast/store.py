"""Testbench of the store: the reference array and its live bits."""

from cubecast.tb.common.patterns import chance, item, moods, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Write, reset and restore rows at random, in the same cycle too; clear and reset now and then.

    A row that comes back has been written before.
    """
    written = 0
    for mood in moods(
        random, 30, write=(0.1, 0.5, 1.0), erase=(0.0, 0.2, 0.7), back=(0.0, 0.1, 0.5), clear=(0.0, 0.0, 0.1)
    ):
        row, write, rst = random.randint(0, config.max_dest), chance(random, mood["write"]), chance(random, 0.003)
        back = sparse(random, config.max_dest) & written if chance(random, mood["back"]) else 0
        written = 0 if rst else written | (write << row) >> 1
        yield {
            "rst": rst,
            "clear": chance(random, mood["clear"]),
            "write": write,
            "row": row,
            "value": random.choice((random.getrandbits(config.dim), 1 << random.randrange(config.dim))),
            "reset_rows": sparse(random, config.max_dest) if chance(random, mood["erase"]) else 0,
            "restore_rows": back,
        }


def watch(inputs, outputs, twin):
    """Name what meets in one cycle."""
    config = twin.config
    live = [item(outputs["a"], row, config.dim) for row in range(config.max_dest)]
    write, row, erased, back = inputs["write"], inputs["row"], inputs["reset_rows"], inputs["restore_rows"]
    if any(value and erased >> place & 1 for place, value in enumerate(live)):
        yield "row reset"
    if all(live):
        yield "all rows live"
    if write:
        yield "write row 0" if row == 0 else "overwrite" if live[row - 1] else "write"
        if inputs["clear"]:
            yield "write beside clear"
        if row and erased >> (row - 1) & 1:
            yield "write of a row being reset"
        if row and back >> (row - 1) & 1:
            yield "write of a row being restored"
    if back:
        yield "restore beside clear" if inputs["clear"] else "restore"
        if back & erased:
            yield "restore of a row being reset"
    if any(live) and inputs["clear"]:
        yield "clear"
    if any(live) and inputs["rst"]:
        yield "reset"


BENCH = Bench(
    unit="multicast.store:Store",
    stimulus=stimulus,
    events=(
        *("row reset", "all rows live", "write row 0", "write", "overwrite", "write beside clear"),
        *("write of a row being reset", "write of a row being restored", "restore", "restore beside clear"),
        *("restore of a row being reset", "clear", "reset"),
    ),
    watch=watch,
)
