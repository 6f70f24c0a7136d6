"""What the scripts share that write kernels of one tile and run them on the
emulator: operands in shared memory and their loads, compilation, launch and
comparison.

The matrices are small integers, so that every sum is exact. The layouts are
those of the dialect; what the bits mean is the emulator's business, which shares
no code with the compiler.

    SCRIPT WORK_FOLDER [--results BUILD] [tc-compile [tc-run]]

With --results, what became of the cases is recorded for scripts/matrix.
"""
import json
import pathlib
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Integration"))
from tclib.results import Results  # noqa: E402

SPACE = "#gpu.address_space<workgroup>"
SPAN = {"none": 16, "b32": 32, "b64": 64, "b128": 128}  # bytes
PATTERN = {"none": 128, "b32": 256, "b64": 512, "b128": 1024}
LAUNCH_SWIZZLE = {"none": "none", "b32": "32B", "b64": "64B", "b128": "128B"}
ELEMENT = {"f16": ("f16", 16), "bf16": ("bf16", 16), "e4m3": ("f8E4M3FN", 8), "e5m2": ("f8E5M2", 8), "f32": ("f32", 32),
           "i8": ("i8", 8), "s1z4m11": ("i16", 16), "e2m1": ("f4E2M1FN", 4)}
BUFFER_TYPE = {"s1z4m11": "u16"}  # of element types that launch files do not name
E2M1 = {0: 0, 1: 2, 2: 4, 3: 5}  # the codes of these numbers
ALIGN = 1024


def align_up(value, step):
    return -(-value // step) * step


def encode8(value, dtype):
    """-3 to 3 as e4m3 (bias 7) or e5m2 (bias 15)."""
    mantissa, bias = (3, 7) if dtype == "e4m3" else (2, 15)
    if value == 0:
        return 0
    exponent = 0 if abs(value) < 2 else 1
    fraction = (abs(value) - (1 << exponent)) << mantissa >> exponent
    return (0x80 if value < 0 else 0) | (exponent + bias) << mantissa | fraction


class Operand:
    """A or B: its tile in shared memory and how TMA brings it there."""

    def __init__(self, name, extent, k, major, swizzle, dtype):
        self.name, self.extent, self.k = name, extent, k
        self.major, self.swizzle, self.dtype = major, swizzle, dtype
        self.element, self.bits = ELEMENT[dtype]
        span = SPAN[swizzle] * 8 // self.bits
        # The tensor in global memory is row-major: lines x fast.
        self.lines, self.fast = (extent, k) if major == "k_major" else (k, extent)
        self.row = min(self.fast, span)
        self.slab = align_up(self.lines * span, PATTERN[swizzle] * 8 // self.bits)
        self.slabs = align_up(self.fast, span) // span
        self.span = span
        layout = f"#sm90.smem_layout<{major}, {swizzle}, bits = {self.bits}, slab = {self.slab}>"
        shape = (extent, self.row) if major == "k_major" else (self.row, k)
        self.tile_type = f"memref<{extent}x{k}x{self.element}, {layout}, {SPACE}>"
        self.slab_type = f"memref<{shape[0]}x{shape[1]}x{self.element}, {layout}, {SPACE}>"
        self.map_type = f"!sm90.tensor_map<{self.lines}x{self.row}x{self.element}, {swizzle}>"
        self.bytes = self.size(self.slabs * self.lines * self.row)

    def size(self, elements):
        """Bytes of so many elements."""
        return elements * self.bits // 8

    def value(self, i, j):
        """The element in line i of the tensor, position j: -3 to 3."""
        return (i * 5 + j * 3 + (i * j) % 7 + len(self.name)) % 7 - 3

    def at(self, mn, k):
        return self.value(mn, k) if self.major == "k_major" else self.value(k, mn)

    def data(self):
        values = [self.value(i, j) for i in range(self.lines) for j in range(self.fast)]
        if self.dtype == "f16":
            return struct.pack(f"<{len(values)}e", *values)
        if self.dtype == "f32":
            return struct.pack(f"<{len(values)}f", *values)
        if self.dtype == "e2m1":
            codes = [E2M1[abs(value)] | (8 if value < 0 else 0) for value in values]
            return bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2]))
        if self.dtype == "i8":
            return struct.pack(f"<{len(values)}b", *values)
        if self.dtype == "s1z4m11":
            return struct.pack(f"<{len(values)}H", *(abs(value) | (0x8000 if value < 0 else 0) for value in values))
        if self.dtype in ("e4m3", "e5m2"):
            return bytes(encode8(value, self.dtype) for value in values)
        return b"".join(struct.pack("<f", value)[2:] for value in values)

    @property
    def shape(self):
        return [self.lines, self.fast]

    def tensor_map(self):
        return {"tensor_map": {
            "buffer": self.name, "offset": 0, "dtype": BUFFER_TYPE.get(self.dtype, self.dtype),
            "dims": [self.fast, self.lines], "strides": [self.size(self.fast)],
            "box": [self.row, self.lines], "element_strides": [1, 1],
            "swizzle": LAUNCH_SWIZZLE[self.swizzle], "interleave": "none", "oob_fill": "zero"}}


def chunks(n):
    """Columns in loads of at most 32, powers of two."""
    start = 0
    while start < n:
        width = 32
        while width > n - start:
            width //= 2
        yield start, width
        start += width


