"""The CUDA handler of tc.jax, called as XLA calls it (xla/ffi/api/c_api.h), on memory of a CUDA driver in
LD_LIBRARY_PATH: test_jax.py."""
import ctypes
import re

import jax
import jax.numpy as jnp
import numpy as np
import tc
import tc.jax
from device_program import Memory, call
from tc import _jax
from tc.jax import _call, _options, _text

SIZE, POINTER, INT, LONG = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
TYPES = {"float16": 10, "float32": 11}
STREAM_GET, ALLOCATE, FREE, ORDINAL_GET, FUNCTIONS = 4, 9, 10, 17, 24  # places in XLA_FFI_Api
FUNCTION = ctypes.CFUNCTYPE(POINTER, POINTER)


def structure(*fields):
    """A struct of the interface: its size and its extensions come first."""
    return type("Struct", (ctypes.Structure, ), {"_fields_": [("size", SIZE), ("extensions", POINTER), *fields]})


Error = structure(("message", ctypes.c_char_p), ("code", INT))
Stream = structure(("context", POINTER), ("stream", POINTER))
Allocation = structure(("context", POINTER), ("bytes", SIZE), ("alignment", SIZE), ("data", POINTER))
Release = structure(("context", POINTER), ("bytes", SIZE), ("data", POINTER))
Ordinal = structure(("context", POINTER), ("number", ctypes.c_int32))
Buffer = structure(("type", INT), ("data", POINTER), ("rank", LONG), ("dims", ctypes.POINTER(LONG)))
Version = structure(("major", INT), ("minor", INT))
Api = structure(("version", Version), ("internal", POINTER), ("functions", FUNCTION * FUNCTIONS))
List = structure(("count", LONG), ("types", ctypes.POINTER(INT)), ("values", ctypes.POINTER(POINTER)))
Attributes = structure(("count", LONG), ("types", ctypes.POINTER(INT)), ("names", ctypes.POINTER(POINTER)),
                       ("values", ctypes.POINTER(POINTER)))
Frame = structure(("api", POINTER), ("context", POINTER), ("stage", INT), ("arguments", List), ("results", List),
                  ("attributes", Attributes), ("future", POINTER))


class Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", SIZE)]


class Xla:
    """What a handler asks XLA for."""

    def __init__(self, gpu=0):
        self.gpu, self.scratch, self.released, self.message = gpu, [], 0, None
        self.stream = ctypes.c_void_p()
        call("cuStreamCreate", ctypes.byref(self.stream), 1)
        given = {
            0: self.fail, STREAM_GET: self.give_stream, ALLOCATE: self.allocate, FREE: self.free,
            ORDINAL_GET: self.give_ordinal
        }
        self.functions = [FUNCTION(given.get(place, lambda _: None)) for place in range(FUNCTIONS)]
        self.api = Api(ctypes.sizeof(Api), None, Version(ctypes.sizeof(Version), None, 0, 1), None,
                       (FUNCTION * FUNCTIONS)(*self.functions))

    def fail(self, arguments):
        self.message = Error.from_address(arguments).message.decode()
        return 1

    def give_stream(self, arguments):
        Stream.from_address(arguments).stream = self.stream.value

    def give_ordinal(self, arguments):
        Ordinal.from_address(arguments).number = self.gpu

    def allocate(self, arguments):
        """As XLA does: no alignment past 16 is promised, and here none is given."""
        wanted = Allocation.from_address(arguments)
        if wanted.alignment > 16:
            return 1
        self.scratch.append(Memory(np.zeros(wanted.bytes + 16, "u1")))
        wanted.data = self.scratch[-1].address.value + 16
        return None

    def free(self, arguments):
        self.released += 1

    def run(self, key, operands, results):
        """The message of the error, None without one."""
        keep = []

        def listed(arrays):
            for one in arrays:
                keep.append((LONG * len(one.shape))(*one.shape))
                keep.append(
                    Buffer(Buffer.dims.offset + 8, None, TYPES[one.values.dtype.name], one.address.value,
                           len(one.shape), keep[-1]))
            buffers = [ctypes.addressof(one) for one in keep[-2 * len(arrays) + 1::2]]
            return List(ctypes.sizeof(List), None, len(arrays), (INT * len(arrays))(*[1] * len(arrays)),
                        (POINTER * len(arrays))(*buffers))

        name, value = Bytes(b"kernel", 6), Bytes(key.encode(), len(key))
        attributes = Attributes(ctypes.sizeof(Attributes), None, 1, (INT * 1)(4), (POINTER * 1)(ctypes.addressof(name)),
                                (POINTER * 1)(ctypes.addressof(value)))
        frame = Frame(Frame.future.offset, None, ctypes.addressof(self.api), None, 3, listed(operands), listed(results),
                      attributes)
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = POINTER, [ctypes.py_object, ctypes.c_char_p]
        self.message = None
        assert bool(FUNCTION(pointer(_jax.cuda_handler(), None))(ctypes.addressof(frame))) == bool(self.message)
        return self.message


