"""One-tile kernels of wgmma for every layout of the operands, run on the
emulator.

For each case the script writes a kernel in sm90 (TMA loads of the slabs, the
instructions of one tile, two accumulators of 64 rows where M is 128, the sums to
global memory), compiles it with tc-compile for sm_90a, runs it with a launch
file of its own under several schedules, and compares with the product of the
matrices, which are small integers, so that every sum is exact. What the bits of
a descriptor mean and where a fragment's elements are is the emulator's business,
which shares no code with the compiler.

    wgmma_tiles.py WORK_FOLDER [tc-compile [tc-run]]
"""
import json
import pathlib
import struct
import subprocess
import sys

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "TCGen05ToNVVM" / "Inputs"))
from smem_layouts import ALIGN, BYTES, SPACE, SPAN, Operand, align_up  # noqa: E402


def tiles(operands):
    """Views of the slabs, their loads, and the bytes they take."""
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
    return views, loads, offset


def fragment_of_a(name, step, dtype, source):
    """The registers of A for one instruction, read from global memory."""
    lines = []
    for r in range(4):
        v = f"%{name}_{r}"
        lines += [
            f"{v}r = arith.addi %row, %c{8 * (r % 2)} : index",
            f"{v}k = arith.constant {step + 8 * (r // 2)} : index",
            f"{v}c = arith.addi {v}k, %pair : index",
            f"{v} = vector.load %gA[{v}r, {v}c] : {source}, vector<2x{dtype}>"]
    two, four = f"vector<2x{dtype}>", f"vector<4x{dtype}>"
    lines += [f"%{name}_lo = vector.shuffle %{name}_0, %{name}_1 [0, 1, 2, 3] : {two}, {two}",
              f"%{name}_hi = vector.shuffle %{name}_2, %{name}_3 [0, 1, 2, 3] : {two}, {two}",
              f"%{name} = vector.shuffle %{name}_lo, %{name}_hi [0, 1, 2, 3, 4, 5, 6, 7] : {four}, {four}"]
    return lines


