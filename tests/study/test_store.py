"""The restart file: what is kept, what a kill may leave behind, what is refused."""

import json
import os

import pytest

from cubecast.study.model import StudyError, Task
from cubecast.study.store import FILE_NAME, Store
from tests.study.toy import toy_point

TASKS = [Task(toy_point, {"place": place, "runs": 2}) for place in range(3)]


def filled(folder):
    """Return the content of a restart file with all tasks."""
    with Store(folder) as store:
        for place, task in enumerate(TASKS):
            store.add(task, 7, {"values": [place, 0.1]})
    return (folder / FILE_NAME).read_bytes()


def found(folder):
    """Return which tasks a folder has."""
    with Store(folder) as store:
        return [store.get(task, 7) if store.has(task, 7) else None for task in TASKS]


def test_outcomes_are_kept(tmp_path):
    """For their arguments, seed and revision only."""
    filled(tmp_path)
    assert found(tmp_path) == [{"values": [place, 0.1]} for place in range(3)]
    with Store(tmp_path) as store:
        assert not store.has(TASKS[0], 8)
        assert not store.has(Task(toy_point, {"place": 0, "runs": 3}), 7)
        assert not store.has(Task(toy_point, {"place": 0, "runs": 2}, revision=2), 7)
        assert store.has(Task(toy_point, {"runs": 2, "place": 0}), 7)


@pytest.mark.parametrize("missing", [1, 10, 60])
def test_a_line_that_was_not_finished_is_cut_off(tmp_path, missing):
    """The other points are there, and the next one is written where the file then ends."""
    content = filled(tmp_path)
    (tmp_path / FILE_NAME).write_bytes(content[:-missing])
    assert found(tmp_path) == [{"values": [0, 0.1]}, {"values": [1, 0.1]}, None]
    with Store(tmp_path) as store:
        store.add(TASKS[2], 7, {"values": [2, 0.1]})
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_every_length_of_the_file_is_a_good_one(tmp_path):
    """A kill may come at any byte."""
    content = filled(tmp_path)
    for length in range(0, len(content), 7):
        (tmp_path / FILE_NAME).write_bytes(content[:length])
        whole = max(0, content[:length].count(b"\n") - 1)
        assert [outcome is not None for outcome in found(tmp_path)] == [place < whole for place in range(3)]


def changed(content, kind):
    """Return a file that is not what was written."""
    header, first, *rest = content.splitlines(keepends=True)
    entry = json.loads(first)
    match kind:
        case "garbage":
            return b"garbage\n"
        case "garbage without end of line":
            return b"garbage"
        case "binary":
            return b"\xff\xfe\x00" + content
        case "no header":
            return b"".join([first, *rest])
        case "other version":
            return header.replace(b'"version": 1', b'"version": 2') + first
        case "digit":
            return header + first.replace(b"0.1", b"0.2") + b"".join(rest)
        case "list":
            return header + b"[1, 2]\n"
        case "no check":
            del entry["check"]
            return header + json.dumps(entry).encode() + b"\n"
        case "end":
            return content + b"more"
    raise AssertionError(kind)


@pytest.mark.parametrize(
    "kind",
    [
        "garbage",
        "garbage without end of line",
        "binary",
        "no header",
        "other version",
        "digit",
        "list",
        "no check",
        "end",
    ],
)
def test_a_corrupt_file_is_refused_and_left_alone(tmp_path, kind):
    """One line that names the file."""
    bad = changed(filled(tmp_path), kind)
    (tmp_path / FILE_NAME).write_bytes(bad)
    with pytest.raises(
        StudyError, match=r"^restart file '.*points\.jsonl' must hold points of studies or loads, line \d"
    ) as e:
        Store(tmp_path)
    assert "\n" not in str(e.value)
    assert (tmp_path / FILE_NAME).read_bytes() == bad


def test_two_studies_at_once_are_refused(tmp_path):
    """The second one stops, the first one goes on."""
    with Store(tmp_path) as store:
        with pytest.raises(StudyError, match=r"^restart file '.*' is in use by another command$"):
            Store(tmp_path)
        store.add(TASKS[0], 7, {"values": []})
    assert found(tmp_path)[0] == {"values": []}


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    """A file stands in its place."""
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StudyError, match=r"^folder '.*' must be one that can be written: "):
            Store(folder)
    assert os.listdir(tmp_path) == ["file"]
