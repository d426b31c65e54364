"""Answers of commands in JSON, without the run that they are of."""

import json

__all__ = ["answer_in"]


def answer_in(text, command):
    """Return what a command has printed; the last of it is its run, which is another for other arguments."""
    found = json.loads(text)
    assert [*found][-1] == "run" and found.pop("run")["command"] == command
    return found
