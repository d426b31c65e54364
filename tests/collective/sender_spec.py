"""What the sender of the collectives has to promise."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Array, Assume, Cat, Module, Mux, Signal
from amaranth.lib import enum

from cubecast.rtl.collective.sender import CollectiveSender
from tests.collective.unit_spec import UnitSpec

__all__ = ["CollectiveSenderSpec"]


class Next(enum.IntEnum, shape=4):
    """Which word of a message has to come next."""

    NOTHING = 0
    COUNT = 1
    LIST = 2
    CONTROL = 3
    SOURCE = 4
    KIND = 5
    ARGUMENT = 6
    BODY = 7
    CUT = 8


class CollectiveSenderSpec(UnitSpec):
    """Every message is whole and right, a word on offer stays, and the sender is always free again.

    - Nothing is sent but messages: COUNT, as many LIST words as it says (none in a broadcast, one when there is
      nobody), CONTROL, SOURCE in the format with this word, KIND, ARGUMENT, and the words of the piece; ``last`` at
      the last of them and nowhere else. A message that is cut short after its first word ends with {0, last, error};
      one that is passed on and came with ``error`` ends with it.
    - Each neighbour among the targets is listed once, nobody else. The words of the memory are ``length`` successive
      ones from ``offset`` on; those passed on are popped as they leave.
    - A word on offer stays and does not change until it moves, or the message is cut short, if memory and pass buffer
      keep theirs.
    - A word is on offer in every cycle in which a message is not at its end, but for words passed on that have not
      come. The words still to come are counted from the request on; each that moves is one less, and with the last
      one the sender is free. So with V words of piece it is so after at most n + 5 + V words.
    """

    unit = CollectiveSender

    def state(self, m: Module):
        """Follow a message word by word."""
        self._requests(m)
        self._grammar(m)
        self._stays(m)

    def _requests(self, m):
        """Keep what is asked for."""
        dut, n = self.dut, self.config.dim
        self.step, self.to_go = Signal(Next), Signal(range(n + self.config.max_vector + 8))
        names = ("broadcast", "distant", "targets", "destination", "argument", "body", "from_pass", "offset", "length")
        self.asked = {name: Signal.like(getattr(dut, name), name=f"asked_{name}") for name in names}
        self.header, self.torn = Signal(16), Signal()
        m.d.comb += [
            dut.address.eq(AnyConst(n)),
            # Of the sequencer, proven there.
            Assume(~(dut.start & dut.body & ~dut.from_pass) | (dut.length != 0)),
            Assume(~(dut.start & ~dut.from_pass) | (dut.offset + dut.length <= self.config.max_vector)),
        ]
        with m.If(dut.start & (self.step == Next.NOTHING)):
            m.d.sync += [signal.eq(getattr(dut, name)) for name, signal in self.asked.items()]
            m.d.sync += self.header.eq(Cat(dut.kind, dut.is_final, dut.stage, dut.hops))
            m.d.sync += self.torn.eq(dut.from_pass & dut.pass_error)

    def _grammar(self, m):
        """State which word comes when."""
        dut, o, step, to_go, asked = self.dut, self.dut.o, self.step, self.to_go, self.asked
        n, router = self.config.dim, self.config.router
        moves = o.valid & o.ready
        of_memory = asked["body"] & ~asked["from_pass"]
        ones, listed = Signal(range(n + 1)), Signal(range(n + 1))
        lists, asked_lists = Signal(range(n + 1)), Signal(range(n + 1))
        at = Signal(range(n + 1))
        after_count = Mux(asked["broadcast"], Next.CONTROL, Next.LIST)
        m.d.comb += [
            ones.eq(sum(asked["targets"], 0)),
            lists.eq(Mux(asked["broadcast"], 0, Mux(asked["distant"] | (ones == 0), 1, ones))),
            asked_lists.eq(
                Mux(dut.broadcast, 0, Mux(dut.distant | (dut.targets == 0), 1, sum(dut.targets, 0))),
            ),
        ]
        ahead = {Next.KIND: 2, Next.SOURCE: 3, Next.CONTROL: 3 + router.source_field}
        follows = {
            Next.COUNT: after_count,
            Next.LIST: Mux(listed + 1 == lists, Next.CONTROL, Next.LIST),
            Next.CONTROL: Next.SOURCE if router.source_field else Next.KIND,
            Next.SOURCE: Next.KIND,
            Next.KIND: Next.ARGUMENT,
            Next.ARGUMENT: Mux(asked["body"], Next.BODY, Next.NOTHING),
            Next.BODY: Mux(o.last, Next.NOTHING, Next.BODY),
            Next.CUT: Next.NOTHING,
        }
        with m.If(moves):
            m.d.sync += to_go.eq(Mux(to_go == 0, 0, to_go - 1))
            for now, then in follows.items():
                with m.If(step == now):
                    m.d.sync += step.eq(then)
            m.d.sync += listed.eq(Mux(step == Next.LIST, listed + 1, 0))
            with m.If(step == Next.BODY):
                m.d.sync += at.eq(at + 1)
        with m.If(dut.start & (step == Next.NOTHING)):
            words = asked_lists + ahead[Next.CONTROL] + 1 + Mux(dut.body & ~dut.from_pass, dut.length, 0)
            m.d.sync += [step.eq(Next.COUNT), to_go.eq(words), listed.eq(0)]
        with m.If(dut.cut_short):
            with m.If((step == Next.NOTHING) | ((step == Next.COUNT) & ~moves) | (moves & o.last)):
                m.d.sync += [step.eq(Next.NOTHING), to_go.eq(0)]
            with m.Else():
                m.d.sync += [step.eq(Next.CUT), to_go.eq(1)]

        passing = (step == Next.BODY) & asked["from_pass"]
        self.claim(dut.idle == (step == Next.NOTHING))
        self.claim(o.valid == ((step != Next.NOTHING) & (~passing | dut.pass_valid)))
        open_end = asked["body"] & asked["from_pass"] & (step != Next.CUT)
        self.claim(o.valid & ~open_end, o.last == (to_go == 1))
        self.claim(o.valid & open_end, o.last == (passing & dut.pass_last))
        torn_here = Mux(passing, dut.pass_error, (step == Next.ARGUMENT) & self.torn)
        self.claim(o.valid, o.error == ((step == Next.CUT) | (o.last & torn_here)))
        self.claim(dut.done == (moves & o.last & (step != Next.CUT)))
        self.claim(dut.pop == (moves & passing))
        count = Mux(asked["broadcast"], router.broadcast_k, Mux(asked["distant"], 1, ones))
        control = asked["broadcast"].replicate(n) if router.fault_tolerant else dut.address
        words = {
            Next.COUNT: count,
            Next.CONTROL: control,
            Next.SOURCE: dut.address,
            Next.KIND: self.header,
            Next.ARGUMENT: asked["argument"],
            Next.BODY: Mux(asked["from_pass"], dut.pass_data, dut.memory_data),
            Next.CUT: 0,
        }
        for now, word in words.items():
            self.claim(o.valid & (step == now), o.data == word)
        self._listed(m, moves, listed, lists)

        pointer, left = dut.pointer, self.register("left")
        done = Signal.like(left)
        m.d.comb += done.eq(asked["length"] - left)
        self.claim((step == Next.BODY) & of_memory, pointer == asked["offset"] + done)
        self.claim((step == Next.BODY) & of_memory, left == to_go)
        self.claim(to_go <= n + 5 + self.config.max_vector)
        self._inductive(lists, listed, ahead, of_memory)
        self.reached(dut.done & of_memory & (ones == 2) & (asked["length"] == 2) & ~asked["broadcast"])
        self.reached(dut.pop & dut.done)
        self.reached(dut.done & o.error & (step == Next.ARGUMENT))
        self.reached(moves & (step == Next.CUT))

    def _listed(self, m, moves, listed, lists):
        """State who is listed: of the neighbours, one chosen at will."""
        dut, o, asked, n = self.dut, self.dut.o, self.asked, self.config.dim
        chosen, seen, now = Signal(range(n)), Signal(), Signal()
        here = o.valid & (self.step == Next.LIST)
        neighbour = dut.address ^ Array([1 << j for j in range(n)])[chosen]
        wanted = (asked["targets"] >> chosen)[0]
        neighbours = here & ~asked["distant"] & asked["targets"].any()
        m.d.comb += [
            chosen.eq(AnyConst(len(chosen))),
            Assume(chosen < n),
            now.eq(neighbours & (o.data == neighbour)),
        ]
        with m.If(moves):
            m.d.sync += seen.eq((self.step == Next.LIST) & (seen | now))
        with m.If(dut.idle | dut.cut_short):
            m.d.sync += seen.eq(0)
        self.claim(here & asked["distant"], o.data == asked["destination"])
        self.claim(here & ~asked["distant"] & ~asked["targets"].any(), o.data == dut.address)
        self.claim(now, wanted & ~seen)
        self.claim(neighbours & (listed + 1 == lists), (seen | now) == wanted)
        remaining = self.register("remaining")
        self.invariant((self.step == Next.LIST) & ~asked["distant"], (remaining >> chosen)[0] == (wanted & ~seen))
        self.invariant(seen, wanted)
        self.invariant(neighbours, sum(remaining, 0) == lists - listed)
        self.invariant(neighbours, (remaining & ~asked["targets"]) == 0)
        self.invariant(self.step == Next.COUNT, (remaining == asked["targets"]) & ~seen)

    def _inductive(self, lists, listed, ahead, of_memory):
        """State what the registers have to do with the message, and how many words are to come."""
        dut, step, to_go, asked = self.dut, self.step, self.to_go, self.asked
        names = ("broadcast", "distant", "destination", "argument", "body", "from_pass")
        same = Cat([self.register(name) == asked[name] for name in names]).all()
        kept = (self.register("header") == self.header) & (self.register("torn") == self.torn)
        self.invariant(step != Next.NOTHING, same & kept)
        self.invariant((self.register("step") == step) & (step <= Next.CUT))
        self.invariant((step != Next.SOURCE) | self.config.router.source_field)
        self.invariant(step == Next.NOTHING, to_go == 0)
        self.invariant(step == Next.CUT, to_go == 1)
        self.invariant(asked["body"] & ~asked["from_pass"], asked["length"] != 0)
        self.invariant(~asked["from_pass"], asked["offset"] + asked["length"] <= self.config.max_vector)
        self.invariant(step == Next.BODY, asked["body"])
        before_body = (step != Next.BODY) & (step != Next.CUT) & (step != Next.NOTHING)
        self.invariant(before_body, (self.register("left") == asked["length"]) & (dut.pointer == asked["offset"]))
        piece = Mux(of_memory, asked["length"], 0)
        first = ahead[Next.CONTROL]
        self.invariant(step == Next.COUNT, (to_go == lists + first + 1 + piece) & (listed == 0))
        self.invariant(step == Next.LIST, (to_go == lists - listed + first + piece) & (listed < lists))
        self.invariant(step == Next.ARGUMENT, to_go == 1 + piece)
        self.invariant((step == Next.BODY) & of_memory, (to_go != 0) & (to_go <= asked["length"]))
        self.invariant((step == Next.BODY) & ~of_memory, to_go == 0)
        for now, words in ahead.items():
            self.invariant(step == now, to_go == words + piece)

    def _stays(self, m):
        """State that a word on offer stays, if the words it is made of do."""
        dut, o = self.dut, self.dut.o
        kept = self.before(m, o.valid & ~o.ready & ~dut.cut_short, "kept")
        word = self.before(m, Cat(o.data, o.last, o.error), "word")
        passed = self.before(m, dut.pass_valid & ~dut.pop & ~dut.cut_short, "passed")
        offered = Cat(dut.pass_data, dut.pass_last, dut.pass_error)
        passed_word = self.before(m, offered, "passed_word")
        memory = self.before(m, dut.memory_data, "memory")
        pointer = self.before(m, dut.pointer, "pointer")
        m.d.comb += [
            Assume(~passed | (dut.pass_valid & (offered == passed_word))),
            Assume(~kept | (dut.pointer != pointer) | (dut.memory_data == memory)),
        ]
        self.claim(kept, o.valid & (Cat(o.data, o.last, o.error) == word))
        self.claim(kept, dut.pointer == pointer)
