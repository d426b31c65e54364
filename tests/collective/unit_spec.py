"""What specifications of the collectives have in common: claims that are proven, covered or refuted."""

from amaranth.hdl import Assert, Cat, Cover, Module, Signal

from tests.harness.spec import Spec, drive

__all__ = ["UnitSpec", "members"]

PURPOSES = ("prove", "reach", "refute")


class UnitSpec(Spec):
    """A unit with free inputs, and what is claimed about it.

    A subclass names the ``unit``, and its ``state(m)`` calls :meth:`claim`, :meth:`invariant` and :meth:`reached`.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    unit : class
        The design to be checked; the subclass's own unit by default.
    purpose : str
        ``"prove"``: claims and invariants are assertions. ``"reach"``: what is to be reached is covered.
        ``"refute"``: covered is that some claim, not just an invariant, does not hold.
    """

    def __init__(self, config, unit=None, *, purpose="prove"):
        if purpose not in PURPOSES:
            raise ValueError(f"purpose must be one of {', '.join(PURPOSES)}, not {purpose!r}")
        self.purpose = purpose
        super().__init__(config, unit)

    def elaborate(self, platform):
        """Drive the unit, and state everything about it."""
        m = Module()
        self._claims, self._invariants, self._reached = [], [], []
        drive(m, self.place(m))
        self.state(m)
        if self.purpose == "prove":
            m.d.comb += [Assert(claim) for claim in self._claims + self._invariants]
        elif self.purpose == "reach":
            m.d.comb += [Cover(event) for event in self._reached]
        else:
            m.d.comb += Cover(~Cat(self._claims).all())
        return m

    def claim(self, *given):
        """State that the last of these holds whenever the others do."""
        self._claims.append(_implication(given))

    def invariant(self, *given):
        """State the same of what only makes the claims inductive."""
        self._invariants.append(_implication(given))

    def reached(self, event):
        """State that this can happen."""
        self._reached.append(event)

    def part(self, name):
        """Return the fragment of a submodule of the unit."""
        fragment = self.fragment
        for submodule in (*self.inside, name):
            fragment = fragment.find_subfragment(submodule)
        return fragment

    def before(self, m, value, name):
        """Return what a value was in the cycle before; 0 in the first."""
        kept = Signal(len(value), name=f"{name}_before")
        m.d.sync += kept.eq(value)
        return kept


def _implication(given):
    """Return a bit: the last holds, or one of the others does not."""
    *conditions, conclusion = given
    return Cat([~condition.bool() for condition in conditions], conclusion.bool()).any()


def members(bundle, *, but=""):
    """Return all ports of a bundle side by side, or all but one."""
    return Cat(getattr(bundle, name) for name in bundle.signature.members if name != but)
