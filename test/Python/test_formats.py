"""Scale factors in blocks, and a sparse A: places, the inverse, kernels that take them."""
import pathlib

import ml_dtypes
import numpy as np
import pytest
import tc
from tc._formats import Form, pack_codes
from test_frameworks import framework

FORMATS = pathlib.Path(__file__).resolve().parents[1] / "Formats"
RNG = np.random.default_rng(5)


def places(name):
    """The rows of numbers of a file that was written by hand."""
    lines = (FORMATS / name).read_text().splitlines()
    return [[int(word) for word in line.split()] for line in lines if line and not line.startswith("#")]


def both(array):
    """An array, and a tensor with the same bits."""
    torch = framework("torch")
    kinds = {"bfloat16": "int16", "float8_e4m3fn": "uint8", "float8_e8m0fnu": "uint8"}
    name = array.dtype.name
    if name not in kinds:
        return array, torch.from_numpy(array.copy())
    return array, torch.from_numpy(array.view(kinds[name]).copy()).view(getattr(torch, name))


def same(got, wanted):
    """A tensor has the bits of an array."""
    torch = framework("torch")
    assert isinstance(got, torch.Tensor) and str(got.dtype) == f"torch.{wanted.dtype}" and tuple(got.shape) == wanted.shape
    assert (got.contiguous().view(torch.uint8).numpy() == np.ascontiguousarray(wanted).view("u1").reshape(got.view(torch.uint8).shape)).all()


def test_places_of_factors():
    rows, blocks = (tc.pack_scales(one.astype(np.uint8)).reshape(-1) for one in np.indices((256, 8)))
    listed = places("scales.txt")
    assert len(listed) > 20
    for row, block, byte, *_ in listed:
        assert (rows[byte], blocks[byte]) == (row, block)


