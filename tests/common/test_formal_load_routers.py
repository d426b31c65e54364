"""Every wire of the load routers of all systems leads where it must, and one to another port is refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.tb.harness.formal import prove
from tests.common.load_router_spec import LoadRouterSpec
from tests.common.unit_proofs import LOAD_ROUTERS, load_router


@pytest.mark.parametrize("unit", LOAD_ROUTERS)
def test_wires_are_proven(unit):
    """Of a load router at the first corner of its lockstep runs."""
    prove(LoadRouterSpec(*load_router(unit)), depth=1)


@pytest.mark.parametrize("unit", LOAD_ROUTERS)
def test_words_are_reached(unit):
    """One that comes out, while another one goes in and the router reports."""
    prove(LoadRouterSpec(*load_router(unit)), mode="cover", depth=1)


@pytest.mark.parametrize("unit", LOAD_ROUTERS)
def test_an_end_in_the_place_of_an_error_is_refuted(unit):
    """Of what comes out."""
    prove(LoadRouterSpec(*load_router(unit), error="last"), mode="bmc", depth=1, expect="fail")
