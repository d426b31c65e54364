"""Facts of the traffic pattern of the self-test."""

from __future__ import annotations

__all__ = ["WALK"]

WALK = {2: 0x3, 3: 0x6, 4: 0xC, 5: 0x14, 6: 0x30, 7: 0x60, 8: 0xB8, 9: 0x110, 10: 0x240}
"""By n: the mask of the n-bit shift register that visits every address but 0."""
