"""The timing diagrams of the docs are what the router does."""

import json
from pathlib import Path

import pytest

from cubecast.tb.measure.timing import SCENES, diagram, main

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "timing"


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("name", SCENES)
def test_diagram_is_up_to_date(simulator, name):
    """Played again, the scene gives those waves; else ``python -m cubecast.tb.measure.timing docs/timing``."""
    assert diagram(SCENES[name], simulator) == json.loads((FOLDER / f"{name}.json").read_text())
    assert (FOLDER / f"{name}.svg").read_text().lstrip().startswith("<")


def test_every_diagram_is_in_the_docs():
    """On the page that explains them."""
    page = (FOLDER.parent / "timing.md").read_text()
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(SCENES)
    assert all(f"timing/{name}.svg" in page for name in SCENES)


def test_page_says_when_a_cut_message_ends():
    """The cycle of the diagram is the one in the text."""
    diagrams = json.loads((FOLDER / "link_cut_receiver.json").read_text())["signal"]
    eject = next(group for group in diagrams[1:] if group[0] == "eject")
    error = next(line["wave"] for line in eject[1:] if line["name"] == "error")
    page = " ".join((FOLDER.parent / "timing.md").read_text().split())
    assert f"in cycle {error.index('1')} the message is ended" in page


def test_a_folder_that_is_not_there_is_bad_usage(capsys):
    """Status 2, one line."""
    assert main(["none"]) == 2
    assert "folder must be one that exists, not 'none'" in capsys.readouterr().err
