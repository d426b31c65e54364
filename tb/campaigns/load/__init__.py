"""Load of the packet network: ``python -m cubecast.tb.campaigns.load --help``."""

__all__: list[str] = []
