"""Configurations that the testbenches run with: the default, and the corners of the parameter space."""

from cubecast.golden.multicast.contract.config import Config

__all__ = ["CORNERS"]

CORNERS = {
    # m = 2**n - 2: no message travels as a listed broadcast.
    "default": Config(dim=3),
    "n2": Config(dim=2, max_data=2),
    "m1": Config(dim=3, max_dest=1, max_list=4, max_data=2),
    # k has room above max_list.
    "lists": Config(dim=4, max_dest=3, max_list=7, max_data=4),
    # width = n: no stray bits; one payload word.
    "narrow": Config(dim=3, width=3, max_dest=2, max_list=5, max_data=1),
    # max_list = m < 2**n - 2: neither lists nor payload, the least buffer.
    "no_data": Config(dim=3, max_dest=4, max_list=4, max_data=0),
    "source": Config(dim=3, max_dest=2, max_list=6, max_data=3, source_field=True),
    "source_no_data": Config(dim=3, max_dest=2, max_list=4, max_data=0, source_field=True),
    "fault_free": Config(dim=3, max_dest=3, max_list=6, max_data=4, fault_tolerant=False),
    # The dissertation's router.
    "one_lane": Config(dim=3, lanes=1, max_data=3, log_depth=1),
    "n5": Config(dim=5),
    "ordered": Config(dim=3, policy="ordered", max_dest=3, max_list=5, max_data=4),
    "ordered_n2": Config(dim=2, policy="ordered", max_data=2),
    "ordered_m1": Config(dim=3, policy="ordered", max_dest=1, max_list=4, max_data=2),
    "ordered_n4": Config(dim=4, policy="ordered", max_dest=4, max_list=6, max_data=3),
    "ordered_source": Config(dim=3, policy="ordered", max_dest=2, max_list=6, max_data=3, source_field=True),
    # Nothing turns without faults, so one lane is enough; with faults it may lack a lane.
    "ordered_fault_free": Config(dim=3, policy="ordered", max_dest=3, max_list=6, max_data=4, fault_tolerant=False),
    "ordered_one_lane": Config(dim=3, policy="ordered", lanes=1, max_data=3),
    # Two cycles per forwarding dimension.
    "latency2": Config(dim=3, max_dest=5, decision_latency=2),
    # Its router has no log, and narrow counters.
    "latency2_n2": Config(dim=2, max_data=2, decision_latency=2, log_depth=0, counters=8),
    "latency2_no_data": Config(dim=3, max_dest=4, max_list=4, max_data=0, decision_latency=2),
    "latency2_source": Config(dim=3, max_dest=2, max_list=6, max_data=3, source_field=True, decision_latency=2),
    "latency2_fault_free": Config(dim=3, max_dest=3, max_list=6, max_data=4, fault_tolerant=False, decision_latency=2),
    "latency2_ordered": Config(dim=3, policy="ordered", max_dest=3, max_list=5, max_data=4, decision_latency=2),
    "latency2_ordered_n4": Config(dim=4, policy="ordered", max_dest=4, max_list=6, max_data=3, decision_latency=2),
    # Memories that are read at the edge, with lists in the data buffer and without.
    "block": Config(dim=3, max_dest=3, max_list=5, max_data=3, log_depth=3, memories="block"),
    "block_n2": Config(dim=2, max_data=2, memories="block"),
    "block_source": Config(dim=3, max_dest=2, max_list=6, max_data=3, source_field=True, memories="block"),
    # One streamer for all ports, two, and all but one.
    "streamers1": Config(dim=3, max_dest=3, max_list=5, max_data=3, streamers=1),
    "streamers2": Config(dim=3, max_dest=3, max_list=5, max_data=3, streamers=2),
    "streamers3": Config(dim=3, max_dest=5, policy="ordered", max_data=3, streamers=3),
    "streamers1_n2": Config(dim=2, max_data=2, streamers=1),
    "streamers1_source": Config(dim=3, max_dest=4, max_list=6, max_data=3, source_field=True, streamers=1),
    "streamers1_no_data": Config(dim=3, max_dest=4, max_list=4, max_data=0, streamers=1),
    "streamers2_fault_free": Config(dim=3, max_dest=3, max_list=6, max_data=4, fault_tolerant=False, streamers=2),
    "streamers1_latency2": Config(
        dim=3, policy="ordered", max_dest=3, max_list=5, max_data=4, decision_latency=2, streamers=1
    ),
    "streamers1_block": Config(dim=3, max_dest=3, max_list=5, max_data=3, memories="block", streamers=1),
    "streamers2_block": Config(
        dim=2, max_dest=1, max_data=2, memories="block", source_field=True, decision_latency=2, streamers=2
    ),
    # One multicaster for the units of a channel, of which there are two, or three.
    "shared": Config(dim=3, max_dest=3, max_list=5, max_data=3, multicasters="channel"),
    "shared_n2": Config(dim=2, max_data=2, multicasters="channel"),
    "shared_lists": Config(dim=4, max_dest=3, max_list=7, max_data=4, multicasters="channel"),
    "shared_no_data": Config(dim=3, max_dest=4, max_list=4, max_data=0, multicasters="channel"),
    "shared_ordered": Config(dim=3, policy="ordered", max_dest=3, max_list=5, max_data=4, multicasters="channel"),
    "shared_latency2": Config(dim=3, max_dest=5, decision_latency=2, multicasters="channel"),
    "shared_latency2_ordered": Config(
        dim=3, policy="ordered", max_dest=3, max_list=5, max_data=4, decision_latency=2, multicasters="channel"
    ),
    "shared_streamers1": Config(dim=3, max_dest=3, max_list=5, max_data=3, streamers=1, multicasters="channel"),
}
"""Name to configuration."""
