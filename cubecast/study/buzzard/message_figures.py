"""The table of figures 4.6 to 4.27 of Buzzard 1988: what their captions say."""

from __future__ import annotations

from dataclasses import dataclass

from cubecast.study.transport.traffic import Traffic

__all__ = ["DIM", "FIGURES", "FLOODED", "MessageFigure"]

DIM = 6

FLOODED = "50"
"""Ticks between two messages of a node in flooded traffic."""


@dataclass(frozen=True)
class MessageFigure:
    """One figure.

    Parameters
    ----------
    every : str
        Ticks between two messages of a node.
    length : str
        Bytes of a message.
    destination : str
        How the destination is drawn.
    """

    every: str
    length: str
    destination: str = "uni()"

    @property
    def caption(self) -> str:
        """Return the traffic as the source prints it."""
        frequency = "flooded" if self.every == FLOODED else f"freq = {self.every}"
        return f"{frequency}, len = {self.length}, dest = {self.destination}"

    def traffic(self, messages: int) -> Traffic:
        """Return the traffic with a number of messages per node."""
        return Traffic(dim=DIM, messages=messages, every=self.every, length=self.length, destination=self.destination)


FIGURES = {
    "4.6": MessageFigure(FLOODED, "16"),
    "4.7": MessageFigure(FLOODED, "exp(512)"),
    "4.8": MessageFigure(FLOODED, "nor(512,256)"),
    "4.9": MessageFigure(FLOODED, "8192"),
    "4.10": MessageFigure(FLOODED, "nor(8192,2048)"),
    "4.11": MessageFigure(FLOODED, "exp(512)", "dpf(0.2)"),
    "4.12": MessageFigure(FLOODED, "exp(512)", "sl(2,0.8)"),
    "4.13": MessageFigure(FLOODED, "16", "dpf(0.2)"),
    "4.14": MessageFigure(FLOODED, "16", "sl(2,0.8)"),
    "4.15": MessageFigure("exp(512)", "exp(512)"),
    "4.16": MessageFigure("exp(1536)", "exp(512)"),
    "4.17": MessageFigure("exp(2560)", "exp(512)"),
    "4.18": MessageFigure("exp(8192)", "exp(8192)"),
    "4.19": MessageFigure("exp(24486)", "exp(8192)"),
    "4.20": MessageFigure("exp(40960)", "exp(8192)"),
    "4.21": MessageFigure("exp(16)", "exp(16)"),
    "4.22": MessageFigure("exp(48)", "exp(16)"),
    "4.23": MessageFigure("exp(80)", "exp(16)"),
    "4.24": MessageFigure("1536", "nor(512,256)"),
    "4.25": MessageFigure("2560", "nor(512,256)"),
    "4.26": MessageFigure("48", "nor(16,8)"),
    "4.27": MessageFigure("80", "nor(16,8)"),
}
"""By the number of the figure; 4.19 has 24486 ticks as printed, three times 8192 would be 24576."""
