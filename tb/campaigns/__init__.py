"""Campaigns: the RTL network alone under a C++ driver, for millions of messages."""