@pytest.mark.parametrize("shape", [(1, 1), (128, 4), (200, 6), (3, 130, 5), (2, 3, 129, 4)])
@pytest.mark.parametrize("kind", [ml_dtypes.float8_e8m0fnu, ml_dtypes.float8_e4m3fn, np.uint8])
def test_factors_and_back(kind, shape):
    scales = RNG.integers(1, 256, shape, dtype=np.uint8).view(kind)
    packed = tc.pack_scales(scales)
    *batch, rows, columns = shape
    assert packed.shape == (*batch, -(-rows // 128), -(-columns // 4), 32, 4, 4) and packed.dtype == scales.dtype
    assert (packed.view("u1") != 0).sum() == scales.size
    assert (tc.unpack_scales(packed, rows, columns).view("u1") == scales.view("u1")).all()


def test_factors_of_torch():
    scales, tensor = both(RNG.integers(1, 200, (150, 6), dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu))
    packed = tc.pack_scales(tensor)
    same(packed, tc.pack_scales(scales))
    same(tc.unpack_scales(packed, 150, 6), scales)
    same(tc.pack_scales(both(scales.T.copy())[1].T), tc.pack_scales(scales))


@pytest.mark.parametrize("name, element, factor, block", [
    ("mxfp8", ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu, 32),
    ("nvfp4", ml_dtypes.float4_e2m1fn, ml_dtypes.float8_e4m3fn, 16),
])
def test_a_kernel_takes_factors(name, element, factor, block):
    m, n, k = 136, 72, 128
    a, b = (RNG.integers(-3, 4, (rows, k)).astype(element) for rows in (m, n))
    powers = 2.0**RNG.integers(-2, 3, (m + n, k // block))
    sfa, sfb = powers[:m].astype(factor), powers[m:].astype(factor)
    d = tc.matmul(m, n, k, a=name).emulate(a, b, tc.pack_scales(sfa), tc.pack_scales(sfb), check=True)
    whole = [x.astype("f8") * np.repeat(s.astype("f8"), block, axis=1) for x, s in ((a, sfa), (b, sfb))]
    np.testing.assert_array_equal(d, whole[0] @ whole[1].T)


@pytest.mark.parametrize("call, message", [
    (lambda: tc.pack_scales(np.ones((4, 4), "f4")), "scales: expected factors of one byte, .* got float32"),
    (lambda: tc.pack_scales(np.ones(4, "u1")), "scales: expected at least 2 dimensions, got 1"),
    (lambda: tc.unpack_scales(np.ones((1, 1, 32, 4, 4), "u1"), 129, 4), r"packed: expected \(2, 1, 32, 4, 4\) for 129 rows and 4 columns, got"),
    (lambda: tc.pack_sparse(np.ones((4, 6), "f2")), "a: expected K to be a multiple of 4, got 6"),
    (lambda: tc.pack_sparse(np.ones((4, 8))), "a: expected elements of f32, f16, .* got float64"),
    (lambda: tc.pack_sparse(np.ones((4, 8), "i4")), "a: expected elements of f32, f16, .* got int32"),
    (lambda: tc.pack_sparse(np.ones(8, "f2")), "a: expected a matrix, got 1 dimensions"),
    (lambda: tc.unpack_sparse(np.ones((4, 4), "f2"), np.ones((1, 2, 128, 4), "i4")), r"metadata: expected \(1, 1, 128, 4\) of int32, got"),
])
def test_refused(call, message):
    with pytest.raises(tc.InputError, match=message):
        call()


def test_places_of_metadata():
    listed = places("metadata.txt")
    assert {bits for bits, *_ in listed} == {8, 16, 32}
    for bits, row, k, lane, cell, bit in listed:
        form = Form(bits)
        codes = np.full((row + 1, k // form.chunk + 1), 0b0100, np.uint8)
        plain = pack_codes(codes, form)
        codes[row, k // form.chunk] = 0b1110
        changed = pack_codes(codes, form) ^ plain
        assert np.argwhere(changed).tolist() == [[0, 0, lane, cell]]
        assert changed[0, 0, lane, cell] == 0b1010 << bit


KINDS = [("f32", np.float32), ("bf16", ml_dtypes.bfloat16), ("e4m3", ml_dtypes.float8_e4m3fn), ("i8", np.int8)]


def sparse(rows, k, kind):
    """A matrix with as many zeros as it takes: small integers."""
    form = Form(8 * np.dtype(kind).itemsize)
    dense = RNG.integers(1, 4, (rows, k)).astype("f4") * RNG.choice([-1, 1], (rows, k))
    dropped = np.argsort(RNG.random((rows, k // form.chunk, form.chunk)), axis=2)[:, :, form.kept:]
    chunks = dense.reshape(rows, -1, form.chunk)
    np.put_along_axis(chunks, dropped, 0, axis=2)
    return chunks.reshape(rows, k).astype(kind)


@pytest.mark.parametrize("name, kind", KINDS)
def test_a_sparse_matrix_and_back(name, kind):
    dense = sparse(150, 200, kind)
    values, metadata = tc.pack_sparse(dense)
    assert values.shape == (150, 100) and values.dtype == dense.dtype
    assert metadata.shape == (2, 4 if name == "f32" else 2, 128, 4) and metadata.dtype == np.int32
    np.testing.assert_array_equal(tc.unpack_sparse(values, metadata), dense)
    array, tensor = both(dense)
    got = tc.pack_sparse(tensor)
    same(got[0], values)
    same(got[1], metadata)
    same(tc.unpack_sparse(*got), dense)


def test_the_largest_are_kept():
    dense = np.array([[1, -4, 3, 2, 0, 0, 0, 0, -128, 127, 1, -127, np.nan, 9, 8, np.inf]], "f4").astype("f2")
    values, metadata = tc.pack_sparse(dense)
    np.testing.assert_array_equal(values, np.array([[-4, 3, 0, 0, -128, 127, np.nan, np.inf]], "f2"))
    np.testing.assert_array_equal(tc.unpack_sparse(values, metadata)[0, :4], [0, -4, 3, 0])
    assert tc.pack_sparse(np.array([[-128, 1, 2, 3]], np.int8))[0].tolist() == [[-128, 3]]


@pytest.mark.parametrize("name, kind", KINDS)
def test_a_kernel_takes_a_sparse_matrix(name, kind):
    m, n, k = 136, 64, 256
    dense = sparse(m, k, kind)
    b = RNG.integers(-3, 4, (n, k)).astype(kind)
    kernel = tc.matmul(m, n, k, a=name, transpose_b=True, sparse=True)
    assert kernel.arguments == ["A", "B", "metadata", "D"]
    values, metadata = tc.pack_sparse(dense)
    wanted = dense.astype("f8") @ b.astype("f8").T
    np.testing.assert_array_equal(kernel.emulate(values, b, metadata), wanted)
    torch = framework("torch")
    values, metadata = tc.pack_sparse(both(dense)[1])
    got = kernel.emulate(values, both(b)[1], metadata)
    assert isinstance(got, torch.Tensor) and (got.numpy() == wanted).all()


def test_no_rows():
    dense = np.zeros((0, 8), "f2")
    values, metadata = tc.pack_sparse(dense)
    assert values.shape == (0, 4) and metadata.shape == (0, 1, 128, 4)
    assert tc.unpack_sparse(values, metadata).shape == dense.shape


@pytest.mark.parametrize("values, metadata, message", [
    (np.ones((8, 7), "f2"), np.zeros((1, 1, 128, 4), "i4"), "values: expected a multiple of 2 columns, .*, got 7"),
    (np.ones((8, 8), "f2"), np.zeros((1, 1, 128, 4), "f4"), r"metadata: expected \(1, 1, 128, 4\) of int32, got .* of float32"),
    (np.ones((8, 8), "f2"), np.zeros((1, 1, 128, 4), "i4"), "metadata: expected codes 0100, .* in ascending order, got 0000"),
    (np.ones((8, 8), "f4"), np.full((1, 1, 128, 4), 0x44444440, "i4"), "metadata: expected codes 0100, 1110 of .*, got 0000")])
def test_metadata_that_no_kernel_takes(values, metadata, message):
    with pytest.raises(tc.InputError, match=message):
        tc.unpack_sparse(values, metadata)


@pytest.mark.parametrize("rows, message", [(-1, "rows: expected at least 0"), (2.0, "rows: expected an integer, got 2.0")])
def test_rows_that_are_no_count(rows, message):
    with pytest.raises(tc.InputError, match=message):
        tc.unpack_scales(np.zeros((1, 1, 32, 4, 4), "u1"), rows, 4)
