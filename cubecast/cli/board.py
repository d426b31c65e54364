"""``cubecast board``: the bitstream of a network that tests itself, for a board with an ECP5."""

from __future__ import annotations

import argparse
import importlib
import json
import time
from typing import Any

from cubecast.golden.board.contract.config import SLOWEST
from cubecast.options.arguments import Parser, examples, folder_name, integer
from cubecast.options.ending import STATUSES
from cubecast.options.files import output_folder, write_files
from cubecast.options.progress import Progress
from cubecast.options.usage import UsageError, checked
from cubecast.systems import units
from cubecast.tb.measure.boards import BOARDS, Board

__all__ = ["add", "run"]

BAUD = 115_200
"""Bits per second on the UART, unless the option says otherwise."""

MOST_MHZ = SLOWEST // 1_000_000
"""Clock rate at most: of a faster clock no second can be counted."""

FIGURES = "board.json"
"""File with the figures."""

KINDS = {"lut": "LUTs", "ff": "flip-flops", "bram": "block RAMs"}
"""What is counted, in words."""

EXAMPLES = """\
cubecast board orangecrab -o build/orangecrab
cubecast board orangecrab --dim 2 --mhz 48 -o build/four_nodes
"""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    boards = "\n".join(f"  {name:10} {board.title}" for name, board in BOARDS.items())
    parser = commands.add_parser(
        "board",
        help="bitstream of a network that tests itself on a board",
        description="Make the bitstream of a network of crosspoint routers with traffic of its own, which checks what "
        "comes and prints load, packets, words and errors once a second over a UART (docs/board.md). Yosys, "
        "nextpnr-ecp5 and ecppack make it; a network that does not fit, or is slower than its clock, is refused.",
        epilog=f"boards:\n{boards}\n\n{examples(EXAMPLES)}\nexit status: 0; {STATUSES}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("board", choices=list(BOARDS), help="which board")
    sizes = ", ".join(f"{name} {board.dim}" for name, board in BOARDS.items())
    parser.add_argument("--dim", type=integer, metavar="N", help=f"dimension of the cube (default: {sizes})")
    rates = ", ".join(f"{name} {board.mhz}" for name, board in BOARDS.items())
    parser.add_argument("--mhz", type=integer, metavar="N", help=f"clock rate that a PLL makes (default: {rates})")
    parser.add_argument(
        "--baud", type=integer, default=BAUD, metavar="N", help="of the UART, 9600 to 1000000 (default %(default)s)"
    )
    parser.add_argument("--seed", type=integer, default=1, metavar="N", help="of the placer (default %(default)s)")
    parser.add_argument(
        "-o",
        dest="folder",
        type=folder_name,
        metavar="DIR",
        required=True,
        help="folder for cubecast_board.bit, its Verilog, constraints and configuration, and board.json",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Make the bitstream, and say how to load it; return the exit status."""
    boards = importlib.import_module("cubecast.tb.measure.boards")
    board = BOARDS[arguments.board]
    dim = board.dim if arguments.dim is None else arguments.dim
    mhz = board.mhz if arguments.mhz is None else arguments.mhz
    if not 1 <= mhz <= MOST_MHZ:
        raise UsageError(f"mhz must be an integer from 1 to {MOST_MHZ}, not {mhz}")
    if not 0 <= arguments.seed < 1 << 31:
        raise UsageError(f"seed must be an integer from 0 to 2147483647, not {arguments.seed}")
    checked(boards.pll, board.clock, mhz)
    config = checked(boards.board_config, board, dim, mhz, arguments.baud)
    _check_room(board, config.router)
    if tool := boards.missing_tool():
        raise UsageError(f"tools must be installed: a bitstream needs {tool}")
    output_folder(arguments.folder, [*boards.FILES, FIGURES])
    start = time.monotonic()
    with Progress(arguments.parser.prog, "Amaranth makes the Verilog") as progress:
        figures, files = boards.make_bitstream(board, config, mhz, seed=arguments.seed, stage=progress.stage)
    result = {
        "board": arguments.board,
        "device": board.device,
        "parameters": config.to_json(),
        "clock": mhz,
        "seed": arguments.seed,
        **figures,
        "load": list(board.ways),
        "seconds": round(time.monotonic() - start, 1),
    }
    write_files(arguments.folder, {**files, FIGURES: json.dumps(result, indent=2) + "\n"})
    if arguments.json:
        print(json.dumps(result))
        return 0
    shares = ", ".join(f"{share} % of its {KINDS[kind]}" for kind, share in figures["utilisation"].items())
    print(f"{1 << dim} nodes on {arguments.board}, {board.device}: {shares}; {figures['mhz']} MHz, of {mhz} needed")
    print(f"in {arguments.folder}, one of:" if len(board.ways) > 1 else f"in {arguments.folder}:")
    for way in board.ways:
        print(f"  {way}")
    return 0


def _check_room(board: Board, router: Any) -> None:
    """Refuse a network whose routers alone, by their estimate, do not fit: the tools would run for long.

    No point has the parameters of these routers, but of the network their load nodes take as much again.
    """
    # Imported here: the other commands have no need of it.
    estimates = importlib.import_module("cubecast.cli.estimates")
    system, unit = units()["crosspoint-network"]
    values = estimates.plain(*estimates.of_unit(system, unit, router, "ecp5"), "ecp5")
    if values["fits"][board.device] is False:
        need = f"where the routers are estimated at {estimates.room(values, board.device)}"
        raise UsageError(f"dim must be less than {router.dim} on this board, {need}")
