"""Matrices with half of their elements: codes of what is kept, blocks of metadata, products.

Written from the table in the description of `tmm.matmul`; a second implementation beside the runtime's and the
emulator's. `codes` has a byte for each chunk of a row, `kept` the elements that they name, in ascending k.
"""
import numpy as np

from . import mma

ROWS = 128


class Form:
    """How elements of `bits` are kept: a code for each chunk of K."""

    def __init__(self, bits):
        self.bits = max(bits, 8)
        self.chunk, self.kept, self.block = (2, 1, 64) if bits == 32 else (4, 2, 128)
        self.codes = np.array((0b0100, 0b1110) if bits == 32 else
                              [low + 4 * high for low in range(4) for high in range(low + 1, 4)], np.uint8)

    def elements(self, codes):
        """The places in K of what is kept: rows x K / 2."""
        high, low = codes >> 2, codes & 3
        places = high[..., None] // 2 if self.bits == 32 else np.stack([low, high], axis=-1)
        places = places + np.arange(codes.shape[1])[None, :, None] * self.chunk
        return places.reshape(codes.shape[0], -1).astype(np.int64)

    def place(self, row, k):
        """Lane, cell and bit in its block of the code of the chunk at (row, k)."""
        if self.bits == 8:
            return row, k // 32, k % 32
        half = 16 if self.bits == 16 else 8
        lane = row % 8 + 8 * (k % (2 * half) // half) + 16 * (row // 16)
        return lane, k // (2 * half), k % half * (16 // half) + 16 * (row // 8 % 2)


def random_codes(generator, form, rows, k):
    return generator.choice(form.codes, (rows, k // form.chunk))


def compress(dense, form):
    """What to keep of a dense matrix, the largest of each chunk: the elements and their codes."""
    rows, k = dense.shape
    chunks = np.abs(dense).reshape(rows, k // form.chunk, form.chunk)
    order = np.sort(np.argsort(-chunks, axis=2, kind="stable")[:, :, :form.kept], axis=2)
    codes = np.where(order[:, :, 0] == 0, 0b0100, 0b1110) if form.bits == 32 else order[:, :, 0] + 4 * order[:, :, 1]
    kept = np.take_along_axis(dense.reshape(rows, -1, form.chunk), order, axis=2).reshape(rows, -1)
    return kept, codes.astype(np.uint8)


def pack(codes, form, generator=None):
    """The words of all blocks; what fills them up are random codes, or the first one."""
    rows, chunks = codes.shape
    blocks = -(-rows // ROWS), -(-chunks * form.chunk // form.block)
    shape = blocks[0] * ROWS, blocks[1] * form.block // form.chunk
    whole = np.full(shape, 0b0100) if generator is None else generator.choice(form.codes, shape)
    whole = whole.astype(np.uint32)
    whole[:rows, :chunks] = codes
    row, chunk = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
    k = chunk * form.chunk
    lane, cell, bit = form.place(row % ROWS, k % form.block)
    words = np.zeros((*blocks, ROWS, 4), np.uint32)
    np.bitwise_or.at(words, (row // ROWS, k // form.block, lane, cell), whole << bit.astype(np.uint32))
    return words


def expand(kept, codes, form):
    """The matrix with zeros in place of what is not kept."""
    dense = np.zeros((kept.shape[0], codes.shape[1] * form.chunk), kept.dtype)
    np.put_along_axis(dense, form.elements(codes), kept, axis=1)
    return dense


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
