"""Launches on memory that is on a GPU already; run with a CUDA driver in LD_LIBRARY_PATH (test_device.py)."""
import ctypes
import json
import pathlib
import sys

import numpy as np
import tc

DRIVER = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(DRIVER, name)(*arguments)
    assert result == 0, f"{name}: {result}"


class Memory:
    """Device memory with the contents of a numpy array."""

    def __init__(self, values):
        self.values = np.ascontiguousarray(values)
        self.address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(self.values.nbytes))
        call("cuMemcpyHtoD_v2", self.address, self.values.ctypes.data_as(ctypes.c_void_p),
             ctypes.c_size_t(self.values.nbytes))
        self.shape = self.values.shape

    def read(self):
        call("cuCtxSynchronize")
        out = np.empty_like(self.values)
        call("cuMemcpyDtoH_v2", out.ctypes.data_as(ctypes.c_void_p), self.address, ctypes.c_size_t(out.nbytes))
        return out


class Interface(Memory):
    """As cupy and numba have it."""

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.values.dtype.str, "data": (self.address.value, False), "version": 3}


class Device:
    """As torch.device."""

    def __init__(self, index):
        self.index = index


FIRST, SECOND = Device(0), Device(1)


class Tensor(Memory):
    """As torch has it."""
    is_cuda = True
    requires_grad = False

    def __init__(self, values, dtype=None):
        super().__init__(values)
        self.dtype = f"torch.{dtype or self.values.dtype}"
        self.device = FIRST

    def data_ptr(self):
        return self.address.value

    def stride(self):
        return tuple(step // self.values.itemsize for step in self.values.strides)

    def storage_offset(self):
        return 0

    def as_strided(self, shape, strides, offset):
        values = self.read().reshape(-1)[offset:]
        return np.lib.stride_tricks.as_strided(values, shape, [step * values.itemsize for step in strides])


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Exchange(Memory):
    """As jax has it: DLPack alone."""

    def __init__(self, values, code, bits, device=2):
        super().__init__(values)
        self.code, self.bits, self.device, self.streams = code, bits, device, []

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        self.sizes = (ctypes.c_int64 * len(self.shape))(*self.shape)
        self.tensor = DLTensor(self.address.value, self.device, 0, len(self.shape), self.code, self.bits, 1, self.sizes,
                               None, 0, None, None)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)


def expect_error(text, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except tc.InputError as error:
        assert text in str(error), f"expected '{text}', got '{error}'"
        return
    raise AssertionError(f"expected an error: {text}")


def main():
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    rng = np.random.default_rng(7)
    a, b = rng.integers(-3, 4, (72, 40)).astype("f2"), rng.integers(-3, 4, (40, 56)).astype("f2")
    wanted = a.astype("f4") @ b.astype("f4")
    kernel = tc.load(sys.argv[1], sys.argv[2])  # D = A * B, f16 to f32, sizes known at run time

    d = Interface(np.zeros((72, 56), "f4"))
    assert kernel(Interface(a), Interface(b), d) is d
    np.testing.assert_array_equal(d.read(), wanted)

    # The same shape class once more, on other memory; then another class of the same kernel.
    for rows in (72, 64):
        for _ in range(2):
            d = Tensor(np.zeros((rows, 56), "f4"))
            assert kernel(Tensor(a[:rows]), Tensor(b), d, stream=0) is d
            np.testing.assert_array_equal(d.read(), wanted[:rows])
    assert len(kernel._plans) == 3

    x, d = Exchange(a, 2, 16), Exchange(np.zeros((72, 56), "f4"), 2, 32)
    kernel(x, Exchange(b, 2, 16), d)
    np.testing.assert_array_equal(d.read(), wanted)
    assert x.streams == [1]  # the legacy default stream

    # Arrays of the host are copied.
    np.testing.assert_array_equal(kernel(a, b), wanted)
    np.testing.assert_array_equal(kernel(a, b, check=True), wanted)
    d = np.zeros((72, 56), "f4")
    assert kernel(a, b, d) is d
    np.testing.assert_array_equal(d, wanted)

    # A number is a scalar.
    scale = tc.load(pathlib.Path(__file__).resolve().parents[1] / "CAPI" / "Inputs" / "scale.ptx")
    x, y = Tensor(np.arange(100, dtype="f4")), Tensor(np.zeros(100, "f4"))
    assert scale(x, y, 2.0) is y and scale(np.float32(3), x, y) is y
    np.testing.assert_array_equal(y.read(), 3 * x.values)

    # What the function returns may be a part of a buffer.
    launch = json.loads(pathlib.Path(sys.argv[2]).read_text())
    launch["results"] = [{"buffer": "D", "offset": "N", "shape": ["M floordiv 2", "N"], "strides": ["2 * N", 1]}, {"buffer": "D"}]
    part, d = tc.load(sys.argv[1], launch), Tensor(np.zeros((72, 56), "f4"))
    odd, whole = part(Tensor(a), Tensor(b), d)
    assert whole is d
    np.testing.assert_array_equal(odd, wanted[1::2])
    np.testing.assert_array_equal(part(a, b)[0], wanted[1::2])
    expect_error("expected arrays of torch, as the function returns a part of D", part, Interface(a), Interface(b), Interface(d.values))

    expect_error("B: expected K = 40, got 39", kernel, Tensor(a), Tensor(b[:39]), Tensor(d.values))
    expect_error("expected f16, got bfloat16", kernel, Tensor(a, "bfloat16"), Tensor(b), Tensor(d.values))
    expect_error("only torch and cupy make one", kernel, Tensor(a), Tensor(b))
    expect_error("check: expected arrays of the host", kernel, Tensor(a), Tensor(b), Tensor(d.values), check=True)
    expect_error("stream: expected arrays on a GPU", kernel, a, b, stream=3)
    expect_error("expected arrays for", kernel, Tensor(a))
    expect_error("unknown argument 'nothing'", kernel, Tensor(a), Tensor(b), Tensor(d.values), nothing=1)
    transposed = Tensor(b)
    transposed.stride = lambda: (1, 40)
    expect_error("expected strides (56, 1) (in elements), got (1, 40)", kernel, Tensor(a), transposed, Tensor(d.values))
    second = Tensor(a)
    second.device = SECOND
    expect_error("expected an array on the first GPU, got one on GPU 1", kernel, second, Tensor(b), Tensor(d.values))
    expect_error("expected arrays on a GPU in the order", kernel, Tensor(a), Tensor(b), D=Tensor(d.values))
    print("done")


if __name__ == "__main__":
    main()
