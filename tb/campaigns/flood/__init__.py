"""Flood of the packet network: ``python -m cubecast.tb.campaigns.flood --help``."""

__all__: list[str] = []
