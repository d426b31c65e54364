"""Tests of the multicast router."""
