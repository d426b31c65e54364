"""Load of the packet network: ``python -m cubecast.tb.packet.load --help``."""

__all__: list[str] = []
