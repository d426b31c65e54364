"""What the queues of posted receives have to promise."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Array, Assert, Assume, C, Cat, Const, Cover, Module, Mux, Signal
from amaranth.lib import data

from cubecast.golden.node.contract.block import ANY_BIT, BLOCK_BITS, POST_BITS, SYSTEM_BIT, Word
from cubecast.rtl.node.expected_queues import PLACE_BITS, ExpectedQueues, State
from tests.harness.inside import row
from tests.harness.spec import Spec, drive

__all__ = ["ExpectedQueuesSpec"]

BLOCKS = 3
CANDIDATE = data.StructLayout(
    {"there": 1, "block": BLOCK_BITS, "link": 32, "before": BLOCK_BITS, "first": 1, "tail": 1, "number": POST_BITS}
)
"""As the unit keeps the first match of a list."""


class ExpectedQueuesSpec(Spec):
    """Of the receives that match a message the one posted first is found, and taken out; lists stay lists.

    Up to three blocks, two buckets and the special queue, two sources, types of both classes, with and without ANY.
    When no request is served, each list has the blocks of its queue that are posted, in the order in which they
    were, from its head by their links to its tail. Only posted blocks, and the one being posted, are written, and
    of these LINK and the number alone. Memory answers at once. When it gives an error the request fails, and the lists
    are what they were; a receive that was to be taken out of the middle may have left its list nevertheless.

    Assumed: while a receive is posted fewer than 2**29 others are; a word whose write has an error is what it was, or
    what was written.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node, with one bit of hash.
    """

    unit = ExpectedQueues

    def elaborate(self, platform):
        """Be the memory, keep the order of posting, and compare the answers."""
        m = Module()
        dut = self.place(m)
        request = dut.request
        drive(m, request.valid, request.post, request.any_source, request.any_type)
        source, kind, chosen = Signal(), Signal(2), Signal(2)
        drive(m, source, kind, chosen)
        m.d.comb += [
            request.source.eq(source),
            request.type.eq(Cat(kind[0], C(0, SYSTEM_BIT - 1), kind[1])),
            request.block.eq(chosen),
            Assume(chosen < BLOCKS),
        ]
        names = {"link": 32, "number": POST_BITS, "source": 1, "any_source": 1, "type": 2, "any_type": 1, "rank": 2}
        self.kept = [{name: Signal(bits, name=f"{name}_of_{b}") for name, bits in names.items()} for b in range(BLOCKS)]
        self.posted, self.count = Signal(BLOCKS), Signal(range(BLOCKS + 1))
        taken, age, what = Signal(), Signal(), Signal(len(Cat(request.post, source, kind, chosen)))
        m.d.comb += taken.eq(request.valid & request.ready)
        with m.If(taken):
            m.d.sync += [age.eq(1), what.eq(Cat(request.post, source, kind, chosen))]
        with m.Elif(age != 0):
            m.d.sync += age.eq(~dut.answer)
        posting, wants, asked, block = what[0], what[1], what[2:4], what[4:6]
        for b, kept in enumerate(self.kept):
            here = taken & request.post & (chosen == b)
            m.d.comb += Assume(~(here & self.posted[b]))
            with m.If(here):
                m.d.sync += [kept["source"].eq(source), kept["type"].eq(kind)]
                m.d.sync += [kept["any_source"].eq(request.any_source), kept["any_type"].eq(request.any_type)]
        self._memory(m, (age != 0) & posting, block)

        matches, oldest = Signal(BLOCKS), Signal(BLOCKS)
        for b, kept in enumerate(self.kept):
            m.d.comb += [
                matches[b].eq(
                    self.posted[b]
                    & (kept["any_source"] | (kept["source"] == wants))
                    & Mux(kept["any_type"], kept["type"][1] == asked[1], kept["type"] == asked)
                ),
                oldest[b].eq(
                    matches[b]
                    & ~Cat(matches[a] & (self.kept[a]["rank"] < kept["rank"]) for a in range(BLOCKS) if a != b).any()
                ),
            ]
        self._changes(m, posting, block, matches, oldest)
        self.matches, self.posting, self.block, self.wants, self.asked = matches, posting, block, wants, asked
        state = self.register("state")
        m.d.comb += [
            Assert((age == 0) == (state == State.IDLE)),
            Assert(~dut.answer | (dut.failed == self.erred)),
            Assert(~dut.answer | (dut.found == self.out)),
            Assert(~dut.answer | posting | self.out | self.erred | (matches == 0)),
            Cover(dut.answer & dut.found),
        ]
        for b in range(BLOCKS):
            here = (state == State.UNLINK) | (state == State.ANSWER) & self.out
            right = (self.dut.block == self.chosen_block) & (dut.room == self.room[b]) & (dut.buffer == self.buffer[b])
            m.d.comb += Assert(~here | (self.chosen_block != b) | right)
        self._lists(m)
        self._steps(m, state)
        return m

    def _changes(self, m, posting, block, matches, oldest):
        """Post and take out at the edge at which the lists change."""
        state = self.register("state")
        view = data.View(
            CANDIDATE, Mux(self.register("which"), self.register("candidate_1"), self.register("candidate_0"))
        )
        self.chosen_block = view.block
        self.out = Signal()
        posts = (state == State.NUMBER) & self.written & ~self.error
        final = self.reading & (self.left == 0) & ~(self.error | self.erred)
        passed = (state == State.UNLINK) & self.written & self.stored
        leaves = ((state == State.FETCH) & final & (view.first | view.tail)) | passed
        rank = Signal(2)
        m.d.comb += [
            rank.eq(Mux(leaves, Array(k["rank"] for k in self.kept)[view.block[:2]], 3)),
            Assert(~leaves | ~posting),
        ]
        with m.If(leaves):
            m.d.sync += [self.out.eq(~self.error), self.count.eq(self.count - 1)]
        with m.Elif(self.dut.answer):
            m.d.sync += self.out.eq(0)
        with m.If(posts):
            m.d.sync += [self.posted.eq(self.posted | (1 << block)), self.count.eq(self.count + 1)]
        for b, kept in enumerate(self.kept):
            with m.If(posts & (block == b)):
                m.d.sync += kept["rank"].eq(self.count)
            with m.Elif(leaves & (view.block == b)):
                m.d.comb += Assert(oldest[b])
                m.d.sync += self.posted[b].eq(0)
            with m.Elif(leaves & self.posted[b] & (kept["rank"] > rank)):
                m.d.sync += kept["rank"].eq(kept["rank"] - 1)

    def _memory(self, m, posting, block):
        """Answer in the next cycle: a word in each for a read, an acknowledgement for a write; some with an error."""
        dut = self.dut
        self.room = [Signal(4, name=f"room_{b}") for b in range(BLOCKS)]
        self.buffer = [Signal(4, name=f"buffer_{b}") for b in range(BLOCKS)]
        m.d.comb += [signal.eq(AnyConst(4)) for signal in (*self.room, *self.buffer)]
        self.reading, self.at, self.place_of, self.left = reading, at, place, left = (
            Signal(),
            Signal(2),
            Signal(3),
            Signal(4),
        )
        reader, writer = dut.reader, dut.writer
        m.d.comb += [reader.ready.eq(~reading), writer.ready.eq(1), dut.served.eq(reading)]
        self.error, self.erred, self.stored = error, erred, stored = Signal(), Signal(), Signal()
        stores, junk = Signal(), Signal(32)
        drive(m, error, stores, junk)
        m.d.comb += [dut.word_error.eq(error), dut.write_error.eq(error)]
        with m.If(dut.request.valid & dut.request.ready):
            m.d.sync += erred.eq(0)
        with m.Elif(error & (reading | dut.written)):
            m.d.sync += erred.eq(1)
        with m.If(reader.valid & reader.ready):
            m.d.comb += [Assert(reader.address[3:] < BLOCKS), Assert((self.posted >> reader.address[3:5])[0])]
            m.d.sync += [reading.eq(1), at.eq(reader.address[3:]), place.eq(reader.address[:3]), left.eq(reader.beats)]
        with m.Elif(reading):
            m.d.sync += [place.eq(place + 1), left.eq(left - 1), reading.eq(left != 0)]
        words = []
        for b, kept in enumerate(self.kept):
            first = Cat(kept["source"], C(0, ANY_BIT - 1), kept["any_source"])
            second = Cat(kept["type"][0], C(0, SYSTEM_BIT - 1), kept["type"][1], kept["any_type"])
            here = {Word.LINK: kept["link"], Word.PARTNER: first, Word.TYPE: second, Word.LENGTH: self.room[b]}
            here |= {Word.BUFFER: self.buffer[b], Word.STATE: kept["number"]}
            word = C(0, 32)
            for number, value in here.items():
                word = Mux(place == number, value, word)
            words.append(word)
        m.d.comb += dut.word.eq(Mux(error, junk, Array(words)[at]))
        self.written = written = Signal()
        m.d.comb += [dut.written.eq(written), Assume(~written | stored | error)]
        m.d.sync += [written.eq(writer.valid), stored.eq(stores)]
        with m.If(writer.valid):
            number, to = writer.address[3:], writer.address[:3]
            m.d.comb += [
                Assert((number < BLOCKS) & (writer.strobe == 15)),
                Assert((to == Word.LINK) | (to == Word.STATE)),
                Assert((self.posted >> number[:2])[0] | (posting & (number == block))),
            ]
            for b, kept in enumerate(self.kept):
                with m.If(stores & (number == b) & (to == Word.LINK)):
                    m.d.sync += kept["link"].eq(writer.data)
                with m.If(stores & (number == b) & (to == Word.STATE)):
                    m.d.sync += kept["number"].eq(writer.data)

    def _lists(self, m):
        """State what the lists are; while a block is taken out of the middle, the one before it is linked already."""
        full, next_number = self.register("full"), self.register("number")
        posted, kept = self.posted, self.kept
        queue = [Mux(k["any_source"] | k["any_type"], 2, k["type"][1]) for k in kept]
        self.queue = queue
        m.d.comb += Assert(self.count == sum(posted[b] for b in range(BLOCKS)))
        unlinking = (self.register("state") == State.UNLINK) & self.written & self.stored
        passed = [unlinking & self.before_of(self.chosen_block, b) for b in range(BLOCKS)]
        for b in range(BLOCKS):
            m.d.comb += [
                Assert(~posted[b] | (kept[b]["rank"] < self.count)),
                Assume(~posted[b] | ((next_number - kept[b]["number"])[:POST_BITS] < 1 << POST_BITS - 1)),
                Assert(~posted[b] | (next_number != kept[b]["number"])),
            ]
            for a in range(BLOCKS):
                if a == b:
                    continue
                both = posted[a] & posted[b]
                before = both & (kept[a]["rank"] < kept[b]["rank"])
                span = (kept[b]["number"] - kept[a]["number"])[:POST_BITS]
                total = (next_number - kept[a]["number"])[:POST_BITS]
                m.d.comb += [Assert(~both | (kept[a]["rank"] != kept[b]["rank"])), Assert(~before | (span < total))]
                m.d.comb += Assert(~before | (span != 0))
                same = before & (queue[a] == queue[b])
                between = Cat(
                    posted[c]
                    & (queue[c] == queue[a])
                    & (kept[a]["rank"] < kept[c]["rank"])
                    & (kept[c]["rank"] < kept[b]["rank"])
                    for c in range(BLOCKS)
                    if c not in (a, b)
                ).any()
                m.d.comb += Assert(~same | between | passed[a] | (kept[a]["link"] == b << PLACE_BITS))
                behind = Cat(
                    posted[c] & (queue[c] == queue[b]) & (kept[c]["rank"] > kept[b]["rank"]) for c in range(BLOCKS)
                ).any()
                skipped = same & passed[a] & ~between & behind & (self.chosen_block == b)
                m.d.comb += Assert(~skipped | (kept[a]["link"] == kept[b]["link"]))
        for q in range(3):
            mine = [posted[b] & (queue[b] == q) for b in range(BLOCKS)]
            head, tail = (row(self.fragment, *self.inside, name, address=Const(q, 2)) for name in ("heads", "tails"))
            m.d.comb += Assert(full[q] == Cat(mine).any())
            for b in range(BLOCKS):
                older = [mine[a] & (kept[a]["rank"] < kept[b]["rank"]) for a in range(BLOCKS) if a != b]
                younger = [mine[a] & (kept[a]["rank"] > kept[b]["rank"]) for a in range(BLOCKS) if a != b]
                m.d.comb += [
                    Assert(~mine[b] | Cat(older).any() | (head == b)),
                    Assert(~mine[b] | Cat(younger).any() | (tail == b)),
                ]

    def before_of(self, block, a):
        """Return whether block number a is the one before a block in its list."""
        kept, posted, queue = self.kept, self.posted, self.queue
        found = []
        for b in range(BLOCKS):
            if b != a:
                between = [
                    posted[c]
                    & (queue[c] == queue[b])
                    & (kept[a]["rank"] < kept[c]["rank"])
                    & (kept[c]["rank"] < kept[b]["rank"])
                    for c in range(BLOCKS)
                    if c not in (a, b)
                ]
                pair = posted[a] & posted[b] & (queue[a] == queue[b]) & (kept[a]["rank"] < kept[b]["rank"])
                found.append((block == b) & pair & ~Cat(between).any())
        return Cat(found).any()

    def _steps(self, m, state):
        """Say how far a request is in each state, which makes the statements inductive."""
        kept, posted, queue, matches = self.kept, self.posted, self.queue, self.matches
        names = ("asked", "count", "fault", "queue", "which", "current", "before", "first", "link", "partner", "full")
        asked, count, fault, at_queue, which, current, before, first, link, partner, full = (
            self.register(name) for name in names
        )
        candidates = [data.View(CANDIDATE, self.register(f"candidate_{c}")) for c in range(2)]
        chosen = data.View(CANDIDATE, Mux(which, candidates[1].as_value(), candidates[0].as_value()))
        bucket = Cat(self.asked[1], 0)
        of_block = Array(queue)[self.block]

        def among(*states):
            return Cat(state == each for each in states).any()

        def of(block, name):
            return Array(k[name] for k in kept)[block[:2]]

        def rank(block):
            return of(block, "rank")

        def nothing(q):
            return ~Cat(matches[b] & (queue[b] == q) for b in range(BLOCKS)).any()

        def stands(block, q, is_first, previous):
            here = Cat((block == b) & posted[b] & (queue[b] == q) for b in range(BLOCKS)).any()
            older = [posted[a] & (queue[a] == q) & (kept[a]["rank"] < rank(block)) for a in range(BLOCKS)]
            none = ~Cat(old & matches[a] for a, old in enumerate(older)).any()
            right = Cat((previous == a) & self.before_of(block, a) for a in range(BLOCKS)).any()
            return here & none & (is_first == ~Cat(older).any()) & (is_first | right)

        def valid(c, q):
            one = candidates[c]
            younger = [posted[a] & (queue[a] == q) & (kept[a]["rank"] > rank(one.block)) for a in range(BLOCKS)]
            right = stands(one.block, q, one.first, one.before) & (one.tail == ~Cat(younger).any())
            found = Cat((one.block == b) & matches[b] for b in range(BLOCKS)).any()
            return one.there & right & found & (one.tail | (one.link == of(one.block, "link")))

        asking = among(State.ENTER, State.WALK, State.NUMBERS, State.FETCH, State.UNLINK)
        writes, reads = among(State.LINK, State.NUMBER, State.UNLINK), among(State.WALK, State.NUMBERS, State.FETCH)
        tail = row(self.fragment, *self.inside, "tails", address=at_queue)
        winner = candidates[0].there & candidates[1].there
        m.d.comb += [
            Assert(state <= State.ANSWER),
            Assert(~(asking | writes) | ~(self.dut.found | self.dut.failed)),
            Assert(asked == Mux(writes, self.written, self.reading)),
            Assert(~self.written | writes),
            Assert(~self.reading | reads),
            Assert((state == State.IDLE) | (state == State.ANSWER) | (fault == self.erred)),
            Assert(~fault | (reads & asked & (count != 0))),
            Assert(asked & reads | (count == 0)),
            Assert(~asking | ~self.posting),
            Assert(~among(State.LINK, State.NUMBER) | self.posting),
            Assert(~self.out | ((state == State.ANSWER) & ~self.posting)),
            Assert((state == State.IDLE) | (self.register("kept_source") == self.wants)),
            Assert(
                (state == State.IDLE)
                | (self.register("kept_type") == Cat(self.asked[0], C(0, SYSTEM_BIT - 1), self.asked[1]))
            ),
            Assert((state == State.IDLE) | (self.register("kept_block") == self.block)),
            Assert(self.block < BLOCKS),
            Assert(~among(State.LINK, State.NUMBER) | ((at_queue == of_block) & ~(posted >> self.block)[0])),
            Assert((state != State.LINK) | (full >> at_queue)[0]),
            Assert(
                ~((state == State.LINK) & self.written & self.stored | (state == State.NUMBER) & (full >> at_queue)[0])
                | (of(tail, "link") == self.block << PLACE_BITS)
            ),
            Assert(
                ~((state == State.NUMBER) & self.written & self.stored)
                | (of(self.block, "number") == self.register("number"))
            ),
        ]
        with m.If(among(State.ENTER, State.WALK)):
            m.d.comb += [
                Assert(at_queue == Mux(which, 2, bucket)),
                Assert(~candidates[1].there),
                Assert(~(candidates[0].there & ~which)),
                Assert(~which | Mux(candidates[0].there, valid(0, bucket), nothing(bucket))),
            ]
        with m.If(state == State.WALK):
            m.d.comb += [
                Assert(stands(current, at_queue, first, before)),
                Assert(
                    ~self.reading
                    | ((self.at == current) & (self.place_of == count) & (self.left == 2 - count) & (count <= 2))
                ),
                Assert(~(self.reading & (count != 0)) | fault | (link == of(current, "link"))),
                Assert(
                    ~(self.reading & (count == 2))
                    | fault
                    | (partner == (of(current, "any_source") | (of(current, "source") == self.wants)))
                ),
            ]
        with m.If(state == State.NUMBERS):
            m.d.comb += [
                Assert(valid(0, bucket) & valid(1, 2)),
                Assert(~which | (candidates[0].number == of(candidates[0].block, "number"))),
                Assert(
                    ~self.reading
                    | ((self.at == chosen.block) & (self.place_of == Word.STATE) & (self.left == 0) & (count == 0))
                ),
            ]
        with m.If(among(State.FETCH, State.UNLINK)):
            m.d.comb += [
                Assert(at_queue == Mux(which, 2, bucket)),
                Assert(chosen.there),
                Assert(Mux(candidates[0].there, valid(0, bucket), nothing(bucket))),
                Assert(Mux(candidates[1].there, valid(1, 2), nothing(2))),
                Assert(~winner | (which == (rank(candidates[1].block) < rank(candidates[0].block)))),
                Assert((state != State.UNLINK) | ~(chosen.first | chosen.tail)),
            ]
        with m.If((state == State.FETCH) & self.reading):
            m.d.comb += [
                Assert(
                    (self.at == chosen.block)
                    & (self.place_of == Word.LENGTH + count)
                    & (self.left == 1 - count)
                    & (count <= 1)
                ),
                Assert((count == 0) | fault | (self.dut.room == Array(self.room)[chosen.block[:2]])),
            ]
