"""Golden model of the cubecast hardware: pure Python, at algorithm level and at cycle level."""
