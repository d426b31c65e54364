"""Reduction in the network: join units beside crosspoint routers, the trees that they form, and the operations."""
