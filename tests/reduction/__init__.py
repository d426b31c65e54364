"""Tests of the reduction in the network."""
