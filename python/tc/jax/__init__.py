"""Kernels of tc as functions of JAX: on the CPU they run on the emulator, on a GPU they are launched on XLA's stream.

    import tc.jax

    d = tc.jax.matmul(a, b, bias=bias, epilogue="gelu")     # inside jit, grad, vmap and on a mesh
    o = tc.jax.attention(q, k, v, causal=True)
    g = tc.jax.compile(f)(*args)                            # a whole function, every kernel by tc
    d = tc.jax.call(tc.load("kernel.ptx", "kernel.json"), a, b)

Kernels are compiled while a function is traced, one for each class of shapes, and are kept as long as the process: the
lowered module has only their names, so it cannot be run by another process (jax.export). A run on the emulator that is
stopped, by a race for example, raises JAX's runtime error with the report. `tc.jax.options` chooses chip, schedule,
race policy and more.

On a GPU all memory is XLA's: operands, results, and as scratch memory the temporaries of kernels. Only temporaries that
a launch finds with first contents (counters) belong to tc, one set for each GPU and stream. Kernels are compiled for
the first GPU: the others of a mesh have to be of its kind.

Devices of a mesh on the CPU wait for each other, as long as
XLA_FLAGS=--xla_cpu_collective_call_terminate_timeout_seconds=N says (40 by default): the emulator may need longer.
"""
from . import _extension  # noqa: F401  # says what is missing, before another import fails
from ._attention import attention
from ._call import call
from ._compile import Function, Lowered, compile
from ._matmul import matmul
from ._options import options

__all__ = ["Function", "Lowered", "attention", "call", "compile", "matmul", "options"]
