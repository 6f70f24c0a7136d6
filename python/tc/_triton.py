"""Kernels that Triton compiled, on the emulator."""
from __future__ import annotations

import ctypes
import re

from ._errors import InputError
from ._kernel import run_ptx

# Types of Triton's signatures -> those of launch files.
SCALARS = {
    "i1": "i8", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u1": "u8", "u8": "u8", "u16": "u16",
    "u32": "u32", "u64": "u64", "fp16": "f16", "bf16": "bf16", "fp32": "f32", "f32": "f32", "fp64": "f64",
}
# Bits of the elements that a pointer is to.
BITS = {"i1": 8, "u1": 8, "fp8e4nv": 8, "fp8e5": 8, "fp8e4b8": 8, "fp8e5b16": 8, "fp8e4b15": 8, "i8": 8, "u8": 8,
        "i16": 16, "u16": 16, "fp16": 16, "bf16": 16, "i32": 32, "u32": 32, "fp32": 32, "i64": 64, "u64": 64, "fp64": 64}
# By CUtensorMapDataType and by CUtensorMapSwizzle.
ELEMENTS = {0: "u8", 1: "u16", 2: "u32", 3: "i32", 4: "u64", 5: "i64", 6: "f16", 7: "f32", 8: "f64", 10: "bf16"}
SWIZZLES = ["none", "32B", "64B", "128B"]


class _Memory:
    """An array's memory: numpy's, or a tensor of torch on the CPU, without gaps in any order of its dimensions."""

    def __init__(self, array, name):
        if hasattr(array, "data_ptr"):
            if array.device.type != "cpu":
                raise InputError(f"{name}: expected a tensor on the CPU, got one on {array.device}; .cpu() copies it")
            self.address, self.item = array.data_ptr(), array.element_size()
            strides, self.writable = [stride * self.item for stride in array.stride()], True
        elif hasattr(array, "__array_interface__"):
            self.address, read_only = array.__array_interface__["data"]
            self.item, strides, self.writable = array.itemsize, array.strides, not read_only
        else:
            raise InputError(f"{name}: expected an array of numpy or a tensor of torch, got {type(array).__name__}")
        self.shape, self.bytes = tuple(array.shape), self.item
        for stride, size in sorted(zip(strides, self.shape)):
            if size > 1 and stride != self.bytes:
                raise InputError(f"{name}: expected elements without gaps, got strides of {tuple(strides)} bytes")
            self.bytes *= size

    def view(self):
        import numpy as np
        if not self.bytes:
            return np.zeros(1, np.uint8)
        return np.ctypeslib.as_array((ctypes.c_uint8 * self.bytes).from_address(self.address))


def _signature(compiled) -> dict:
    """Parameter name -> type."""
    source = getattr(compiled, "src", None)
    signature = getattr(source, "signature", None)
    if not isinstance(signature, dict) or "ptx" not in getattr(compiled, "asm", {}):
        raise InputError(f"compiled: expected a kernel that Triton compiled (triton.compile or KERNEL.warmup), got "
                         f"{type(compiled).__name__}")
    names = getattr(getattr(source, "fn", None), "arg_names", None)
    return {(names[key] if isinstance(key, int) and names else str(key)): kind for key, kind in signature.items()}


def _constants(compiled) -> dict:
    source, found = compiled.src, {}
    names = getattr(getattr(source, "fn", None), "arg_names", [])
    for key, value in (getattr(source, "constants", None) or getattr(source, "constexprs", None) or {}).items():
        key = key[0] if isinstance(key, tuple) and len(key) == 1 else key
        found[names[key] if isinstance(key, int) and key < len(names) else str(key)] = value
    return found


def _bind(signature: dict, args) -> dict:
    """Parameter name -> value, of those that are no constants."""
    wanted = [name for name, kind in signature.items() if kind != "constexpr"]
    if isinstance(args, dict):
        given = {name: value for name, value in args.items() if name in wanted}
        unknown = [name for name in args if name not in signature]
        if unknown:
            raise InputError(f"args: expected parameters of the kernel ({', '.join(signature)}), got '{unknown[0]}'")
    elif len(args) == len(signature) != len(wanted):
        given = {name: value for name, value in zip(signature, args) if name in wanted}
    elif len(args) == len(wanted):
        given = dict(zip(wanted, args))
    else:
        raise InputError(f"args: expected {len(wanted)} values ({', '.join(wanted)}), got {len(args)}")
    missing = [name for name in wanted if name not in given]
    if missing:
        raise InputError(f"args: expected a value for '{missing[0]}', got none")
    return given


def _descriptor(name, value, buffer, memory, info):
    """Parameters of a TensorDescriptor: its tensor map, then sizes and strides."""
    if not info:
        raise InputError(f"{name}: expected a descriptor that the kernel uses as a tensor map, got one that Triton "
                         "passes as a pointer")
    if info.get("is_im2col") or info.get("fp4_padded"):
        raise InputError(f"{name}: expected a tiled descriptor, got one of {'im2col' if info.get('is_im2col') else 'padded fp4'}")
    size, sizes, strides = info["elem_size"], list(value.shape), list(value.strides)
    if info["elem_type"] not in ELEMENTS:
        raise InputError(f"{name}: expected a tensor map of {', '.join(ELEMENTS.values())}, got CUtensorMapDataType "
                         f"{info['elem_type']}")
    if memory.item != size:
        raise InputError(f"{name}: expected elements of {size * 8} bits, got {memory.item * 8}")
    tensor_map = {
        "buffer": buffer, "dtype": ELEMENTS[info["elem_type"]], "dims": sizes[::-1],
        "strides": [stride * size for stride in strides[-2::-1]], "box": list(info["block_size"])[::-1],
        "element_strides": [1] * len(sizes), "swizzle": SWIZZLES[info["swizzle"]]
    }
    return [{"tensor_map": tensor_map}, *({"i32": one} for one in sizes), *({"i64": one} for one in strides)]


