"""A router of any system that keeps words waiting, which the bounds on waiting must refute."""

from tests.harness.altered import Altered

__all__ = ["Stands"]


class Stands(Altered):
    """A word for the node waits until one comes over link 0."""

    def alter(self, m, inner):
        """Hide it from the node, and that the node is ready."""
        comes = self.link_in[0].valid
        m.d.comb += [
            inner.eject.ready.eq(self.eject.ready & comes),
            self.eject.valid.eq(inner.eject.valid & comes),
        ]
        return ("eject__ready", "eject__valid")
