"""Lockstep testbenches, simulator builds and the formal harness."""

__all__: list[str] = []
