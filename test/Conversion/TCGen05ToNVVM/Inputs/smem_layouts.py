"""One-tile kernels for every layout of operands in shared memory, run on the
emulator.

For each case the script writes a kernel in tcgen05 and sm90 (TMA loads of the
slabs, the instructions of one tile, the sum to global memory), compiles it with
tc-compile, runs it with a launch file of its own under several schedules, and
compares with the product of the matrices, which are small integers, so that
every sum is exact. The layouts are those of the dialect; what the bits mean is
the emulator's business, which shares no code with the compiler.

    smem_layouts.py WORK_FOLDER [tc-compile [tc-run]]
"""
import json
import pathlib
import struct
import subprocess
import sys

SPACE = "#gpu.address_space<workgroup>"
SPAN = {"none": 16, "b32": 32, "b64": 64, "b128": 128}  # bytes
PATTERN = {"none": 128, "b32": 256, "b64": 512, "b128": 1024}
LAUNCH_SWIZZLE = {"none": "none", "b32": "32B", "b64": "64B", "b128": "128B"}
BYTES = 2  # of an element of these kernels, f16 or bf16
ELEMENT = {"f16": ("f16", 2), "bf16": ("bf16", 2), "e4m3": ("f8E4M3FN", 1), "e5m2": ("f8E5M2", 1)}
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
        self.element, self.width = ELEMENT[dtype]
        span = SPAN[swizzle] // self.width
        # The tensor in global memory is row-major: lines x fast.
        self.lines, self.fast = (extent, k) if major == "k_major" else (k, extent)
        self.row = min(self.fast, span)
        self.slab = align_up(self.lines * span, PATTERN[swizzle] // self.width)
        self.slabs = align_up(self.fast, span) // span
        self.span = span
        layout = f"#sm90.smem_layout<{major}, {swizzle}, bits = {8 * self.width}, slab = {self.slab}>"
        shape = (extent, self.row) if major == "k_major" else (self.row, k)
        self.tile_type = f"memref<{extent}x{k}x{self.element}, {layout}, {SPACE}>"
        self.slab_type = f"memref<{shape[0]}x{shape[1]}x{self.element}, {layout}, {SPACE}>"
        self.map_type = f"!sm90.tensor_map<{self.lines}x{self.row}x{self.element}, {swizzle}>"
        self.bytes = self.slabs * self.lines * self.row * self.width

    def value(self, i, j):
        """The element in line i of the tensor, position j: -3 to 3."""
        return (i * 5 + j * 3 + (i * j) % 7 + len(self.name)) % 7 - 3

    def at(self, mn, k):
        return self.value(mn, k) if self.major == "k_major" else self.value(k, mn)

    def data(self):
        values = [self.value(i, j) for i in range(self.lines) for j in range(self.fast)]
        if self.dtype == "f16":
            return struct.pack(f"<{len(values)}e", *values)
        if self.dtype in ("e4m3", "e5m2"):
            return bytes(encode8(value, self.dtype) for value in values)
        return b"".join(struct.pack("<f", value)[2:] for value in values)

    def tensor_map(self):
        return {"tensor_map": {
            "buffer": self.name, "offset": 0, "dtype": self.dtype,
            "dims": [self.fast, self.lines], "strides": [self.fast * self.width],
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


def kernel(m, n, k, operands):
    """The module, and the bytes of dynamic shared memory without padding."""
    views, loads, offset = [], [], 0
    for op in operands:
        offset = align_up(offset, ALIGN)
        views.append(f"%{op.name} = sm90.smem_view %smem[{offset}] : !smem to {op.tile_type}")
        for slab in range(op.slabs):
            name = f"{op.name}{slab}"
            views.append(f"%{name} = sm90.smem_view %smem[{offset + slab * op.slab * BYTES}] : !smem to {op.slab_type}")
            views.append(f"%c{name} = arith.constant {slab * op.span} : index")
            loads.append(f"sm90.tma_load %map{op.name}[%c0, %c{name}], %{name}, %full"
                         f" : {op.map_type}, {op.slab_type}, !sm90.mbarrier")
        offset += op.slabs * op.slab * BYTES
    barriers = align_up(offset, 8)
    size = barriers + 16
    a, b = operands
    acc = f"!tcgen05.tmem<{m}x{n}xf32, {'D' if m == 128 else 'F'}>"
    instructions = [
        f"tcgen05.mma f16 %acc, %A, %B accumulate(%{'true' if step else 'false'})"
        f" {{a_k = {step} : i64, b_k = {step} : i64}} : {acc}, {a.tile_type}, {b.tile_type}"
        for step in range(0, k, 16)]
    out = f"memref<{m}x{n}xf32, strided<[{n}, 1]>, 1>"
    stores = []
    for start, width in chunks(n):
        window = f"!tcgen05.tmem<{m // 4}x{n}xf32, {'D' if m == 128 else 'F'}>"
        part = window.replace(f"x{n}xf32", f"x{width}xf32")
        stores += [
            f"%c_{start} = arith.constant {start} : index",
            f"%p{start} = tcgen05.slice %mine[{start}] : {window} to {part}",
            f"%v{start} = tcgen05.ld %p{start} : {part} to vector<{width}xf32>",
            f"%w{start} = tcgen05.wait ld(%v{start} : vector<{width}xf32>)",
            "scf.if %stores {",
            f"  vector.store %w{start}, %out[%row, %c_{start}] : {out}, vector<{width}xf32>",
            "}"]
    # Layout F has 16 rows in each warp's window of 32 lanes.
    rows = m // 4
    text = f"""
!smem = memref<{size}xi8, {SPACE}>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {{
    gpu.func @tile(%mapA: {a.map_type}, %mapB: {b.map_type}, %d: memref<f32, 1>) kernel
        attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %rows = arith.constant {rows} : index
      %first = arith.constant 0 : i32
      %false = arith.constant false
      %true = arith.constant true
      %acc = tcgen05.reserve : {acc}
      %smem = sm90.dynamic_smem align {ALIGN} : !smem
      {chr(10).join(views)}
      %bars = sm90.mbarrier.view %smem[{barriers}] : !smem to !sm90.mbarrier_array<2>
      %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<2>
      %done = sm90.mbarrier.get %bars[1] : !sm90.mbarrier_array<2>
      %tid = gpu.thread_id x
      %warp = arith.divui %tid, %c32 : index
      %lane = arith.remui %tid, %c32 : index
      %isFirst = arith.cmpi eq, %warp, %c0 : index
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.init %full, 1 : !sm90.mbarrier
          sm90.mbarrier.init %done, 1 : !sm90.mbarrier
          sm90.fence_mbarrier_init
        }}
      }}
      gpu.barrier
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.arrive_expect_tx %full, {a.bytes + b.bytes} : !sm90.mbarrier
          {chr(10).join(loads)}
          sm90.mbarrier.wait_parity %full, %first : !sm90.mbarrier
          tcgen05.fence after
          {chr(10).join(instructions)}
          tcgen05.commit %done : !sm90.mbarrier
        }}
      }}
      sm90.mbarrier.wait_parity %done, %first : !sm90.mbarrier
      tcgen05.fence after
      %mine = tcgen05.warp_window %acc : {acc}
      %out = memref.reinterpret_cast %d to offset: [0], sizes: [{m}, {n}], strides: [{n}, 1] : memref<f32, 1> to {out}
      %base = arith.muli %warp, %rows : index
      %row = arith.addi %base, %lane : index
      %stores = arith.cmpi ult, %lane, %rows : index
      {chr(10).join(stores)}
      gpu.return
    }}
  }}
  func.func @host(%A: memref<{a.lines}x{a.fast}x{a.dtype}>, %B: memref<{b.lines}x{b.fast}x{b.dtype}>, %D: memref<f32, 1>) {{
    %one = arith.constant 1 : index
    %threads = arith.constant 128 : index
    %bytes = arith.constant {size + ALIGN - 16} : i32
    %mapA = sm90.tensor_map.encode %A[0] dims [{a.lines}, {a.fast}] strides [{a.fast * BYTES}] : memref<{a.lines}x{a.fast}x{a.dtype}> to {a.map_type}
    %mapB = sm90.tensor_map.encode %B[0] dims [{b.lines}, {b.fast}] strides [{b.fast * BYTES}] : memref<{b.lines}x{b.fast}x{b.dtype}> to {b.map_type}
    gpu.launch_func @kernels::@tile blocks in (%one, %one, %one) threads in (%threads, %one, %one) dynamic_shared_memory_size %bytes
        args(%mapA : {a.map_type}, %mapB : {b.map_type}, %D : memref<f32, 1>)
    return
  }}
}}
"""
    return text, size


def run(tools, work, case):
    m, n, k, a_layout, b_layout, dtype = case
    a = Operand("A", m, k, *a_layout, dtype)
    b = Operand("B", n, k, *b_layout, dtype)
    text, size = kernel(m, n, k, (a, b))
    (work / "tile.mlir").write_text(text)
    buffers = {"D": {"dtype": "f32", "shape": [m, n], "init": "zeros", "out": "D.bin"}}
    for op in (a, b):
        (work / f"{op.name}.bin").write_bytes(op.data())
        buffers[op.name] = {"dtype": dtype, "shape": [op.lines, op.fast], "file": f"{op.name}.bin"}
    (work / "launch.json").write_text(json.dumps({
        "entry": "tile", "grid": [1, 1, 1], "block": [128, 1, 1], "cluster": [1, 1, 1],
        "dynamic_smem": size + ALIGN - 16, "buffers": buffers,
        "params": [a.tensor_map(), b.tensor_map(), {"pointer": "D", "offset": 0}]}))
    for command in ([tools[0], "tile.mlir", "-o", "tile.ptx"],
                    [tools[1], "tile.ptx", "--launch", "launch.json", "--schedule=eager,lazy", "--seeds=2"]):
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        if done.returncode != 0:
            return f"{command[0]} gave {done.returncode}: {done.stdout}{done.stderr}"
    values = struct.unpack(f"<{m * n}f", (work / "D.bin").read_bytes())
    rows = [[a.at(i, p) for p in range(k)] for i in range(m)]
    columns = [[b.at(j, p) for p in range(k)] for j in range(n)]
    for i in range(m):
        for j in range(n):
            expected = sum(x * y for x, y in zip(rows[i], columns[j]))
            if values[i * n + j] != expected:
                return f"D[{i}, {j}]: expected {expected}, got {values[i * n + j]}"
    return None


def cases():
    usual = ("k_major", "b128")
    for major in ("k_major", "mn_major"):
        for swizzle in SPAN:
            yield 128, 64, 64, (major, swizzle), usual, "bf16"
            yield 128, 64, 64, usual, (major, swizzle), "f16"
    # M = 64 (layout F), several slabs along K and along N, the smallest and the
    # largest N, K of one instruction.
    yield 64, 40, 32, ("k_major", "b64"), ("k_major", "b32"), "bf16"
    yield 64, 136, 64, ("mn_major", "b64"), ("mn_major", "none"), "f16"
    yield 128, 8, 192, usual, usual, "f16"
    yield 128, 256, 16, ("k_major", "b32"), ("mn_major", "b128"), "bf16"


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    tools = (sys.argv[2:] + ["tc-compile", "tc-run"][len(sys.argv) - 2:])[:2]
    failures = count = 0
    for case in cases():
        count += 1
        error = run(tools, work, case)
        if error:
            failures += 1
            print(f"{case}: {error}")
    print(f"{count - failures} of {count} kernels right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