def multiply(m, n, k, a, b, sum_type, registers, negate):
    """The instructions of all accumulators, each a group; the names of the sums."""
    acc = f"vector<{n // 2}x{sum_type}>"
    lines, steps = [], range(0, k, 16)
    zero = f"%zero = arith.constant dense<7.0> : {acc}"  # not read: accumulate is false
    fence = [f"%acc{i}_0" for i in range(m // 64)]
    values = ["%zero"] * len(fence)
    types = [acc] * len(fence)
    a_type = a.tile_type
    if registers:
        a_type = f"vector<8x{a.dtype}>"
        for step in steps:
            lines += fragment_of_a(f"raw{step}", step, a.dtype, f"memref<{m}x{k}x{a.dtype}, strided<[{k}, 1]>, 1>")
            fence.append(f"%a{step}")
            values.append(f"%raw{step}")
            types.append(a_type)
    lines.append(f"%fenced:{len(fence)} = sm90.wgmma.fence({', '.join(values)} : {', '.join(types)})")
    at = {name: f"%fenced#{i}" for i, name in enumerate(fence)}
    sums = []
    for i in range(m // 64):
        last = at[f"%acc{i}_0"]
        for step in steps:
            source = at[f"%a{step}"] if registers else "%A"
            where = "" if registers else f"a_m = {64 * i} : i64, a_k = {step} : i64, "
            lines.append(
                f"%acc{i}_{step + 16} = sm90.wgmma.mma_async {last}, {source}, %B"
                f" accumulate(%{'true' if step else 'false'}) {{{where}b_k = {step} : i64{negate}}}"
                f" : {acc}, {a_type}, {b.tile_type}")
            last = f"%acc{i}_{step + 16}"
        lines.append("sm90.wgmma.commit_group")
        sums.append(last)
    # The first accumulator is read while the second may still be written.
    for i, name in enumerate(sums):
        lines.append(f"%sum{i} = sm90.wgmma.wait_group {len(sums) - 1 - i} ({name} : {acc})")
        lines += store(i, n, sum_type, acc)
    return [zero] + lines


def store(i, n, sum_type, acc):
    lines = []
    for j in range(n // 8):
        for h in range(2):
            v = f"%s{i}_{j}_{h}"
            first = 4 * j + 2 * h
            lines += [
                f"{v} = vector.shuffle %sum{i}, %sum{i} [{first}, {first + 1}] : {acc}, {acc}",
                f"{v}k = arith.constant {64 * i + 8 * h} : index",
                f"{v}r = arith.addi %row, {v}k : index",
                f"{v}j = arith.constant {8 * j} : index",
                f"{v}c = arith.addi %pair, {v}j : index",
                f"vector.store {v}, %out[{v}r, {v}c] : !out, vector<2x{sum_type}>"]
    return lines


def kernel(m, n, k, a, b, sum_type, registers, negate):
    """The module, and the bytes of dynamic shared memory without padding."""
    in_memory = [b] if registers else [a, b]
    views, loads, offset = tiles(in_memory)
    barriers = align_up(offset, 8)
    size = barriers + 8
    body = multiply(m, n, k, a, b, sum_type, registers, negate)
    newline = "\n      "
    return f"""
!smem = memref<{size}xi8, {SPACE}>
!out = memref<{m}x{n}x{sum_type}, strided<[{n}, 1]>, 1>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {{
    gpu.func @tile(%mapA: {a.map_type}, %mapB: {b.map_type}, %ga: memref<{a.dtype}, 1>, %d: memref<{sum_type}, 1>) kernel
        attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %first = arith.constant 0 : i32
      %false = arith.constant false
      %true = arith.constant true
      %smem = sm90.dynamic_smem align {ALIGN} : !smem
      {newline.join(views)}
      %bars = sm90.mbarrier.view %smem[{barriers}] : !smem to !sm90.mbarrier_array<1>
      %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<1>
      %tid = gpu.thread_id x
      %warp = arith.divui %tid, %c32 : index
      %lane = arith.remui %tid, %c32 : index
      %isFirst = arith.cmpi eq, %warp, %c0 : index
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.init %full, 1 : !sm90.mbarrier
          sm90.fence_mbarrier_init
        }}
      }}
      gpu.barrier
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.arrive_expect_tx %full, {sum(op.bytes for op in in_memory)} : !sm90.mbarrier
          {newline.join(loads)}
        }}
      }}
      sm90.mbarrier.wait_parity %full, %first : !sm90.mbarrier
      %quad = arith.divui %lane, %c4 : index
      %base = arith.muli %warp, %c16 : index
      %row = arith.addi %base, %quad : index
      %within = arith.remui %lane, %c4 : index
      %pair = arith.muli %within, %c2 : index
      %out = memref.reinterpret_cast %d to offset: [0], sizes: [{m}, {n}], strides: [{n}, 1] : memref<{sum_type}, 1> to !out
      %gA = memref.reinterpret_cast %ga to offset: [0], sizes: [{m}, {k}], strides: [{k}, 1] : memref<{a.dtype}, 1> to memref<{m}x{k}x{a.dtype}, strided<[{k}, 1]>, 1>
      {newline.join(body)}
      gpu.return
    }}
  }}
  func.func @host(%A: memref<{a.lines}x{a.fast}x{a.dtype}>, %B: memref<{b.lines}x{b.fast}x{b.dtype}>, %GA: memref<{a.dtype}, 1>, %D: memref<{sum_type}, 1>) {{
    %one = arith.constant 1 : index
    %threads = arith.constant 128 : index
    %bytes = arith.constant {size + ALIGN - 16} : i32
    %mapA = sm90.tensor_map.encode %A[0] dims [{a.lines}, {a.fast}] strides [{a.fast * BYTES}] : memref<{a.lines}x{a.fast}x{a.dtype}> to {a.map_type}
    %mapB = sm90.tensor_map.encode %B[0] dims [{b.lines}, {b.fast}] strides [{b.fast * BYTES}] : memref<{b.lines}x{b.fast}x{b.dtype}> to {b.map_type}
    gpu.launch_func @kernels::@tile blocks in (%one, %one, %one) threads in (%threads, %one, %one) dynamic_shared_memory_size %bytes
        args(%mapA : {a.map_type}, %mapB : {b.map_type}, %GA : memref<{a.dtype}, 1>, %D : memref<{sum_type}, 1>)
    return
  }}
}}
""", size


def run(tools, work, case):
    m, n, k, a_layout, b_layout, dtype, sum_type, registers, negate = case
    a = Operand("A", m, k, *a_layout, dtype)
    b = Operand("B", n, k, *b_layout, dtype)
    negates = "".join(f", negate_{name}" for name in negate)
    text, size = kernel(m, n, k, a, b, sum_type, registers, negates)
    (work / "tile.mlir").write_text(text)
    buffers = {"D": {"dtype": sum_type, "shape": [m, n], "init": "zeros", "out": "D.bin"}}
    for op in (a, b):
        (work / f"{op.name}.bin").write_bytes(op.data())
        buffers[op.name] = {"dtype": dtype, "shape": [op.lines, op.fast], "file": f"{op.name}.bin"}
    (work / "launch.json").write_text(json.dumps({
        "entry": "tile", "grid": [1, 1, 1], "block": [128, 1, 1], "cluster": [1, 1, 1],
        "dynamic_smem": size + ALIGN - 16, "buffers": buffers,
        "params": [a.tensor_map(), b.tensor_map(), {"pointer": "A", "offset": 0}, {"pointer": "D", "offset": 0}]}))
    for command in ([tools[0], "tile.mlir", "-o", "tile.ptx"],
                    [tools[1], "tile.ptx", "--launch", "launch.json", "--schedule=eager,lazy", "--seeds=2",
                     "--races=strict"]):
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        if done.returncode != 0:
            return f"{command[0]} gave {done.returncode}: {done.stdout}{done.stderr}"
    values = struct.unpack(f"<{m * n}{'f' if sum_type == 'f32' else 'e'}", (work / "D.bin").read_bytes())
    sign = (-1) ** len(negate)
    rows = [[sign * a.at(i, p) for p in range(k)] for i in range(m)]
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
            yield 64, 64, 64, (major, swizzle), usual, "bf16", "f32", False, ""
            yield 64, 64, 64, usual, (major, swizzle), "f16", "f32", False, ""
    # Two accumulators, all four transpositions.
    for a_major in ("k_major", "mn_major"):
        for b_major in ("k_major", "mn_major"):
            yield 128, 64, 32, (a_major, "b64"), (b_major, "b64"), "bf16", "f32", False, ""
    # The smallest and the largest N, the other sum, signs, A in registers.
    yield 64, 8, 192, usual, usual, "bf16", "f32", False, ""
    yield 64, 256, 16, ("k_major", "b32"), ("mn_major", "b128"), "bf16", "f32", False, ""
    yield 128, 40, 64, usual, usual, "f16", "f16", False, ""
    yield 64, 24, 48, ("k_major", "b32"), ("k_major", "b32"), "f16", "f32", False, "a"
    yield 64, 24, 48, ("k_major", "b32"), ("k_major", "b32"), "bf16", "f32", False, "ab"
    yield 64, 72, 64, usual, usual, "bf16", "f32", True, ""
    yield 64, 48, 32, ("k_major", "b64"), ("mn_major", "b32"), "f16", "f16", True, "b"


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
