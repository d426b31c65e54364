"""Testbenches of the collective network with AXI ports: all nodes do everything at once, or operate together."""

from cubecast.golden.collective.contract.axi import axi
from cubecast.golden.collective.contract.registers import address_of
from cubecast.golden.common.twins.ports import bits, split
from cubecast.tb.collective.sequencer import vector
from cubecast.tb.common import axi_ports
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.axi_network import MOODS
from cubecast.tb.multicast.axi_network import sources as of_router
from cubecast.tb.multicast.traffic import Source

__all__ = ["BENCH", "OPERATIONS"]

VECTORS = "m_axis_vector"


def sources(random, config):
    """Return what offers words: messages of every kind, and vectors."""
    ends = [Source(random, config.router) for _ in range(config.nodes)]

    def offer(node, moved, mood):
        """Return the next word of a node's vector."""
        if not ends[node].words:
            ends[node].send(vector(random, config))
        return ends[node].next(moved, mood["gap"])

    return of_router(random, config.router) | {"s_axis_vector": offer}


BENCH = axi_ports.of_network(
    axi,
    sources,
    MOODS,
    silent=("s_axis_vector", "m_axis_vector"),
    unit="collective.axi_network:AxiCollectiveNetwork",
)


def operations(random, config, groups=()):
    """Do merges and rings over AXI alone, and check what comes out, word by word.

    Parameters
    ----------
    random : Random
        Draws pauses of all streams and channels.
    config : CollectiveConfig
        Parameters of the network.
    groups : sequence of dict
        Of each operation, by node: ``tables``, the registers by name; ``vectors``, the words that go in; ``results``,
        the list of those that come out.
    """
    ports = axi(config, cube=True)
    ends = {
        stream.prefix: [Source(random, config.router) for _ in range(config.nodes)]
        for stream in ports.streams
        if stream.into
    }

    (width,) = (stream.data_bits for stream in ports.streams if stream.prefix == VECTORS)

    def offers():
        """Return what offers words: vectors, and no messages."""
        return {
            prefix: lambda node, moved, mood, source=source: source[node].next(moved, mood["gap"], mood["gap"])
            for prefix, source in ends.items()
        }

    def hosts(masters):
        """Write tables, hand vectors over, await the results."""
        owners = [master["s_axi_collective"] for master in masters]
        for owner in owners:
            owner.write(address_of(config, "ENABLE"), 1)
        yield from _until_idle(width, owners)
        for group in groups:
            for node, table in group["tables"]:
                # COMMAND starts it, so it is the last one.
                for name in sorted(table, key="COMMAND".__eq__):
                    owners[node].write(address_of(config, name), table[name])
            for node, words in group["vectors"]:
                vector_in = ends["s_axis_vector"][node]
                vector_in.send([(word, int(place == len(words) - 1), 0) for place, word in enumerate(words)])
            results = [dict(group["results"]).get(node, []) for node in range(config.nodes)]
            yield from _until_idle(width, owners, results)
            assert not any(source.words for source in ends["s_axis_vector"])

    drawn = {"gap": (0.0, 0.0, 0.4), "take": (0.3, 1.0)}
    yield from axi_ports.network(random, ports, offers, drawn, hosts=hosts)


def _until_idle(width, owners, results=()):
    """Wait until all has been written, all results have come, and no node is busy; check the results."""
    came = [[] for _ in results]
    while True:
        inputs, outputs = yield
        moves = outputs[f"{VECTORS}_tvalid"] & inputs[f"{VECTORS}_tready"]
        words = split(outputs[f"{VECTORS}_tdata"], width, len(owners))
        for node in bits(moves):
            vectors = came[node]
            if not vectors or vectors[-1][1]:
                vectors.append(([], 0))
            words_so_far, _ = vectors[-1]
            vectors[-1] = ([*words_so_far, words[node]], outputs[f"{VECTORS}_tlast"] >> node & 1)
            assert not outputs[f"{VECTORS}_tuser"] >> node & 1
        done = [[words for words, last in vectors if last] for vectors in came]
        if not (outputs["busy"] or any(owner.busy for owner in owners)) and done == list(results):
            assert not outputs["failed"]
            return
        assert all(words == wanted[: len(words)] for words, wanted in zip(done, results, strict=True)), (done, results)


OPERATIONS = Bench(
    unit=BENCH.unit,
    stimulus=operations,
    events=lambda config, extra, options: (),
    watch=axi_ports.network_watch,
)
