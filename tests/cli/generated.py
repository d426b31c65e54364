"""What a generated file says, read without the code that has written it."""

import re

__all__ = ["module_ports"]


def module_ports(text, unit):
    """Return direction and width of every port of a unit in Verilog, by name."""
    module = text[text.index(f"module cubecast_{unit}(") :]
    module = module[: module.index("endmodule")]
    return {
        port: (direction, int(high or 0) + 1)
        for direction, high, port in re.findall(r"^  (input|output) (?:\[(\d+):0\] )?(\w+);$", module, re.MULTILINE)
    }
