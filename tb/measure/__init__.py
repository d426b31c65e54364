"""Measurements: what the RTL costs and how fast it is, with a history; ``python -m cubecast.tb.measure --help``."""

__all__: list[str] = []