class _Launch:

    def __init__(self, compiled):
        self.metadata = compiled.metadata
        self.params, self.buffers, self.arrays, self.memory = [], {}, {}, {}
        self.descriptors = list(getattr(self.metadata, "tensordesc_meta", None) or [])

    def place(self, name, array) -> tuple:
        """The buffer of an array's memory and where it starts in it; parameters may share one."""
        memory = _Memory(array, name)
        for other, known in self.memory.items():
            if known.address <= memory.address and memory.address + memory.bytes <= known.address + known.bytes:
                known.writable &= memory.writable
                return other, memory.address - known.address, memory
            if memory.bytes and memory.address < known.address + known.bytes and known.address < memory.address + memory.bytes:
                raise InputError(f"{name}: expected memory of its own or within '{other}', got memory that overlaps it")
        self.memory[name] = memory
        self.arrays[name] = memory.view().copy()
        self.buffers[name] = {"dtype": "u8", "shape": [max(memory.bytes, 1)], "role": "inout"}
        return name, 0, memory

    def add(self, name, kind, value):
        if kind.startswith("tensordesc"):
            buffer, offset, memory = self.place(name, value.base)
            if offset:
                raise InputError(f"{name}: expected a descriptor of a whole array, got one {offset} bytes inside '{buffer}'")
            self.params += _descriptor(name, value, buffer, memory, self.descriptors.pop(0) if self.descriptors else None)
        elif kind.startswith("*"):
            element = kind[1:].removeprefix("k")
            buffer, offset, memory = self.place(name, value)
            if element not in BITS:
                raise InputError(f"{name}: expected a pointer to one of {', '.join(BITS)}, got '{kind}'")
            bits = BITS[element]
            if memory.item * 8 != bits:
                raise InputError(f"{name}: expected elements of {bits} bits ({kind}), got {memory.item * 8}")
            self.params.append({"pointer": buffer, "offset": offset} if offset else {"pointer": buffer})
        elif kind in SCALARS:
            self.params.append({SCALARS[kind]: float(value) if SCALARS[kind][0] in "fb" else int(value)})
        else:
            raise InputError(f"{name}: expected a pointer, a tensor descriptor or a number, got '{kind}'")

    def add_scratch(self, count, programs):
        """The parameters that Triton appends: global scratch memory, and that of a profiler."""
        for what in ("global_scratch", "profile_scratch")[:count]:
            size = getattr(self.metadata, what + "_size", 0) * programs
            if size:
                import numpy as np
                self.buffers[what] = {"dtype": "u8", "shape": [size], "role": "inout"}
                self.arrays[what] = np.zeros(size, np.uint8)
            self.params.append({"pointer": what} if size else {"i64": 0})


def run_triton(compiled, grid, args, **options) -> None:
    """Runs a kernel that Triton compiled (`triton.compile`, or `KERNEL.warmup(..., grid=...)`) on the emulator, and
    writes into the arrays what it writes.

    `grid` is up to three numbers, or a function of the constants as in Triton. `args` are the values of the kernel's
    parameters in order, constants left out or not, or a dict by name: arrays of numpy or tensors of torch on the CPU
    (elements of the size that the signature has), numbers, and TensorDescriptors. `options` are those of `tc.run_ptx`:
    schedule, races, assume, threads, max_instructions, progress. Raises InputError for arguments that do not fit, and
    KernelError (RaceError, DeadlockError) for a kernel that is wrong: the arrays are as they were then."""
    signature = _signature(compiled)
    if callable(grid):
        grid = grid(_constants(compiled))
    grid = [*(grid if isinstance(grid, (tuple, list)) else (grid, )), 1, 1][:3]
    launch = _Launch(compiled)
    for name, value in _bind(signature, args).items():
        launch.add(name, signature[name], value)
    ptx = compiled.asm["ptx"]
    name = getattr(compiled.metadata, "name", "") or getattr(compiled, "name", "")
    entry = re.search(rf"\.entry\s+{re.escape(name)}\s*\((.*?)\)(.*?)\{{", ptx, re.S)
    if not entry:
        raise InputError(f"compiled: expected an entry '{name}' in its PTX, got none")
    scratch = len(re.findall(r"\.param\b", entry[1])) - len(launch.params)
    if not 0 <= scratch <= 2:
        raise InputError(f"compiled: expected {len(launch.params)} parameters and up to 2 of Triton's own in '{name}', got "
                         f"{len(launch.params) + scratch}")
    ctas = getattr(launch.metadata, "num_ctas", 1) or 1
    launch.add_scratch(scratch, grid[0] * grid[1] * grid[2] * ctas)
    threads = re.search(r"\.reqntid\s+(\d+)", entry[2])
    described = {
        "entry": name, "grid": [grid[0] * ctas, *grid[1:]],
        "block": [int(threads[1]) if threads else 32 * launch.metadata.num_warps, 1, 1],
        "dynamic_smem": launch.metadata.shared, "buffers": launch.buffers, "params": launch.params
    }
    if ctas > 1:
        described["cluster"] = [ctas, 1, 1]
    results = run_ptx(ptx, described, launch.arrays, **options)
    for name, memory in launch.memory.items():
        if (results[name][:memory.bytes] == launch.arrays[name][:memory.bytes]).all():
            continue
        if not memory.writable:
            raise InputError(f"{name}: expected an array that can be written, got one that is read-only")
        memory.view()[:] = results[name]
