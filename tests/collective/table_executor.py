"""Nodes that follow their tables without a clock: who is next is drawn at random, messages of a link keep their order.

Only the registers are read, never the plan that they come from.
"""

from __future__ import annotations

from collections import Counter, deque

__all__ = ["Executor", "hops_of"]

RESULTS = ("none", "broadcast", "spread")


def dimensions(mask):
    """Return the dimensions of a mask, ascending."""
    return [j for j in range(mask.bit_length()) if mask >> j & 1]


class Node:
    """A node: what it has received, and what it and its relays wait for. Credits may be those of the next round."""

    def __init__(self, table, vectors, combine):
        self.table, self.combine = table, combine
        self.vectors = deque(map(list, vectors))
        self.results = []
        self.credits, self.relay_credits, self.end_credits = set(), set(), Counter()
        self.pieces = deque()

    def begin(self):
        """Take the vector of the next round."""
        self.vector = self.vectors.popleft()
        self.received = self.highest = 0
        self.result_here = False
        self.sent = None


class Executor:
    """Runs the tables of all nodes to the end, or till nothing moves any more; a node begins a round when it likes.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    tables : dict
        Register values by node and name.
    rounds : list of dict
        For each round, words by node.
    combine : function
        Merges two words.
    generator : random.Random
        Draws who is next.
    """

    def __init__(self, dim, tables, rounds, combine, generator):
        self.dim, self.generator = dim, generator
        self.nodes = {node: Node(table, [round_[node] for round_ in rounds], combine) for node, table in tables.items()}
        self.links = {}
        self.crossed = set()
        self.programs = {}
        self.waits = {}
        for node in tables:
            self.begin(node)

    def begin(self, number):
        """Begin a round of a node."""
        self.nodes[number].begin()
        self.programs |= {(number, "own"): self.own(number), (number, "relays"): self.relays(number)}
        self.waits |= {(number, "own"): lambda: True, (number, "relays"): lambda: True}

    def end(self, number):
        """Keep the result of a node whose programs have both ended, and begin its next round, if there is one."""
        node = self.nodes[number]
        if not {(number, "own"), (number, "relays")} & self.programs.keys():
            node.results.append(tuple(node.vector))
            if node.vectors:
                self.begin(number)

    def send(self, node, j, *message):
        """Put a message on a link; it can only be one between nodes that have tables."""
        assert node ^ 1 << j in self.nodes, f"{node} sends over link {j} to a node that takes no part"
        self.links.setdefault((node, j), deque()).append(message)
        self.crossed.add((node, j))

    def own(self, number):
        """Follow a node's own table; yields conditions to wait for."""
        node, table = self.nodes[number], self.nodes[number].table
        ends = [table[f"ENDS_{j}"] for j in range(self.dim)]
        for j in dimensions(table["RECEIVE"]):
            self.send(number, j, "credit")
        for j in range(self.dim):
            if ends[j]:
                self.send(number, j, "end credit", ends[j])
        yield lambda: node.received == table["EXPECT"]
        count, stage, way, detour = (
            table["SENDS"] >> low & mask for low, mask in ((0, 15), (4, 15), (8, 255), (16, 1))
        )
        node.sent = (stage, node.highest + way) if count else None
        places = [table[f"SEND_{i}"] >> 16 for i in range(count)]
        for i, start in enumerate(places):
            j = table[f"SEND_{i}"] & 15
            yield lambda j=j: j in node.credits
            node.credits.remove(j)
            piece = node.vector[start : places[i + 1] if i + 1 < count else None]
            self.send(number, j, "relay" if detour else "data", stage, node.sent[1], start, piece)
        result = RESULTS[table["COMMAND"] >> 8 & 3]
        if count and result != "none":
            yield lambda: node.result_here
        if result == "spread":
            for j in dimensions(table["SPREAD"]):
                self.send(number, j, "result", list(node.vector))
        if result == "broadcast" and not count:
            for other in self.nodes.values():
                other.result_here, other.vector = True, list(node.vector)

    def relays(self, number):
        """Follow a node's relay entries, one after the other."""
        node, table = self.nodes[number], self.nodes[number].table
        for place in range(table["RELAYS"]):
            entry = table[f"RELAY_{place}"]
            start, to, first, end = entry & 15, entry >> 4 & 15, entry >> 8 & 1, entry >> 9 & 1
            self.send(number, start, "credit" if first else "relay credit")
            yield lambda: node.pieces
            if end:
                yield lambda to=to: node.end_credits[to]
                node.end_credits[to] -= 1
            else:
                yield lambda to=to: to in node.relay_credits
                node.relay_credits.remove(to)
            self.send(number, to, "data" if end else "relay", *node.pieces.popleft())

    def arrive(self, number, j, kind, *fields):
        """Take a message that came over link ``j``."""
        node = self.nodes[number]
        if kind == "credit":
            assert j not in node.credits
            node.credits.add(j)
        elif kind == "relay credit":
            assert j not in node.relay_credits
            node.relay_credits.add(j)
        elif kind == "end credit":
            node.end_credits[j] += fields[0]
            assert node.end_credits[j] < 16
        elif kind == "result":
            assert not node.result_here
            node.result_here, node.vector = True, fields[0]
        elif kind == "relay":
            node.pieces.append(fields)
            assert len(node.pieces) == 1
        else:
            stage, hops, start, piece = fields
            assert node.received < node.table["EXPECT"]
            for place, word in enumerate(piece, start=start):
                node.vector[place] = node.combine(node.vector[place], word)
            if stage == node.table["SENDS"] >> 4 & 15:
                node.highest = max(node.highest, hops)
            node.received += 1

    def run(self):
        """Let everything happen in a random order; whoever is left in ``programs`` waits forever."""
        while True:
            ready = [key for key in self.programs if self.waits[key]()]
            ready += [key for key, queue in self.links.items() if queue]
            if not ready:
                return
            key = self.generator.choice(ready)
            if key in self.programs:
                try:
                    self.waits[key] = next(self.programs[key])
                except StopIteration:
                    del self.programs[key]
                    self.end(key[0])
            else:
                node, j = key
                self.arrive(node ^ 1 << j, j, *self.links[key].popleft())

    @property
    def complete(self):
        """Whether everybody came to the end, and no credit or piece is left."""
        return not self.programs and not any(
            node.credits or node.relay_credits or any(node.end_credits.values()) or node.pieces
            for node in self.nodes.values()
        )


def hops_of(sent):
    """Return the parallel steps that nodes tell of: for every stage the most hops, in all.

    ``sent``: (stage, hops) of every node that sent.
    """
    most = {}
    for stage, hops in sent:
        most[stage] = max(most.get(stage, 0), hops)
    return sum(most.values())
