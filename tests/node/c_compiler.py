"""The C library as tests have it: written, compiled with the accesses of the processor's model, and its functions."""

import re
import subprocess

from cubecast.golden.node.contract.registers import c_header
from cubecast.systems.node.library import library
from tests.node.c_library import HOST

__all__ = ["COMPILER", "compiled", "functions", "written"]

# One file at a time: g++ takes the second one for C++.
COMPILER = ("g++", "-x", "c", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")

ACCESSES = {"get", "put", "load", "store", "arrived"}
"""Functions of the header that the processor's model has instead."""


def written(folder, config, name="cubecast"):
    """Write header and library, and return the path of the library."""
    for file, text in {f"{name}_node_regs.h": c_header(config, name), **library(name)}.items():
        (folder / file).write_text(text)
    return folder / f"{name}_node.c"


def compiled(folder, config):
    """Return the path of the library as a shared object with the accesses of the model."""
    source = written(folder, config)
    made = source.with_suffix(".so")
    access = f'-DCUBECAST_NODE_ACCESS="{HOST}"'
    subprocess.run([*COMPILER, "-shared", "-fPIC", access, source, "-o", made], check=True)
    return str(made)


def functions():
    """Return the names of all functions that the header declares, but for the accesses, without their prefix."""
    declared = re.findall(r"^[\w ]+[ *]cubecast_node_(\w+)\(", library("cubecast")["cubecast_node.h"], re.M)
    return sorted(set(declared) - ACCESSES)
