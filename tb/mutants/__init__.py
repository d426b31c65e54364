"""Mutants: bugs that a machine plants in units, and whether their benches find them.

``python -m cubecast.tb.mutants --help``.
"""

__all__: list[str] = []
