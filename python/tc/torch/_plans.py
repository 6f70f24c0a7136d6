"""Kernels for tensors: compiled once per text and chip, launched on a GPU, or run on the emulator for tensors of the
CPU."""
from __future__ import annotations

import collections
import contextlib
import contextvars
import functools

import torch

from .._compile import compile as compile_module
from .._errors import InputError

Options = collections.namedtuple("Options", "chip schedule races assume f32")
_OPTIONS = contextvars.ContextVar("tc.torch.options", default=Options("sm_100a", "eager", None, "", "torch"))
_current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # of a number of a GPU; None: torch without CUDA

# Prepared launches, the oldest first. Each holds the temporaries of its kernel on the GPU.
PREPARED: dict = {}
MOST_PREPARED = 4096


@contextlib.contextmanager
def options(**changes):
    """What operations inside do. On tensors of the CPU they run on the emulator: `chip` (default "sm_100a"),
    `schedule`, `races` ("off", "default", "strict"; default: that of `tc.races`) and `assume` are as for
    `tc.Kernel.emulate`. `f32` is how products of f32 are computed: "tf32", "refuse", or "torch" (default), which asks
    torch.get_float32_matmul_precision()."""
    if unknown := set(changes) - set(Options._fields):
        raise InputError(f"options: expected one of {', '.join(Options._fields)}, got '{unknown.pop()}'")
    token = _OPTIONS.set(_OPTIONS.get()._replace(**changes))
    try:
        yield
    finally:
        _OPTIONS.reset(token)


def current_options() -> Options:
    return _OPTIONS.get()


def takes_f32() -> bool:
    """Whether a product of f32 may round its operands to tf32."""
    mode = _OPTIONS.get().f32
    if mode not in ("torch", "tf32", "refuse"):
        raise InputError(f"f32: expected torch, tf32 or refuse, got '{mode}'")
    return mode == "tf32" or mode == "torch" and torch.get_float32_matmul_precision() != "highest"


@functools.lru_cache(maxsize=None)
def chip_of(device: torch.device) -> str:
    """What kernels for a GPU are compiled for."""
    major, minor = torch.cuda.get_device_capability(device)
    known = {
        (9, 0): "sm_90a",
        (10, 0): "sm_100a",
        (10, 3): "sm_103a",
        (10, 7): "sm_107f",
        (11, 0): "sm_110a",
        (12, 0): "sm_120a",
        (12, 1): "sm_121a"
    }
    return known.get((major, minor), f"sm_{major}{minor}")


def target(device: torch.device) -> str:
    """The chip that tensors of a device are computed for."""
    return chip_of(device) if device.type == "cuda" else _OPTIONS.get().chip


@functools.lru_cache(maxsize=4096)
def kernel_for(text: str, chip: str):
    """The kernel of a module."""
    return compile_module(text, chip=chip, name="torch")


def names_of(kernel) -> list[str]:
    """The buffers that tensors are given for: the arguments, then what a function of tensors returns."""
    arguments = kernel.arguments
    return arguments + [one["buffer"] for one in kernel._described.get("results", []) if one["buffer"] not in arguments]


def sizes_of(kernel, views) -> dict[str, int]:
    """Sizes and strides that the kernel leaves open, read off the tensors: (tensor, order of its dimensions) for each
    argument."""
    described = kernel._described
    open_sizes, sizes = set(described.get("sizes", [])), {}
    for name, (tensor, order) in zip(kernel.arguments, views):
        buffer = described["buffers"][name]
        for known, values in ((buffer["shape"], tensor.shape), (buffer.get("strides") or [], tensor.stride())):
            for extent, dim in zip(known, order):
                if isinstance(extent, str) and extent in open_sizes:
                    sizes.setdefault(extent, int(values[dim]))
    return sizes


class Prepared:
    """A kernel for tensors of one class of shapes, on a GPU. The last of `views` is what it writes."""

    def __init__(self, text, views):
        device = views[0][0].device
        self.gpu = device.index or 0
        kernel = kernel_for(text, chip_of(device))
        names = names_of(kernel)
        sizes = sizes_of(kernel, views)
        self.make = lambda: kernel._session("cuda", {}, sizes, {}, "off", "", 0, 0, sorted(names), gpu=self.gpu)
        session = self.make()
        self.start = session.launch
        self.starts = {_current_stream(self.gpu): session.launch}  # by streams, where there are temporaries
        layouts = kernel._layouts(session)
        self.places = [layouts[name][0] for name in names]
        self.count = len(layouts)
        # Nothing but arguments, in order: the addresses as they are.
        self.is_plain = self.places == list(range(self.count))
        self.sizes = tuple(views[-1][0].shape)

    def launch(self, addresses) -> bool:
        """Hands the launch to the current stream; false where a tensor has to be copied before: TMA wants multiples of
        16 bytes."""
        together = 0
        for address in addresses:
            together |= address
        if together & 15:
            return False
        stream = _current_stream(self.gpu)
        if not self.is_plain:
            slots = [0] * self.count
            for place, address in zip(self.places, addresses):
                slots[place] = address
            self._start_on(stream)(slots, stream)
            return True
        self.start(addresses, stream)
        return True

    def _start_on(self, stream):
        """Temporaries are a session's, and streams run at the same time. Nothing can be made while a graph is
        captured."""
        start = self.starts.get(stream)
        if start is None:
            if torch.cuda.is_current_stream_capturing():
                return self.start
            start = self.starts[stream] = self.make().launch
        return start


def launch(text, views, key=None):
    """Runs on the GPU. What is prepared is kept for tensors like these and, unless it is None, for `key`."""
    device = views[0][0].get_device()
    own = (text, device, *[(tensor.shape, tensor.stride()) for tensor, _ in views])
    prepared = PREPARED.get(own)
    if prepared is None:
        prepared = PREPARED[own] = Prepared(text, views)
    if not prepared.launch([tensor.data_ptr() for tensor, _ in views]):
        raise InputError("out: expected memory at a multiple of 16 bytes")
    if key is not None:
        PREPARED[key] = prepared
    while len(PREPARED) > MOST_PREPARED:
        PREPARED.pop(next(iter(PREPARED)))


def emulate(text, views, written: int):
    """Runs on the emulator. The last `written` of `views` are outputs, which are filled."""
    chosen = _OPTIONS.get()
    kernel = kernel_for(text, chosen.chip)
    arrays = [tensor.detach().permute(order) for tensor, order in views]
    results = kernel.emulate(*arrays[:len(kernel.arguments)], schedule=chosen.schedule, races=chosen.races,
                             assume=chosen.assume,
                             progress=False, **sizes_of(kernel, views))
    results = results if isinstance(results, tuple) else (results, )
    for array, result in zip(arrays[-written:], results[-written:]):
        array.copy_(result)


def aligned(tensor):
    """The tensor, or a copy where its first element is not at a multiple of 16 bytes, which TMA needs."""
    return tensor if tensor.data_ptr() % 16 == 0 else tensor.clone(memory_format=torch.preserve_format)
