"""Generated C++: what Verilator has written twice is compiled once, and what nobody uses is not.

Verilator writes the combinational logic of a design three times: as it settles at the start (``stl``), when inputs
change (``ico``), and behind the registers (``nba``). The first of them evaluates all of it, whatever has changed, so it
stands for the second one too. Of a design with many ports, much is a statement for each of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

__all__ = ["RULE", "cut_down", "ports_in_a_table", "settled_once", "without_members"]

RULE = Path(__file__).read_text()
"""What builds are named by, beside what Verilator is given: the rule itself."""

REGION = r"^(?:VL_ATTR_COLD )?(?P<whole>void \w+___eval_{0}\(\w+\* vlSelf\) \{{\n(?:    \S.*\n)*?"
"""Begin of the function that evaluates a region."""

CLAUSE = (
    r"    if \(\(1ULL & vlSelfRef\.__V{0}Triggered\[0U\]\)\) \{{\n"
    r"(?P<body>(?:        .*\n)+)    \}}\n\}}\n)"
)
"""All of its body, where nothing but one trigger, the first iteration, has it evaluated."""

CALL = r"^ +(\w+)\((?:vlSelf|\(&vlSymsp->)[^;]*\);$"
"""A call of a function with logic; other statements stand beside it."""

LARGE = 0.6
"""Part of the first that the second must be: where inputs change little, all logic would take longer to evaluate."""

MEMBER = r"^    VL_(?:IN|OUT)\w*\(&(\w+)(?:,\d+)+\);\n"
"""A port in the class of a model, which is a reference."""

INSERTED = (
    r'    (?P<scope>\w+)->varInsert\("(?P<name>\w+)", &\(TOP\.(?P<place>\w+)\), false, (?P<type>\w+), (?P<kind>[\w|]+)'
    r", 0, (?:0|1 ,(?P<left>\d+),(?P<right>\d+))\);\n"
)
"""A port that a simulator can ask for; with the numbers of its bits, if it has several."""

TABLE = """\
    {{
        static const struct {{
            const char *name;
            size_t place;
            VerilatedVarType type;
            int kind, several, left, right;
        }} ports[] = {{
{rows}        }};
        for (const auto &port : ports) {{
            char *const place = reinterpret_cast<char *>(&TOP) + port.place;
            if (port.several) {{
                {scope}->varInsert(port.name, place, false, port.type, port.kind, 0, 1, port.left, port.right);
            }} else {{
                {scope}->varInsert(port.name, place, false, port.type, port.kind, 0, 0);
            }}
        }}
    }}
"""
"""The same for all ports of a scope: a row is a constant, and the compiler is done with it sooner than with a call."""


def cut_down(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the C++ files of a model with all that takes the compiler less.

    Parameters
    ----------
    texts : dict
        Name of each file to its text, as Verilator wrote it; the header of the model's class among them, if nothing
        uses its members.
    """
    return ports_in_a_table(without_members(settled_once(texts)))


def without_members(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the C++ files of a model whose class has no port as a member, if its header is among them."""
    names = {name for text in texts.values() for name in re.findall(MEMBER, text, re.M)}

    def begun(line: re.Match[str]) -> str:
        return "" if line[1] in names else line[0]

    return {
        name: re.sub(r"^    , (\w+)\{vlSymsp->TOP\.\1\}\n", begun, re.sub(MEMBER, "", text, flags=re.M), flags=re.M)
        for name, text in texts.items()
    }


def ports_in_a_table(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the C++ files of a model in which the ports that a simulator can ask for are rows of a table."""

    def table(lines: re.Match[str]) -> str:
        ports = list(re.finditer(INSERTED, lines[0]))
        rows = "".join(
            f'            {{"{port["name"]}", offsetof(decltype(TOP), {port["place"]}), {port["type"]}, {port["kind"]}'
            f", {int(port['left'] is not None)}, {port['left'] or 0}, {port['right'] or 0}}},\n"
            for port in ports
        )
        return TABLE.format(rows=rows, scope=lines["scope"])

    others = INSERTED.replace("?P<scope>\\w+", "?P=scope")
    several = re.compile(rf"^{INSERTED}(?:{re.sub(r'[?]P<[a-z]+>', '?:', others)})*", re.M)
    return {name: several.sub(table, text) for name, text in texts.items()}


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
    kept, replaced = _functions(texts, first["body"]), _functions(texts, second["body"])
    begin, instead = second.group(), first["whole"]
    sizes = [sum(map(len, functions)) for functions in ([instead, *kept], [begin, *replaced])]
    if not all(kept + replaced) or sizes[1] < LARGE * sizes[0]:
        return dict(texts)
    declared = "".join(f"{text.partition(' {')[0]};\n" for text in kept)
    instead = instead.replace("___eval_stl", "___eval_ico").replace("__VstlTriggered", "__VicoTriggered")
    found = {}
    for name, text in texts.items():
        for function in (begin, *replaced):
            text = text.replace(function, declared + instead if function == begin else "")
        found[name] = text
    return found


def _function(texts: Mapping[str, str], name: str) -> str:
    """Return the text of a function, or nothing."""
    for text in texts.values():
        for found in re.finditer(rf"void {name}\([^)\n]*\) \{{\n", text):
            begin = text.rfind("\n", 0, found.start()) + 1
            if text[begin : found.start()] in ("", "VL_ATTR_COLD "):
                return text[begin : text.index("\n}\n", found.end() - 1) + 3]
    return ""


def _region(texts: Mapping[str, str], region: str) -> re.Match[str] | None:
    """Return the function that evaluates a region, with its body; None: there is none of that shape."""
    pattern = re.compile((REGION + CLAUSE).format(region), re.M)
    return next(filter(None, map(pattern.search, texts.values())), None)


def _functions(texts: Mapping[str, str], body: str) -> list[str]:
    """Return the texts of the functions that a body calls; for one that is called elsewhere too, nothing."""
    found = []
    for name in re.findall(CALL, body, re.M):
        called = sum(len(re.findall(rf"{name}\((?!\w+\* vlSelf\))", text)) for text in texts.values())
        found.append(_function(texts, name) if called == 1 else "")
    return found
