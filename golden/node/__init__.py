"""Golden model of the node interface of the packet router."""
