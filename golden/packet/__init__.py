"""Golden model of the packet router: pure Python, at algorithm level and at cycle level."""
