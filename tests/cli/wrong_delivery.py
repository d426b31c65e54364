"""What makes a golden network go wrong on purpose: from some cycle on it sees another word delivered."""

__all__ = ["WrongDelivery"]


class WrongDelivery:
    """Stands before a playback's class; words delivered after cycle 14 have their lowest bit turned over."""

    def step(self, inputs):
        """Return outputs that are wrong once a delivery is seen after cycle 14."""
        cycle = self.cycle
        outputs = super().step(inputs)
        if outputs["eject_valid"] and cycle > 14:
            outputs["eject_data"] ^= outputs["eject_valid"] & -outputs["eject_valid"]
        return outputs
