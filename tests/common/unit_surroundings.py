"""Which units have surroundings that are stated, so that planted bugs are asked about in these."""

from cubecast.rtl.adapter.emitter import Emitter
from cubecast.rtl.board.reporter import Reporter as BoardReporter
from cubecast.rtl.collective.sequencer import CollectiveSequencer
from cubecast.rtl.common.report_collector import ReportCollector
from cubecast.rtl.multicast.reporter import Reporter as MulticastReporter
from cubecast.rtl.packet.crossbar_output import CrossbarOutput
from cubecast.rtl.packet.next_port import NextPort
from cubecast.rtl.packet.node_input_port import NodeInputPort
from cubecast.rtl.packet.output_controller import OutputController
from cubecast.rtl.packet.output_slot import OutputSlot
from tests.adapter.surroundings import EmitterSurroundings
from tests.board.surroundings import ReporterSurroundings as BoardReporterSurroundings
from tests.collective.surroundings import CollectiveSequencerSurroundings
from tests.common.surroundings import ReportCollectorSurroundings
from tests.multicast.surroundings import ReporterSurroundings as MulticastReporterSurroundings
from tests.packet.surroundings import (
    CrossbarOutputSurroundings,
    NextPortSurroundings,
    NodeInputPortSurroundings,
    OutputControllerSurroundings,
    OutputSlotSurroundings,
)

__all__ = ["SURROUNDINGS", "around"]

SURROUNDINGS = {
    BoardReporter: BoardReporterSurroundings,
    CollectiveSequencer: CollectiveSequencerSurroundings,
    CrossbarOutput: CrossbarOutputSurroundings,
    Emitter: EmitterSurroundings,
    MulticastReporter: MulticastReporterSurroundings,
    NextPort: NextPortSurroundings,
    NodeInputPort: NodeInputPortSurroundings,
    OutputController: OutputControllerSurroundings,
    OutputSlot: OutputSlotSurroundings,
    ReportCollector: ReportCollectorSurroundings,
}
"""Units, and what is around them."""


def around(unit):
    """Return what is around a unit, None if nothing is stated."""
    stated = SURROUNDINGS.get(type(unit))
    return stated and stated(unit)
