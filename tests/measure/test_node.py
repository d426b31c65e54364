"""The measurements of the node interface: figures of the page are made again on the twin alone."""

from pathlib import Path
from typing import Any

from cubecast.tb.measure import node

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def shown() -> list[str]:
    """Return the lines of the section."""
    return PAGE.read_text().partition("<!-- node begin -->\n")[2].partition("<!-- node end -->")[0].splitlines()


def test_figures_of_the_page_are_those_of_the_twin() -> None:
    """Of a short send's doorbell, of one message from its receive to DONE, and of a verdict that visits eight."""
    result: dict[str, list[dict[str, Any]]] = {"rows": [], "verdicts": [], "area": [], "rates": []}
    rows = node.rows()
    for programs in (rows[0].programs, rows[2].programs):
        seen = node.on_twin(programs, 1)
        for row in [row for row in rows if row.programs == programs]:
            figure = {"from": row.start, "to": row.end, "L": 1, "found": row.found(seen), "aim": row.aim(1)}
            result["rows"].append(figure)
    assert len(result["rows"]) == 4
    result["verdicts"].append(node.verdict(8, False, 1, node.on_twin(node.matched(8, False), 1)))
    lines = [line for line in node.table(result) if line.startswith(("| doorbell", "| last", "| 8 "))]
    assert len(lines) == 5 and set(lines) <= set(shown())


def test_headline_is_the_area_of_the_smallest_cube_and_its_rates() -> None:
    """In the table of all runs; a quick run places nothing."""
    area = {"node interface LUT4, n = 3": "14,059"}
    assert node.headline({"area": [{"n": 3, "luts": 14059}], "rates": []}) == area
    placed = {"area": [{"n": 3, "luts": 14059}], "rates": [{"n": 3, "grade": 6, "mhz": 58.1}]}
    assert node.headline(placed) == area | {"node interface MHz, grade 6": "58.1"}
