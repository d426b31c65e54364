"""Testbench of the report queue: reports put at any rate, a reader that stalls."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Put reports at random, when two are stored too; the reader takes its time."""
    for mood in moods(random, 20, put=(0.1, 0.5, 1.0), ready=(0.0, 0.3, 1.0)):
        yield {
            "rst": chance(random, 0.01),
            "put": chance(random, mood["put"]),
            "reason": random.getrandbits(4),
            "destination": random.getrandbits(config.dim),
            "o__ready": chance(random, mood["ready"]),
        }


def watch(inputs, outputs, twin):
    """Name what puts and takes meet, counting what is stored."""
    stored = vars(twin).get("noted", 0)
    put, take = inputs["put"], outputs["o__valid"] and inputs["o__ready"]
    yield ("empty", "one stored", "two stored")[stored]
    if put and take:
        yield "put and take" if stored == 1 else "put when two are stored, and take"
    elif put and stored == 2:
        yield "put when two are stored"
    if inputs["rst"] and stored:
        yield "reset"
    recall(twin, 0 if inputs["rst"] else stored + (put and stored < 2) - take)


BENCH = Bench(
    unit="common.report_queue:ReportQueue",
    stimulus=stimulus,
    events=(
        *("empty", "one stored", "two stored", "put and take", "put when two are stored"),
        *("put when two are stored, and take", "reset"),
    ),
    watch=watch,
    config="cubecast.golden.common.contract.units:Control",
)
