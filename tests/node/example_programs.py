"""Two programs that parallel programmers know, as files of programs: a Sobel filter, and LU factorisation.

A file of programs cannot compute, it can only take the time that computing takes. So the generator computes what is
sent, and what the nodes have read of messages is computed with again after the run: if a byte were lost, late or in a
wrong place, the image or the factors would not be those of NumPy.

``python -m tests.node.example_programs`` writes ``examples/sobel.json`` and ``examples/lu.json``.
"""

import json
from pathlib import Path

import numpy as np

__all__ = ["IMAGE", "MATRIX", "lu_factors", "lu_programs", "reference_lu", "sobel", "sobel_image", "sobel_programs"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

NODES = 8

PIXEL_CYCLES, MULTIPLY_CYCLES = 12, 2
"""Cycles that a processor computes for a pixel of a Sobel filter, and for a multiplication with its addition."""

IMAGE = (np.add.outer(np.arange(32) ** 2, 7 * np.arange(32)) % 251).astype(np.uint8)
"""32 rows of 32 pixels; each node has four rows."""

MATRIX = (np.fromfunction(lambda i, j: (i * 5 + j * 3) % 7, (16, 16)) + 60 * np.eye(16)).astype(np.float32)
"""A matrix that needs no exchange of rows; row i is at node i modulo 8."""


def gray(place):
    """Return the node in a place of the line; the nodes of places that are side by side are neighbours."""
    return place ^ place >> 1


def sobel(rows):
    """Return the Sobel filter of an image, without its border: the sum of both gradients' absolute values."""
    image = rows.astype(np.int32)
    across = image[:, 2:] - image[:, :-2]
    down = image[2:] - image[:-2]
    gradients = across[:-2] + 2 * across[1:-1] + across[2:], down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    return abs(gradients[0]) + abs(gradients[1])


def reads(of, size):
    """Return reads of so many bytes of a receive."""
    return [{"do": "read", "of": of, "offset": place, "bytes": 4} for place in range(0, size, 4)]


def sobel_programs():
    """Return the programs: borders go to the neighbours in the line while the rows inside are computed."""
    part, width = len(IMAGE) // NODES, IMAGE.shape[1]
    nodes = {}
    for place in range(NODES):
        own = IMAGE[part * place : part * (place + 1)]
        sides = [("above", place - 1, 1, own[0]), ("below", place + 1, 2, own[-1])]
        sides = [(name, gray(other), kind, row) for name, other, kind, row in sides if 0 <= other < NODES]
        receive = {"do": "receive", "room": width}
        steps = [receive | {"name": name, "from": other, "type": kind} for name, other, kind, _ in sides]
        for name, other, kind, row in sides:
            steps.append(
                {"do": "send", "name": f"to {name}", "to": other, "type": 3 - kind, "data": row.tobytes().hex()}
            )
        steps.append({"do": "compute", "clocks": (part - 2) * width * PIXEL_CYCLES})
        names = [name for name, *_ in sides]
        steps.append({"do": "wait", "for": names})
        for name in names:
            steps += reads(name, width)
        steps.append({"do": "compute", "clocks": len(names) * width * PIXEL_CYCLES})
        steps.append({"do": "wait", "for": [f"to {name}" for name in names]})
        nodes[str(gray(place))] = steps
    return {"nodes": nodes}


def what_was_read(programs, result, node):
    """Return the bytes that a node has read of each of its receives, by name."""
    found = {}
    for read in result["nodes"][node]["reads"]:
        step = programs["nodes"][str(node)][read["index"]]
        assert not read["early"] and step["offset"] == len(found.get(step["of"], b""))
        found[step["of"]] = found.get(step["of"], b"") + bytes.fromhex(read["data"])
    return found


def sobel_image(result):
    """Return the image that the nodes compute of their rows and of what they have read."""
    programs, part, found = sobel_programs(), len(IMAGE) // NODES, []
    for place in range(NODES):
        rows = what_was_read(programs, result, gray(place))
        sides = {name: np.frombuffer(row, np.uint8) for name, row in rows.items()}
        own = [IMAGE[part * place : part * (place + 1)]]
        found.append(
            sobel(
                np.vstack(
                    [*([sides["above"]] if place else []), *own, *([sides["below"]] if place < NODES - 1 else [])]
                )
            )
        )
    return np.vstack(found)


def eliminate(row, pivot, k):
    """Take a pivot row from a row below it; the factor stays in column k."""
    row[k] /= pivot[k]
    row[k + 1 :] -= row[k] * pivot[k + 1 :]


def reference_lu():
    """Return both factors in one matrix, as a single processor computes them."""
    found = MATRIX.copy()
    for k in range(len(found)):
        for row in found[k + 1 :]:
            eliminate(row, found[k], k)
    return found


def lu_programs():
    """Return the programs: the owner of each pivot row broadcasts it when it is ready; receives are posted before."""
    size, factors = len(MATRIX), reference_lu()
    nodes = {}
    for node in range(NODES):
        own = [i for i in range(size) if i % NODES == node]
        steps = []
        for k in range(size - 1):
            if k % NODES != node and k < own[-1]:
                steps.append(
                    {"do": "receive", "name": f"row {k}", "from": k % NODES, "type": k, "room": 4 * (size - k)}
                )
        for k in range(min(size - 1, own[-1] + 1)):
            if k % NODES == node:
                steps.append({"do": "broadcast", "name": f"row {k}", "type": k, "data": factors[k, k:].tobytes().hex()})
            else:
                steps += [{"do": "wait", "for": [f"row {k}"]}, *reads(f"row {k}", 4 * (size - k))]
            below = sum(i > k for i in own)
            steps.append({"do": "compute", "clocks": below * (size - k) * MULTIPLY_CYCLES})
        steps.append({"do": "wait", "for": [step["name"] for step in steps if step["do"] == "broadcast"]})
        nodes[str(node)] = steps
    return {"nodes": nodes}


def lu_factors(result):
    """Return both factors in one matrix, as the nodes compute them of their rows and of what they have read."""
    programs, found = lu_programs(), MATRIX.copy()
    read = [what_was_read(programs, result, node) for node in range(NODES)]
    size = len(found)
    for k in range(size):
        for i in range(k + 1, size):
            pivot = found[k].copy()
            if i % NODES != k % NODES:
                pivot[k:] = np.frombuffer(read[i % NODES][f"row {k}"], np.float32)
            eliminate(found[i], pivot, k)
    return found


if __name__ == "__main__":
    for name, programs in (("sobel", sobel_programs()), ("lu", lu_programs())):
        (EXAMPLES / f"{name}.json").write_text(json.dumps(programs, separators=(",", ":")) + "\n")
