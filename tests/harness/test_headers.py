"""Verilator's headers lose what no design uses, and nothing else."""

import re
from pathlib import Path

from cubecast.tb.harness.headers import NAMES, UNUSED, lean
from cubecast.tb.harness.toolchain import verilator

HEADER = """\
class VlProcess;
template <typename T>
class VlQueue final {
    void clear() {}
};
class VlProcess final {
    void state(int s);
    int completed() {
        return 1;
    }
};
class VlRNG final {
    int rand64();
};
inline int VL_A(const VlQueue<int>& q) { return 1; }
static inline int VL_B(int bits,
                       const VlQueue<int>& q) {
    if (bits) {
        return 1;
    }
    return 2;
}
template <typename T>
static inline int VL_C(const VlQueue<T>& q) {
    return 3;
}
static inline int VL_D(int bits) {
    return 4;
}
extern int VL_E(const VlQueue<int>& q);
"""

LEAN = """\
class VlProcess;
template <typename T>
class VlQueue final {
    void clear() {}
};
class VlProcess;
class VlRNG final {
    int rand64();
};
template <typename T>
static inline int VL_C(const VlQueue<T>& q) {
    return 3;
}
static inline int VL_D(int bits) {
    return 4;
}
extern int VL_E(const VlQueue<int>& q);
"""


def test_classes_and_functions_without_parameters_go():
    """Those of queues and processes; what is declared only, or a template, takes no time."""
    assert lean(HEADER) == LEAN
    assert lean(LEAN) == LEAN


def test_the_installed_headers_lose_nothing_else():
    """Every function and class of other things is still there, and more than twenty are gone."""
    include = Path(verilator()[1]["VERILATOR_ROOT"]) / "include"
    gone = 0
    for name in NAMES:
        text = (include / name).read_text()
        pieces = re.findall(r"^(?:(?:static )?inline|class) [^{;]*\{", text, re.M)
        left = lean(text)
        for piece in set(pieces):
            if not re.search(UNUSED, piece):
                assert left.count(piece) == text.count(piece), piece
            gone += text.count(piece) - left.count(piece)
    assert gone > 20
