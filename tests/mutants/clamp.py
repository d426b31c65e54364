"""A module with a test that sees half of it."""

__all__ = ["clamp"]


def clamp(value, most):
    """Return a value between 0 and ``most``."""
    if value > most:
        return most
    return 0 if value < 0 else value
