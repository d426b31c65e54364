"""Bugs that engineers would make, planted in the hardware one at a time, and the tests that find them.

The lists are ``tests/<system>/planted.toml``; ``python -m cubecast.tb.planted`` plants what is in them.
"""
