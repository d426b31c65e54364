"""Flood of the packet network: ``python -m cubecast.tb.packet.flood --help``."""

__all__: list[str] = []
