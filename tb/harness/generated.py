"""Generated C++: what Verilator has written twice is compiled once.

Verilator writes the combinational logic of a design three times: as it settles at the start (``stl``), when inputs
change (``ico``), and behind the registers (``nba``). The first of them evaluates all of it, whatever has changed, so it
stands for the second one too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

__all__ = ["RULE", "settled_once"]

RULE = Path(__file__).read_text()
"""What builds are named by, beside what Verilator is given: the rule itself."""

REGION = r"^(?:VL_ATTR_COLD )?void \w+___eval_{0}\(\w+\* vlSelf\) \{{\n(?:    \S.*\n)*?"
"""Begin of the function that evaluates a region."""

CLAUSE = (
    r"    if \(\(1ULL & vlSelfRef\.__V{0}Triggered\[0U\]\)\) \{{\n"
    r"(?P<calls>(?:        \w+\([^;]*\);\n)+)    \}}\n\}}\n"
)
"""All of its body, where nothing but one trigger, the first iteration, has it evaluated."""

LARGE = 0.5
"""Part of the first that the second must be: where inputs change little, all logic would take longer to evaluate."""


def settled_once(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the C++ files of a model, in which the logic behind its inputs is that of its start, where it is large.

    Parameters
    ----------
    texts : dict
        Name of each file to its text, as Verilator wrote it.
    """
    first, second = (_region(texts, region) for region in ("stl", "ico"))
    if first is None or second is None:
        return dict(texts)
    instead, calls = first["calls"], second["calls"]
    kept, replaced = _functions(texts, instead), _functions(texts, calls)
    if not all(kept + replaced) or sum(map(len, replaced)) < LARGE * sum(map(len, kept)):
        return dict(texts)
    declared = "".join(f"{text.partition(' {')[0]};\n" for text in kept)
    begin = second.group()
    other = declared + begin.replace(calls, instead)
    found = {}
    for name, text in texts.items():
        for function in (begin, *replaced):
            text = text.replace(function, other if function == begin else "")
        found[name] = text
    return found


def _region(texts: Mapping[str, str], region: str) -> re.Match[str] | None:
    """Return the function that evaluates a region, with its calls; None: there is none of that shape."""
    pattern = re.compile((REGION + CLAUSE).format(region), re.M)
    return next(filter(None, map(pattern.search, texts.values())), None)


def _functions(texts: Mapping[str, str], calls: str) -> list[str]:
    """Return the texts of the functions in some calls; for one that is called elsewhere too, nothing."""
    found = []
    for name in re.findall(r"^ +(\w+)\(", calls, re.M):
        pattern = re.compile(rf"^(?:VL_ATTR_COLD )?void {name}\([^)]*\) \{{\n(?:.*\n)*?\}}\n", re.M)
        places = list(filter(None, map(pattern.search, texts.values())))
        called = sum(len(re.findall(rf"\b{name}\((?!\w+\* vlSelf\))", text)) for text in texts.values())
        found.append(places[0].group() if places and called == 1 else "")
    return found