def issue(meet, work):
    """All meet, one thread of the leader executes `work`, which commits to %done, and all wait for that."""
    return "\n".join([
        "tcgen05.fence before", meet, "tcgen05.fence after", "%isLeader = arith.cmpi eq, %rank, %c0 : index",
        "%issues = arith.andi %isFirst, %isLeader : i1", "scf.if %issues {", "%leader = sm90.elect", "scf.if %leader {", *work,
        "}", "}", "sm90.mbarrier.wait_parity %done, %first : !sm90.mbarrier", "tcgen05.fence after"
    ])


def load_slabs(operands):
    """Views of the slabs, their loads, and the bytes they take."""
    views, loads, offset = [], [], 0
    for op in operands:
        offset = align_up(offset, ALIGN)
        views.append(f"%{op.name} = sm90.smem_view %smem[{offset}] : !smem to {op.tile_type}")
        for slab in range(op.slabs):
            name = f"{op.name}{slab}"
            views.append(f"%{name} = sm90.smem_view %smem[{offset + op.size(slab * op.slab)}] : !smem to {op.slab_type}")
            views.append(f"%c{name} = arith.constant {slab * op.span} : index")
            loads.append(f"sm90.tma_load %map{op.name}[%c0, %c{name}], %{name}, %full"
                         f" : {op.map_type}, {op.slab_type}, !sm90.mbarrier")
        offset += op.size(op.slabs * op.slab)
    return views, loads, offset


def host_function(operands, arguments, size):
    """The host's side: the tensor maps of `operands`, and the launch, which
    passes `arguments` (name, type) after them. `size`: bytes of dynamic shared
    memory without padding."""
    maps = [f"%map{op.name} = sm90.tensor_map.encode %{op.name}[0] dims [{op.lines}, {op.fast}]"
            f" strides [{op.size(op.fast)}] : memref<{op.lines}x{op.fast}x{op.dtype}> to {op.map_type}"
            for op in operands]
    matrices = [(op.name, f"memref<{op.lines}x{op.fast}x{op.dtype}>") for op in operands]
    passed = [(f"map{op.name}", op.map_type) for op in operands] + arguments
    newline = "\n    "
    return f"""func.func @host({', '.join(f'%{name}: {kind}' for name, kind in matrices + arguments)}) {{
    %one = arith.constant 1 : index
    %threads = arith.constant 128 : index
    %bytes = arith.constant {size + ALIGN - 16} : i32
    {newline.join(maps)}
    gpu.launch_func @kernels::@tile blocks in (%one, %one, %one) threads in (%threads, %one, %one) dynamic_shared_memory_size %bytes
        args({', '.join(f'%{name} : {kind}' for name, kind in passed)})
    return
  }}"""


def write_buffer(work, op):
    """Writes the data of `op`; returns its buffer as a launch file names it."""
    (work / f"{op.name}.bin").write_bytes(op.data())
    return {"dtype": BUFFER_TYPE.get(op.dtype, op.dtype), "shape": op.shape, "file": f"{op.name}.bin"}


def execute(tools, work, text, size, operands, params, out, ctas=1):
    """Compiles and runs the kernel `text` with `size` bytes of dynamic shared
    memory and `params` before D. `out`: the rows, columns and type of D.
    Returns the elements of D, and what went wrong."""
    m, n, dtype = out
    (work / "tile.mlir").write_text(text)
    buffers = {op.name: write_buffer(work, op) for op in operands}
    buffers["D"] = {"dtype": dtype, "shape": [m, n], "init": "zeros", "out": "D.bin"}
    (work / "launch.json").write_text(json.dumps({
        "entry": "tile", "grid": [ctas, 1, 1], "block": [128, 1, 1], "cluster": [ctas, 1, 1],
        "dynamic_smem": size + ALIGN - 16, "buffers": buffers, "params": params + [{"pointer": "D", "offset": 0}]}))
    for command in ([tools[0], "tile.mlir", "-o", "tile.ptx"],
                    [tools[1], "tile.ptx", "--launch", "launch.json", "--schedule=eager,lazy", "--seeds=2",
                     "--races=strict"]):
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        if done.returncode != 0:
            return None, f"{command[0]} gave {done.returncode}: {done.stdout}{done.stderr}"
    return struct.unpack(f"<{m * n}{'f' if dtype == 'f32' else 'e'}", (work / "D.bin").read_bytes()), None


def compare(values, rows, columns):
    """`values` with the product of `rows` of A and `columns` of B, exactly."""
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            expected = sum(x * y for x, y in zip(row, column))
            if values[i * len(columns) + j] != expected:
                return f"D[{i}, {j}]: expected {expected}, got {values[i * len(columns) + j]}"
    return None


def main(run, cases, kind=None):
    """run(tools, work, case) of all cases, in the folder that the command line
    names; returns the exit status. They are of `kind`, or each has one."""
    given, build = sys.argv[1:], None
    if "--results" in given:
        build = given.pop(given.index("--results") + 1)
        given.remove("--results")
    record = Results()
    work = pathlib.Path(given[0])
    work.mkdir(parents=True, exist_ok=True)
    tools = (given[1:] + ["tc-compile", "tc-run"][len(given) - 1:])[:2]
    failures = count = 0
    for case in cases:
        count += 1
        error = run(tools, work, case)
        if error:
            failures += 1
            print(f"{case}: {error}")
        if build and not getattr(case, "refused", None):
            form = " sparse" if getattr(case, "sparse", False) else " tmem" * bool(getattr(case, "tmem_a", False))
            row = (kind or case.kind) + form
            record.add(row, "operation", "emulated", int(not error), int(bool(error)))
    if build:
        record.write(build, pathlib.Path(sys.argv[0]).stem)
    print(f"{count - failures} of {count} kernels right")
    return 1 if failures else 0
