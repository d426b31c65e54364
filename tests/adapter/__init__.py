"""Tests of the network adapter."""
