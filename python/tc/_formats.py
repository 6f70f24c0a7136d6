"""Operands in the layouts that kernels take: scale factors in blocks (docs/LowPrecision.md), and a sparse A with its
metadata (docs/Sparse.md), of numpy or torch."""
from __future__ import annotations

import sys
from typing import TypeVar

from . import _tensors
from ._description import integer
from ._errors import InputError
from ._types import element_name

Array = TypeVar("Array")

ROWS = 128  # of a block of factors or of metadata
COLUMNS = 4  # of a block of factors


class Form:
    """How a sparse matrix keeps elements of `bits`: a code for each chunk of K."""

    def __init__(self, bits: int):
        import numpy as np
        self.bits = max(bits, 8)
        # Elements of a chunk, of which so many are kept; elements of K in a block of metadata.
        self.chunk, self.kept, self.block = (2, 1, 64) if bits == 32 else (4, 2, 128)
        self.codes = np.array((0b0100, 0b1110) if bits == 32 else
                              [low + 4 * high for low in range(4) for high in range(low + 1, 4)], np.uint8)

    def elements(self, codes):
        """The places in K of what is kept: rows x K / 2."""
        import numpy as np
        high, low = codes >> 2, codes & 3
        places = high[..., None] // 2 if self.bits == 32 else np.stack([low, high], axis=-1)
        places = places + np.arange(codes.shape[1])[None, :, None] * self.chunk
        return places.reshape(codes.shape[0], codes.shape[1] * self.kept).astype(np.int64)

    def place(self, row, k):
        """Lane, cell and bit in its block of the code of the chunk at (row, k)."""
        if self.bits == 8:
            return row, k // 32, k % 32
        half = 16 if self.bits == 16 else 8
        lane = row % 8 + 8 * (k % (2 * half) // half) + 16 * (row // 16)
        return lane, k // (2 * half), k % half * (16 // half) + 16 * (row // 8 % 2)

    def places(self, rows: int, chunks: int):
        """The block (two indices), lane, cell and bit of each code of a matrix."""
        import numpy as np
        row, chunk = np.meshgrid(np.arange(rows), np.arange(chunks), indexing="ij")
        k = chunk * self.chunk
        lane, cell, bit = self.place(row % ROWS, k % self.block)
        return (row // ROWS, k // self.block, lane, cell), bit.astype(np.uint32)


def choose(magnitudes, form: Form):
    """What to keep of a dense matrix, the largest of each chunk: their places in K and their codes."""
    import numpy as np
    rows, k = magnitudes.shape
    order = np.argsort(-magnitudes.reshape(rows, k // form.chunk, form.chunk), axis=2, kind="stable")
    order = np.sort(order[:, :, :form.kept], axis=2)
    codes = np.where(order[:, :, 0] == 0, 0b0100, 0b1110) if form.bits == 32 else order[:, :, 0] + 4 * order[:, :, 1]
    codes = codes.astype(np.uint8)
    return form.elements(codes), codes


def pack_codes(codes, form: Form, generator=None):
    """The words of all blocks of metadata; what fills them up are random codes, or the first one."""
    import numpy as np
    rows, chunks = codes.shape
    blocks = -(-rows // ROWS), -(-chunks * form.chunk // form.block)
    shape = blocks[0] * ROWS, blocks[1] * form.block // form.chunk
    whole = np.full(shape, 0b0100) if generator is None else generator.choice(form.codes, shape)
    whole = whole.astype(np.uint32)
    whole[:rows, :chunks] = codes
    places, bit = form.places(*shape)
    words = np.zeros((*blocks, ROWS, 4), np.uint32)
    np.bitwise_or.at(words, places, whole << bit)
    return words


def unpack_codes(words, rows: int, chunks: int, form: Form):
    """The codes of a matrix, a byte for each chunk."""
    import numpy as np
    places, bit = form.places(rows, chunks)
    return (words.view(np.uint32)[places] >> bit & 15).astype(np.uint8)


def expand(kept, codes, form: Form):
    """The matrix with zeros in place of what is not kept."""
    import numpy as np
    dense = np.zeros((kept.shape[0], codes.shape[1] * form.chunk), kept.dtype)
    np.put_along_axis(dense, form.elements(codes), kept, axis=1)
    return dense


def pack_bytes(codes, fill: int = 0):
    """Factors as bytes, batch x rows x columns, in blocks of 128 rows and 4 columns, which `fill` fills up."""
    *batch, rows, columns = codes.shape
    high, wide = -(-rows // ROWS), -(-columns // COLUMNS)
    shape = (*batch, high * ROWS, wide * COLUMNS)
    whole = codes.new_full(shape, fill) if _tensors.is_tensor(codes) else _full(shape, fill)
    whole[..., :rows, :columns] = codes
    return _swap(whole.reshape(*batch, high, 4, 32, wide, 4))


def unpack_bytes(blocks, rows: int, columns: int):
    """The factors of `rows` and `columns`, without what fills up the blocks."""
    *batch, high, wide, _, _, _ = blocks.shape
    whole = _swap(blocks).reshape(*batch, high * ROWS, wide * COLUMNS)
    return whole[..., :rows, :columns]


def _full(shape, fill):
    import numpy as np
    return np.full(shape, fill, np.uint8)


def _swap(blocks):
    """Between (row of blocks, 4, 32, column of blocks, 4) and (row of blocks, column of blocks, 32, 4, 4), dense."""
    rank = len(blocks.shape)
    order = [*range(rank - 4), rank - 2, rank - 3, rank - 4, rank - 1]
    if _tensors.is_tensor(blocks):
        return blocks.permute(order).contiguous()
    import numpy as np
    return np.ascontiguousarray(blocks.transpose(order))


def _factors(what: str, scales, rank: int):
    """Factors as an array or a tensor of bytes, and how bytes become what was given."""
    if _tensors.is_tensor(scales):
        kind, size, codes = scales.dtype, scales.element_size(), scales.detach()
        if size == 1:
            codes = codes.view(sys.modules["torch"].uint8)
    else:
        import numpy as np
        scales = np.asarray(scales)
        kind, size = scales.dtype, scales.dtype.itemsize
        codes = scales.view(np.uint8) if size == 1 else scales
    if size != 1:
        raise InputError(f"{what}: expected factors of one byte, float8_e8m0fnu (mxfp8, mxfp4) or float8_e4m3fn (nvfp4), got {kind}")
    if len(codes.shape) < rank:
        raise InputError(f"{what}: expected at least {rank} dimensions, got {len(codes.shape)}")
    return codes, kind


def pack_scales(scales: Array) -> Array:
    """Scale factors as block-scaled kernels (mxfp8, mxfp4, nvfp4) and cuBLAS take them.

    `scales` has a row for each row of A or column of B and a column for each block of K that shares a factor: M x K / 32
    for mxfp8 and mxfp4, M x K / 16 for nvfp4, and maybe dimensions of a batch before them. The result, ceil(rows / 128) x
    ceil(columns / 4) x 32 x 4 x 4 of the same type, is filled up with zeros.
    """
    codes, kind = _factors("scales", scales, 2)
    return pack_bytes(codes).view(kind)


def unpack_scales(packed: Array, rows: int, columns: int) -> Array:
    """The inverse of `pack_scales`: the factors of so many rows and columns."""
    codes, kind = _factors("packed", packed, 5)
    rows, columns = integer("rows", rows), integer("columns", columns)
    if tuple(codes.shape[-5:]) != (shape := (-(-rows // ROWS), -(-columns // COLUMNS), 32, 4, 4)):
        raise InputError(f"packed: expected {shape} for {rows} rows and {columns} columns, got {tuple(codes.shape[-5:])}")
    return unpack_bytes(codes, rows, columns).view(kind)


class _Matrix:
    """A matrix, of numpy or torch, as bits of numpy."""

    def __init__(self, what: str, array):
        self.tensor = array.detach() if _tensors.is_tensor(array) else None
        if self.tensor is None:
            import numpy as np
            array = np.asarray(array)
        name = element_name(array.dtype)
        if name in (None, "i32") or "x2" in str(array.dtype):
            raise InputError(f"{what}: expected elements of f32, f16, bf16, 8 bits, or fewer in a byte each, got {array.dtype}")
        if len(array.shape) != 2:
            raise InputError(f"{what}: expected a matrix, got {len(array.shape)} dimensions")
        self.array, self.shape = array, tuple(array.shape)
        size = array.element_size() if self.tensor is not None else array.dtype.itemsize
        self.form = Form(8 * size)

    def bits(self):
        if self.tensor is not None:
            return _tensors.bits(self.tensor).cpu().numpy()
        return self.array.view(f"u{self.array.dtype.itemsize}")

    def magnitudes(self):
        """|x| as f32; NaN is the largest."""
        import numpy as np
        values = self.tensor.float().cpu().numpy() if self.tensor is not None else self.array.astype(np.float32)
        return np.where(np.isnan(values), np.float32("inf"), np.abs(values))

    def made(self, bits):
        """What has these bits, as the matrix is given."""
        if self.tensor is None:
            return bits.view(self.array.dtype)
        return _tensors.of_bits(bits, self.tensor.dtype).to(self.tensor.device)

    def beside(self, words):
        """Words of metadata, where the matrix is."""
        import numpy as np
        words = words.view(np.int32)
        return words if self.tensor is None else sys.modules["torch"].from_numpy(words).to(self.tensor.device)


def pack_sparse(a: Array) -> tuple[Array, Array]:
    """A dense A (M x K) as kernels with a sparse A take it: (the kept elements, metadata).

    Of every four elements of a row the two largest are kept, of f32 (tf32) one of every two: a matrix with enough zeros
    loses nothing. The kept elements are M x K / 2 of the same type, in ascending k; the metadata ceil(M / 128) x
    ceil(K / 128) x 128 x 4 of int32 (of f32 K / 64).
    """
    import numpy as np
    matrix = _Matrix("a", a)
    form = matrix.form
    if matrix.shape[1] % form.chunk:
        raise InputError(f"a: expected K to be a multiple of {form.chunk}, got {matrix.shape[1]}")
    places, codes = choose(matrix.magnitudes(), form)
    return matrix.made(np.take_along_axis(matrix.bits(), places, axis=1)), matrix.beside(pack_codes(codes, form))


def unpack_sparse(values: Array, metadata: Array) -> Array:
    """The dense A of what `pack_sparse` gives, with zeros in place of what is not kept."""
    import numpy as np
    matrix = _Matrix("values", values)
    form, (rows, kept) = matrix.form, matrix.shape
    if kept % form.kept:
        raise InputError(f"values: expected a multiple of {form.kept} columns, the elements of a code, got {kept}")
    chunks = kept // form.kept
    words = metadata.cpu().numpy() if _tensors.is_tensor(metadata) else np.asarray(metadata)
    shape = (-(-rows // ROWS), -(-chunks * form.chunk // form.block), ROWS, 4)
    if words.shape != shape or words.dtype.name not in ("int32", "uint32"):
        raise InputError(f"metadata: expected {shape} of int32, got {tuple(words.shape)} of {words.dtype}")
    codes = unpack_codes(np.ascontiguousarray(words), rows, chunks, form)
    if (wrong := codes[~np.isin(codes, form.codes)]).size:
        raise InputError(f"metadata: expected codes {', '.join(f'{one:04b}' for one in form.codes)} of two places in ascending "
                         f"order, got {wrong[0]:04b}")
    return matrix.made(expand(matrix.bits(), codes, form))
