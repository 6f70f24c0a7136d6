"""Kernels of Triton: what `triton.compile` returned for them (test/Emulator/triton), without Triton."""
import json
import pathlib
from types import SimpleNamespace

import numpy as np
import pytest
import tc

DATA = pathlib.Path(__file__).resolve().parents[1] / "Emulator" / "triton" / "data"
M, N, K = 128, 256, 192
SIZES = {"M": "i32", "N": "i32", "K": "i32"}
TILE = {"BM": 128, "BN": 128, "BK": 64}


def compiled(kernel, signature, **changed):
    meta = json.loads((DATA / f"{kernel}.meta.json").read_text()) | changed
    whole = signature | SIZES | {key: "constexpr" for key in TILE}
    names = list(whole)
    constants = {(names.index(key), ): value for key, value in TILE.items()}
    return SimpleNamespace(asm={"ptx": (DATA / f"{kernel}.ptx").read_text()}, metadata=SimpleNamespace(**meta),
                           src=SimpleNamespace(signature=whole, constants=constants, fn=SimpleNamespace(arg_names=names)))


def pointers(element="*fp32", **changed):
    return compiled("pointers_tf32", {"a_ptr": element, "b_ptr": element, "c_ptr": "*fp32"}, **changed)


def persistent():
    desc = "tensordesc<fp16[128, 64]>"
    return compiled("persistent_f16", {"a_desc": desc, "b_desc": desc, "c_desc": desc})


def operands(dtype):
    random = np.random.default_rng(3)
    return [random.integers(-2, 3, shape).astype(dtype) for shape in ((M, K), (N, K))]


def descriptor(array):
    return SimpleNamespace(base=array, shape=list(array.shape), strides=[size // array.itemsize for size in array.strides])


@pytest.mark.parametrize("form", ("in order", "with constants", "by name"))
def test_writes_into_the_arrays(form):
    a, b = operands(np.float32)
    c = np.zeros((M, N), np.float32)
    args = [a, b, c, M, N, K]
    if form == "with constants":
        args += TILE.values()
    elif form == "by name":
        args = dict(zip(["a_ptr", "b_ptr", "c_ptr", "M", "N", "K"], args))
    tc.run_triton(pointers(), lambda meta: (M // meta["BM"], N // meta["BN"]), args)
    np.testing.assert_array_equal(c, a @ b.T)


def test_parts_of_one_array():
    memory = np.zeros((M + N, K), np.float32)
    a, b = operands(np.float32)
    memory[:M], memory[M:] = a, b
    c = np.zeros((M, N), np.float32)
    tc.run_triton(pointers(), (1, 2), [memory, memory[M:], c, M, N, K])
    np.testing.assert_array_equal(c, a @ b.T)
    np.testing.assert_array_equal(memory[:M], a)


@pytest.mark.parametrize("schedule", ("eager", "lazy", "random:7"))
def test_descriptors(schedule):
    a, b = operands(np.float16)
    c = np.zeros((M, N), np.float16)
    tc.run_triton(persistent(), 2, [descriptor(a), descriptor(b), descriptor(c), M, N, K], schedule=schedule)
    np.testing.assert_array_equal(c, a @ b.T)


def test_a_wrong_kernel_leaves_the_arrays():
    kernel = pointers()
    ptx = kernel.asm["ptx"]
    at = ptx.index("st.global")
    kernel.asm["ptx"] = ptx[:at] + "trap;\n\t" + ptx[at:]
    a, b = operands(np.float32)
    c = np.full((M, N), 5, np.float32)
    with pytest.raises(tc.KernelError):
        tc.run_triton(kernel, (1, 2), [a, b, c, M, N, K])
    assert (c == 5).all()


def refused(kernel, args, message):
    with pytest.raises(tc.InputError, match=message):
        tc.run_triton(kernel, (1, 2), args)


def test_refuses():
    a, b = operands(np.float32)
    c = np.zeros((M, N), np.float32)
    good = [a, b, c, M, N, K]
    refused("ptx", good, "compiled: expected a kernel that Triton compiled .*, got str")
    refused(pointers(), good[:5], r"args: expected 6 values \(a_ptr, b_ptr, c_ptr, M, N, K\), got 5")
    refused(pointers(), {"a_ptr": a, "alpha": 1}, r"args: expected parameters of the kernel \(a_ptr, .*\), got 'alpha'")
    refused(pointers(), {"a_ptr": a}, "args: expected a value for 'b_ptr', got none")
    refused(pointers(), [a.astype(np.float16), *good[1:]], r"a_ptr: expected elements of 32 bits \(\*fp32\), got 16")
    refused(pointers(), [a[:, ::2], *good[1:]], "a_ptr: expected elements without gaps, got strides of")
    refused(pointers(), [3, *good[1:]], "a_ptr: expected an array of numpy or a tensor of torch, got int")
    refused(pointers(), [a[:-1], a[1:], *good[2:]], "b_ptr: expected memory of its own or within 'a_ptr'")
    refused(pointers("banana"), good, "a_ptr: expected a pointer, a tensor descriptor or a number, got 'banana'")
    refused(pointers("*void"), good, r"a_ptr: expected a pointer to one of i1, .*, got '\*void'")
    refused(pointers(name="other"), good, "compiled: expected an entry 'other' in its PTX, got none")
    fixed = c.copy()
    fixed.flags.writeable = False
    refused(pointers(), [a, b, fixed, M, N, K], "c_ptr: expected an array that can be written, got one that is read-only")
    h = operands(np.float16)
    kernel = persistent()
    refused(kernel, [descriptor(a), descriptor(h[1]), descriptor(np.zeros((M, N), np.float16)), M, N, K],
            "a_desc: expected elements of 16 bits, got 32")
    kernel.metadata.tensordesc_meta = None
    refused(kernel, [descriptor(h[0]), descriptor(h[1]), descriptor(np.zeros((M, N), np.float16)), M, N, K],
            "a_desc: expected a descriptor that the kernel uses as a tensor map")
