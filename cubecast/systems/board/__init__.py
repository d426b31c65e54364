"""A crosspoint network that tests itself on a board: its core without pins."""

from cubecast.golden.board.contract.config import BoardConfig
from cubecast.systems.board import description
from cubecast.systems.crosspoint import SYSTEM as CROSSPOINT
from cubecast.systems.system import Parameter, System, Unit

__all__ = ["SYSTEM"]

SYSTEM = System(
    name="board",
    config=BoardConfig,
    base=CROSSPOINT,
    title="parameters of a network on a board",
    parameters=(
        Parameter(
            name="second_cycles",
            help="cycles between two lines of its text, 1120 times --bit-cycles + 370 to 268435456 (default 50000000)",
        ),
        Parameter(name="bit_cycles", help="cycles of a bit on its UART, 2 to 65535 (default 434)"),
        Parameter(
            name="debounce_cycles", help="cycles that its button must rest to be heard, 1 to 16777216 (default 500000)"
        ),
    ),
    units=(Unit(name="crosspoint_board", component="cubecast.rtl.board.board_network:BoardNetwork", routes=False),),
    units_help="a crosspoint network with traffic of its own, which tells over a UART what it does (crosspoint-board)",
    description=description,
    presets=CROSSPOINT.presets,
)
