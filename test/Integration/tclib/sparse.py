"""Matrices with half of their elements: codes of what is kept, blocks of metadata, products.

The layouts are those of the Python package, written from the table in the description of `tmm.matmul`; a second
implementation beside the runtime's and the emulator's. `codes` has a byte for each chunk of a row, `kept` the elements
that they name, in ascending k.
"""
import pathlib
import sys

import numpy as np

from . import mma

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

from tc._formats import Form, expand, pack_codes as pack  # noqa: E402


def random_codes(generator, form, rows, k):
    return generator.choice(form.codes, (rows, k // form.chunk))


def product(kept, codes, b, kind_a, kind_b, half=False):
    """What tcgen05.mma.sp makes of them, `b` (N x K) in codes: an instruction adds the products of twice the K."""
    form = Form(mma.FORMATS[kind_a].bits)
    a = expand(kept, codes, form)
    step = 2 * mma.FORMATS[kind_a].group
    total = np.zeros((a.shape[0], b.shape[0]))
    special = np.zeros_like(total)
    with np.errstate(invalid="ignore", over="ignore"):
        for start in range(0, a.shape[1], step):
            columns = slice(start, start + step)
            total = mma.step(total, mma.split(a[:, columns], kind_a), mma.split(b[:, columns], kind_b), half=half)
        # What is not kept makes no NaN, whatever B has there.
        places, of_a, of_b = form.elements(codes), mma.classes(kept, kind_a), mma.classes(b, kind_b)
        for row in range(a.shape[0]):
            special[row] = of_b[:, places[row]] @ of_a[row]
    return np.where(np.isfinite(special), total, special)
