"""Testbench of the matrix arbiter: requests from one requester to all; nobody waits for more than all others."""

from cubecast.tb.common.patterns import chance, moods, recall, sparse
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Request at random, at times all and for long."""
    count = config.count
    for mood in moods(random, 20, ask=(0.1, 0.5, 1.0)):
        asked = sum(chance(random, mood["ask"]) << place for place in range(count))
        change = {"request": asked if mood["ask"] == 1 else random.choice((asked, sparse(random, count)))}
        # One requester alone needs no register.
        yield change | ({"rst": chance(random, 0.01)} if count > 1 else {})


def watch(inputs, outputs, twin):
    """Name who is granted while all ask, and check how long a lasting request waits."""
    count, request, grant = twin.config.count, inputs["request"], outputs["grant"]
    waited = recall(twin, None) or [0] * count
    for k in range(count):
        if inputs.get("rst") or not request >> k & 1 or grant >> k & 1:
            if grant >> k & 1 and waited[k] == count - 1:
                yield "granted after all others"
            waited[k] = 0
        else:
            waited[k] += 1
            assert waited[k] < count, f"requester {k} has waited for {waited[k]} grants to others"
    recall(twin, waited)
    if inputs.get("rst"):
        yield "reset"
    if not request:
        yield "idle"
    elif request == (1 << count) - 1:
        yield f"all ask, {grant.bit_length() - 1} granted"


def events(config, extra, options):
    """Return what can happen with so many requesters."""
    if config.count == 1:
        return ("idle", "all ask, 0 granted")
    return ("reset", "idle", "granted after all others", *(f"all ask, {k} granted" for k in range(config.count)))


BENCH = Bench(
    unit="crosspoint.matrix_arbiter:MatrixArbiter",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.common.contract.units:Requests",
)
