"""Every second worker loads the test modules from the last to the first, and leaves broken ones to the collection."""

import builtins
import sys

import pytest

from tests.harness import ahead


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project whose second test module cannot be loaded, and whose third one skips itself."""
    tests = tmp_path / "tests"
    tests.mkdir()
    note = "import builtins\nbuiltins.loaded = [*getattr(builtins, 'loaded', []), __name__]\n"
    (tests / "test_ahead_a.py").write_text(note)
    (tests / "test_ahead_b.py").write_text(f"{note}raise OSError\n")
    (tests / "test_ahead_c.py").write_text(f"{note}import pytest\npytest.skip('not here', allow_module_level=True)\n")
    (tests / "test_ahead_d.py").write_text(note)
    monkeypatch.setattr(ahead, "ROOT", tmp_path)
    monkeypatch.setattr(sys.modules["tests"], "__path__", [str(tests)])
    monkeypatch.setattr("builtins.loaded", [], raising=False)
    yield tests
    for name in "abcd":
        sys.modules.pop(f"tests.test_ahead_{name}", None)


def test_every_second_worker_comes_from_the_other_end(folder):
    """What is asked for, as a folder or a test of a file, the last module first."""
    asked = [str(folder), f"{folder / 'test_ahead_a.py'}::test_x"]
    assert ahead.load_backwards(asked, None) == ahead.load_backwards(asked, "gw0") == []
    assert not builtins.loaded
    names = [f"tests.test_ahead_{name}" for name in "dcba"]
    assert ahead.load_backwards(asked, "gw1") == builtins.loaded == names
    assert "tests.test_ahead_b" not in sys.modules


def test_one_file_alone(folder):
    """A worker that is asked for one file loads no other one."""
    assert ahead.load_backwards([str(folder / "test_ahead_d.py")], "gw3") == ["tests.test_ahead_d"]
