"""What holds of the results of every study."""

from matplotlib.figure import Figure

__all__ = ["checked"]


def checked(study, result):
    """Check the verdict and the interval of every claim; return the axes on which the results are drawn."""
    for claim in result.claims:
        assert claim.verdict in ("holds", "open") or claim.verdict.startswith("differs by ")
        assert claim.interval is None or claim.interval[0] <= claim.measured <= claim.interval[1]
    axes = Figure().subplots()
    study.draw(axes, result.parameters, result.points)
    assert axes.get_xlabel() and axes.get_ylabel()
    return axes
