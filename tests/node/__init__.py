"""Tests of the node interface."""