def prepared(kernel, *arrays):
    return _call.prepare(kernel, [jnp.asarray(one) for one in arrays], _options.current()).key


def main():
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    rng = np.random.default_rng(3)
    a, b = rng.integers(-3, 4, (72, 40)).astype("f2"), rng.integers(-3, 4, (40, 56)).astype("f2")
    wanted = a.astype("f4") @ b.astype("f4")
    xla = Xla()
    key = prepared(tc.matmul(None, 56, 40, a="f16", d="f32"), a, b)
    for _ in range(2):  # the session is kept, the addresses are others
        d = Memory(np.zeros((72, 56), "f4"))
        assert xla.run(key, [Memory(a), Memory(b)], [d]) is None, xla.message
        np.testing.assert_array_equal(d.read(), wanted)
    assert not xla.scratch

    # Each stream has a session.
    other, d = Xla(), Memory(np.zeros((72, 56), "f4"))
    assert other.run(key, [Memory(a), Memory(b)], [d]) is None, other.message
    np.testing.assert_array_equal(d.read(), wanted)

    # Temporaries are XLA's: parts of f32.
    shapes = [((72, 40), "f32"), ((40, 56), "f32"), ((72, 56), "f32")]
    text = _text.parts_product(*shapes, None, transpose_a=False, transpose_b=False, activation="relu", accumulate=False)
    key = prepared(tc.compile(text, f32="bf16x9"), a.astype("f4"), b.astype("f4"))
    d = Memory(np.zeros((72, 56), "f4"))
    assert xla.run(key, [Memory(a.astype("f4")), Memory(b.astype("f4"))], [d]) is None, xla.message
    np.testing.assert_array_equal(d.read(), np.maximum(wanted, 0))
    assert xla.scratch and xla.released == len(xla.scratch)

    # What is added to is one buffer, an operand and the result.
    c = rng.integers(-3, 4, (72, 56)).astype("f4")
    key = prepared(tc.matmul(72, 56, 40, a="f16", accumulate=True), a, b, c)
    d = Memory(c)
    assert xla.run(key, [Memory(a), Memory(b), d], [d]) is None, xla.message
    np.testing.assert_array_equal(d.read(), wanted + c)
    assert "D: expected an operand and a result in one buffer" in xla.run(key, [Memory(a), Memory(b), d], [Memory(c)])

    assert "B: expected f16[40,56], got f16[56,40]" in xla.run(key, [Memory(a), Memory(b.T), d], [d])
    assert "expected 3 operands and 1 results, got 2 and 1" in xla.run(key, [Memory(a), Memory(b)], [d])
    assert "expected a kernel that this process has traced, got 'none'" in xla.run("none", [], [])
    assert re.search("device cuda: GPU 7: .*cuDeviceGet", Xla(7).run(key, [Memory(a), Memory(b), d], [d]))
    assert jax.default_backend() == "cpu"
    print("done")


if __name__ == "__main__":
    main()
