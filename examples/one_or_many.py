"""A multicast against unicasts to the same nodes, on the RTL network of multicast routers, beside the golden network.

Run: python examples/one_or_many.py
"""

import cubecast as cc


def main(dim: int = 3) -> None:
    """Print cycles and words for both, and where the multicast went."""
    config = cc.MulticastConfig(dim=dim)
    nodes, data = [1, 3, 6, 7], list(range(8))
    one = cc.simulate(config, [cc.Message(source=0, destinations=nodes, data=data)])
    many = cc.simulate(config, (cc.Message(source=0, destinations=[node], data=data) for node in nodes))
    assert one.good and many.good
    print("              cycles  words over links")
    for name, found in (("one multicast", one), ("four unicasts", many)):
        last = max(delivery.last_cycle for delivery in found.deliveries)
        print(f"{name}  {last:6}  {sum(link.words for link in found.links):16}")
    for start, end in cc.route(dim, 0, nodes).edges:
        print(f"{start:0{dim}b} -> {end:0{dim}b}")


if __name__ == "__main__":
    main()
