"""Messages between RTL nodes: ``python -m cubecast.tb.campaigns.messages --help``."""

__all__: list[str] = []
