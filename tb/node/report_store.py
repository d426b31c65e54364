"""Testbench of the report store: reports of few nodes or of all, taken with pauses."""

from cubecast.tb.common.patterns import chance, moods, recall
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Report nodes, and now and then again, while the oldest is taken or not."""
    drawing = moods(random, 60, put=(0.05, 0.5, 1.0), few=(0.0, 1.0), take=(0.0, 0.1, 1.0), reset=(0.0, 0.0, 0.005))
    while True:
        rst = 0
        while not rst:
            mood = next(drawing)
            rst = chance(random, mood["reset"])
            yield {
                "rst": rst,
                "put__valid": chance(random, mood["put"]),
                "put__destination": random.randrange(2 if mood["few"] else config.nodes),
                "o__ready": chance(random, mood["take"]),
            }


def watch(inputs, outputs, twin):
    """Name what becomes of a report."""
    before = recall(twin, list(twin.reported))
    if before is None:
        return
    if inputs["rst"]:
        if before:
            yield "reset"
        return
    if not outputs["ready"]:
        yield "report while it is cleared" if inputs["put__valid"] else "being cleared"
        return
    taken = outputs["o__valid"] and inputs["o__ready"]
    if inputs["put__valid"]:
        known = inputs["put__destination"] in before
        if known and taken and before[0] == inputs["put__destination"]:
            yield "again as it leaves"
        else:
            yield "known" if known else "new"
    elif taken:
        yield "leaves"
    if len(twin.reported) == twin.config.nodes:
        yield "all nodes"


BENCH = Bench(
    unit="node.report_store:ReportStore",
    stimulus=stimulus,
    events=(
        "reset",
        "being cleared",
        "report while it is cleared",
        "again as it leaves",
        "known",
        "new",
        "leaves",
        "all nodes",
    ),
    watch=watch,
)
"""Testbench of the report store."""
