"""Latency and throughput of a network against its load, on the RTL or on the golden network."""

__all__: list[str] = []
