"""The measurement of the transport simulator: what is timed, and the table made of it."""

from cubecast.study.transport.machine import TRANSPORTS
from cubecast.tb.measure import transport


def test_every_transport_is_timed(monkeypatch):
    """In the quick run too, of a small flood; the table has them all."""
    monkeypatch.setattr(transport, "MESSAGES", 128)
    said = []
    result = transport.run(quick=True, progress=said.append)
    assert said == ["flooded traffic, n = 6", "moderate traffic, n = 6"]
    assert {row["transport"].split(",")[0] for row in result["rows"]} == set(TRANSPORTS)
    assert all(row["events"] > 128 and row["per_second"] > 0 for row in result["rows"])
    assert len(transport.table(result)) == 2 + len(transport.MACHINES)


def test_table_has_a_row_for_each_transport():
    """And columns for each cube and load; the headline is the slowest."""
    rows = [
        {"n": n, "load": load, "transport": name, "events": 1000 * n, "per_second": rate}
        for name, rate in (("a", 2000), ("b", 1000))
        for n, load in ((6, "flooded"), (10, "flooded"))
    ]
    head, _, first, second = transport.table({"rows": rows})
    assert head == "| transport | n = 6, flooded: events | events/s | n = 10, flooded: events | events/s |"
    assert (first, second) == ("| a | 6,000 | 2,000 | 10,000 | 2,000 |", "| b | 6,000 | 1,000 | 10,000 | 1,000 |")
    assert transport.headline({"rows": rows}) == {"transport, least events/s": "1,000"}
    assert transport.headline({"rows": []}) == {}
